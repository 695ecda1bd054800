ALTER TABLE "transcript_segments" DROP CONSTRAINT "transcript_segments_meeting_id_meetings_id_fk";
--> statement-breakpoint
ALTER TABLE "transcript_segments" DROP CONSTRAINT "segments_have_a_speaker";
--> statement-breakpoint
CREATE FUNCTION "delete_segments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "transcript_segments" WHERE "meeting_id" = OLD."id";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "segments_leave_with_their_meeting" AFTER DELETE ON "meetings" FOR EACH ROW EXECUTE FUNCTION "delete_segments"();
