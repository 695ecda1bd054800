CREATE TABLE "kept_audio" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"meeting_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"format" text NOT NULL,
	"size" integer NOT NULL,
	"seconds" double precision,
	"file_key" "bytea" NOT NULL,
	"secret_key_id" text NOT NULL,
	"ready" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "audio_of_meeting" UNIQUE("meeting_id")
);
--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "audio_days" integer;--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "audio_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "kept_audio" ADD CONSTRAINT "kept_audio_meeting_id_recordings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."recordings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kept_audio" ADD CONSTRAINT "audio_of_member" FOREIGN KEY ("user_id","workspace_id") REFERENCES "public"."members"("user_id","workspace_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "audio_of_user" ON "kept_audio" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "audio_of_workspace" ON "kept_audio" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "audio_by_expiry" ON "kept_audio" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "unfinished_audio" ON "kept_audio" USING btree ("created_at") WHERE not ready;
--> statement-breakpoint
CREATE FUNCTION delete_kept_audio() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	DELETE FROM "kept_audio" WHERE "meeting_id" = OLD."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER audio_leaves_with_its_meeting AFTER DELETE ON "meetings" FOR EACH ROW EXECUTE FUNCTION delete_kept_audio();
--> statement-breakpoint
CREATE TRIGGER audio_stays_in_its_workspace AFTER UPDATE ON "meetings" FOR EACH ROW WHEN (((old.workspace_id <> new.workspace_id) OR (old.user_id <> new.user_id))) EXECUTE FUNCTION delete_kept_audio();
