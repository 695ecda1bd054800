import type { Tag, TagList } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { PersonalCaller } from "../access/index.js";

const { tags, tagShares } = schema;

/** Lists the caller's own tags and those shared with the caller, by name. @see docs/specification.md#tag */
export async function listTags(db: Database, { userId }: PersonalCaller): Promise<TagList> {
  return { tags: await runNamedStatement<Tag>(db, "tags_of_caller", selectTags, { caller: userId }) };
}

const caller = sql.placeholder("caller");

/** Selects the tags visible to a user: their own and those shared with them. The only access rule for tags. */
export const visibleTags = sql`
  (select id, name, false as shared, updated_at, changed_in as seen_in from ${tags} where user_id = ${caller}
  union all
  select t.id, t.name, true, t.updated_at, greatest(t.changed_in, s.created_in)
  from ${tagShares} s join ${tags} t on t.id = s.tag_id where s.user_id = ${caller})`;

const selectTags = () => sql`
  select id, name, shared from ${visibleTags} visible order by name collate "C", id`;
