-- Triggers take these rows away with their meeting, as those of transcripts and postings: a check of each row would cost more
-- than the row, and where the tables are spread over workers, a foreign key can't lead from there to a meeting.
CREATE OR REPLACE FUNCTION "delete_segments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "transcript_segments" WHERE "meeting_id" = OLD."id";
	DELETE FROM "search_chunks" WHERE "meeting_id" = OLD."id";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "forget_document"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "search_postings" WHERE "document" = OLD."document";
	DELETE FROM "search_speakers" WHERE "document" = OLD."document";
	-- Exists where vectors can be stored.
	IF to_regclass('search_windows') IS NOT NULL THEN
		DELETE FROM "search_windows" WHERE "document" = OLD."document";
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
ALTER TABLE "search_chunks" DROP CONSTRAINT "chunks_leave_with_their_meeting";
