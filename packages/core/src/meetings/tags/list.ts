import type { Tag, TagList } from "@minutes/contract";
import { type Database, runNamedStatement } from "@minutes/db";
import { sql } from "drizzle-orm";
import { type UserCaller, visibleTags } from "../../access/index.js";

/** Lists the caller's own tags and those shared with the caller, by name. @see docs/specification.md#tag */
export async function listTags(db: Database, { userId }: UserCaller): Promise<TagList> {
  return { tags: await runNamedStatement<Tag>(db, "tags_of_caller", selectTags, { caller: userId }) };
}

const selectTags = () => sql`
  select id, name, shared from ${visibleTags} visible order by name collate "C", id`;
