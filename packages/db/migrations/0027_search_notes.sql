ALTER TABLE "search_documents" ADD COLUMN "first_chunk" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- A meeting can have two documents. No statement uses the old key to resolve conflicts.
ALTER TABLE "search_documents" DROP CONSTRAINT "search_documents_pkey";--> statement-breakpoint
ALTER TABLE "search_documents" ADD CONSTRAINT "documents_of_meeting" PRIMARY KEY("meeting_id","first_chunk");--> statement-breakpoint
-- Deletes a meeting's notes from the index in the transaction that changes them, also when a process of the previous release does
-- so. The current release indexes them again in that transaction; otherwise a background loop does.
CREATE FUNCTION "forget_notes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "search_documents" WHERE "meeting_id" = OLD."meeting_id" AND "first_chunk" > 0;
	DELETE FROM "search_chunks" WHERE "meeting_id" = OLD."meeting_id" AND "position" >= 16384;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "notes_follow_summaries" AFTER UPDATE ON "summaries"
	FOR EACH ROW EXECUTE FUNCTION "forget_notes"();--> statement-breakpoint
CREATE TRIGGER "notes_follow_tasks" AFTER UPDATE OF "text", "assignee_name" ON "tasks"
	FOR EACH ROW WHEN (OLD."text" <> NEW."text" OR OLD."assignee_name" IS DISTINCT FROM NEW."assignee_name")
	EXECUTE FUNCTION "forget_notes"();--> statement-breakpoint
CREATE TRIGGER "notes_follow_attendees" AFTER UPDATE OF "name" ON "calendar_attendees"
	FOR EACH ROW WHEN (OLD."name" <> NEW."name") EXECUTE FUNCTION "forget_notes"();
