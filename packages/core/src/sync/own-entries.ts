import { schema, toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { visibleTags } from "../access/index.js";
import {
  expandHiddenTaskRemovals,
  expandMeetings,
  expandRemovals,
  expandTasks,
  isNotVisible,
  isRemovalDue,
  removedIn,
} from "./expand.js";
import {
  afterMeeting,
  afterNumber,
  afterTag,
  afterTagNumber,
  afterTask,
  caller,
  type FeedShape,
  holder,
  TAG_KIND,
  top,
} from "./parameters.js";

const { meetings, syncRemovals, tags, tagShares, tasks } = schema;

/** Selects entries of the caller's own meetings, or of a workspace's. */
export function selectOwn(shape: FeedShape): SQL[] {
  const column = sql.raw(shape.personal ? "user_id" : "workspace_id");
  const arrival = sql.raw(shape.personal ? "created_in" : "placed_in");
  const rows = toSqlNumber(shape.rows);
  return [
    expandMeetings(
      sql`select m.changed_in as number, m.id, m.changed_in from ${meetings} m
        where m.${column} = ${caller} and (m.changed_in, m.id) >= (${afterNumber}, ${afterMeeting})
          and m.changed_in < ${top}
        order by m.changed_in, m.id limit ${rows}`,
      shape,
    ),
    expandMeetings(
      sql`select m.${arrival} as number, m.id, m.changed_in from ${meetings} m
        where m.${column} = ${caller} and m.changed_in >= ${top} and m.${arrival} < ${top}
          and (m.${arrival}, m.id) >= (${afterNumber}, ${afterMeeting})
        order by 1, 2 limit ${rows}`,
      shape,
    ),
    expandTasks(
      sql`select k.updated_in as number, k.meeting_id as id, k.id as task
        from ${tasks} k join ${meetings} m on m.id = k.meeting_id
        where k.${column} = ${caller} and k.updated_in is not null and k.updated_in > m.changed_in
          and (k.updated_in, k.meeting_id, k.id) > (${afterNumber}, ${afterMeeting}, ${afterTask})
          and k.updated_in < ${top}
        order by k.updated_in, k.meeting_id, k.id limit ${rows}`,
      shape,
    ),
    expandRemovals(
      sql`select r.changed_in as number, r.id, r.deleted from ${syncRemovals} r
        where r.scope = ${holder} and r.type = 'meeting' and ${isRemovalDue(sql`r.visible`)}
          and (r.changed_in, r.id) >= (${afterNumber}, ${afterMeeting}) and r.changed_in < ${top}
          and ${isNotVisible(sql`r.id`, shape)}
        order by r.changed_in, r.id limit ${rows}`,
      shape,
    ),
    expandRemovals(
      sql`select ${removedIn} as number, r.id, r.deleted from ${syncRemovals} r
        where r.scope = ${holder} and r.type = 'meeting' and ${isRemovalDue(sql`r.visible`)}
          and r.changed_in >= ${top} and (${removedIn}, r.id) >= (${afterNumber}, ${afterMeeting})
          and ${isNotVisible(sql`r.id`, shape)}
        order by 1, 2 limit ${rows}`,
      shape,
    ),
    expandHiddenTaskRemovals(
      sql`select m.id from ${meetings} m where m.${column} = ${caller} and m.changed_in >= ${top}`,
      shape,
    ),
  ];
}

/** Selects entries of tags that the caller can or could see. */
export const selectTags = (): SQL[] => [
  sql`select t.seen_in as number, ${toSqlNumber(TAG_KIND)} as kind, t.id, '' as item,
      true as visible, false as deleted
    from ${visibleTags} t
    where (t.seen_in, t.id) > (${afterTagNumber}, ${afterTag}) and t.seen_in < ${top}`,
  sql`select ${removedIn} as number, ${toSqlNumber(TAG_KIND)} as kind, r.id, '' as item,
      false as visible, r.deleted
    from ${syncRemovals} r
    where r.scope = ${holder} and r.type = 'tag' and ${isRemovalDue(sql`r.visible`, sql`${afterTagNumber}`)}
      and r.changed_in >= ${afterTagNumber} and (${removedIn}, r.id) > (${afterTagNumber}, ${afterTag})
      and not exists (select from ${tags} t where t.id = r.id and t.user_id = ${caller})
      and not exists (select from ${tagShares} t
        where t.tag_id = r.id and t.user_id = ${caller} and t.created_in < ${top})`,
];
