CREATE TABLE "erased_recordings" (
	"workspace_id" text COLLATE "C" NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "erased_recordings_of_workspace" PRIMARY KEY("workspace_id","hash")
);
--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "created_in" bigint;--> statement-breakpoint
ALTER TABLE "erased_recordings" ADD CONSTRAINT "erased_recordings_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- A task that is deleted while its meeting stays was visible from its creation until now. One that goes with its meeting is told
-- to everybody who may have it.
CREATE OR REPLACE FUNCTION "note_task_deletion"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	number bigint := "transaction_number"();
BEGIN
	INSERT INTO "sync_removals" ("scope", "type", "id", "changed_in", "visible", "deleted")
		SELECT 'meeting:' || g."meeting_id", 'task', g."id", number,
			CASE WHEN m."id" IS NULL THEN int8multirange(int8range(g."created_in", NULL))
				ELSE int8multirange(int8range(least(coalesce(g."created_in", m."created_in"), number), number)) END,
			true
		FROM "gone" g LEFT JOIN "meetings" m ON m."id" = g."meeting_id"
	ON CONFLICT DO NOTHING;
	RETURN NULL;
END $$;--> statement-breakpoint
INSERT INTO "erased_recordings" ("workspace_id", "hash")
	SELECT r."workspace_id", sha256(convert_to(r."external_id", 'UTF8'))
	FROM "recordings" r JOIN "audit_log" a ON a."object" = r."id"
	WHERE a."action" IN ('meeting.erase-person', 'recording.erase-person')
		AND r."workspace_id" IS NOT NULL AND r."external_id" IS NOT NULL
ON CONFLICT DO NOTHING;
