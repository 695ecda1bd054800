-- Meetings that kept people of a workspace that they have left: an assignee without an address who did not speak.
INSERT INTO "people_work" ("meeting_id")
	SELECT p."meeting_id" FROM "people" d JOIN "participants" p ON p."person_id" = d."id"
		JOIN "meetings" m ON m."id" = p."meeting_id" WHERE m."workspace_id" <> d."workspace_id"
	UNION
	SELECT k."meeting_id" FROM "people" d JOIN "tasks" k ON k."assignee_person_id" = d."id"
		WHERE k."workspace_id" <> d."workspace_id"
	ON CONFLICT DO NOTHING;--> statement-breakpoint
-- None that the service wrote; an import of a file written by hand could.
DELETE FROM "person_emails" e USING "people" d
	WHERE d."id" = e."person_id" AND d."workspace_id" <> e."workspace_id";--> statement-breakpoint
ALTER TABLE "people" ADD CONSTRAINT "people_identity" UNIQUE("workspace_id","id");--> statement-breakpoint
ALTER TABLE "person_emails" DROP CONSTRAINT "person_emails_person_id_people_id_fk";--> statement-breakpoint
ALTER TABLE "person_emails" ADD CONSTRAINT "emails_are_of_their_workspaces_people" FOREIGN KEY ("workspace_id","person_id") REFERENCES "public"."people"("workspace_id","id") ON DELETE cascade ON UPDATE no action;
