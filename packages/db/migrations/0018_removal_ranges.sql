ALTER TABLE "sync_removals" ADD COLUMN "visible" int8multirange;--> statement-breakpoint
UPDATE "sync_removals" SET "visible" = int8multirange(int8range(least("visible_since", "changed_in"), "changed_in"));--> statement-breakpoint
ALTER TABLE "sync_removals" ALTER COLUMN "visible" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "sync_removals" DROP COLUMN "visible_since";--> statement-breakpoint
CREATE OR REPLACE FUNCTION "note_removal"("in_scope" text, "of_type" text, "of_id" text, "since" bigint, "is_deleted" boolean)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "sync_removals" AS r ("scope", "type", "id", "changed_in", "visible", "deleted")
		VALUES ("in_scope", "of_type", "of_id", "transaction_number"(),
			int8multirange(int8range(least("since", "transaction_number"()), "transaction_number"())), "is_deleted")
	ON CONFLICT ("scope", "type", "id") DO UPDATE SET
		"changed_in" = EXCLUDED."changed_in",
		"visible" = r."visible" + EXCLUDED."visible",
		"deleted" = EXCLUDED."deleted",
		"at" = EXCLUDED."at";
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "note_task_deletion"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "sync_removals" ("scope", "type", "id", "changed_in", "visible", "deleted")
		SELECT 'meeting:' || "meeting_id", 'task', "id", "transaction_number"(), '{(,)}', true FROM "gone"
	ON CONFLICT DO NOTHING;
	RETURN NULL;
END $$;
