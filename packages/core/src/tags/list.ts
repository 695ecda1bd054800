import type { TagList } from "@minutes/contract";
import { type Database, prepared, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { PersonalCaller } from "../keys/index.js";

const { tags, tagShares } = schema;

/** The caller's own tags and those shared with the caller, by name (contract: "Tag"). */
export async function listTags(db: Database, { userId }: PersonalCaller): Promise<TagList> {
  const statement = prepared(db, "tags_of_caller", (db, name) =>
    db
      .select({ id: sql<string>`g.id`, name: sql<string>`g.name`, shared: sql<boolean>`g.shared` })
      .from(sql`(
        select id, name, false as shared from ${tags} where user_id = ${sql.placeholder("caller")}
        union all
        select o.id, o.name, true from ${tagShares} s join ${tags} o on o.id = s.tag_id where s.user_id = ${sql.placeholder("caller")}
      ) g`)
      .orderBy(sql`g.name collate "C", g.id`)
      .prepare(name),
  );
  return { tags: await statement.execute({ caller: userId }) };
}
