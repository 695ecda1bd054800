CREATE TABLE "public_links" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"hash" "bytea" NOT NULL,
	"meeting_id" text COLLATE "C" NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"scope" text NOT NULL,
	"masks_names" boolean NOT NULL,
	"password_hash" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"views" integer DEFAULT 0 NOT NULL,
	"last_viewed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "public_links" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "public_links" ADD CONSTRAINT "public_links_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "public_links" ADD CONSTRAINT "public_links_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "public_links_by_hash" ON "public_links" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "public_links_of_meeting" ON "public_links" USING btree ("meeting_id");--> statement-breakpoint
CREATE INDEX "public_links_of_workspace" ON "public_links" USING btree ("workspace_id","created_at");--> statement-breakpoint
CREATE INDEX "public_links_by_expiry" ON "public_links" USING btree ("expires_at");
--> statement-breakpoint
CREATE FUNCTION end_public_links() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	IF TG_TABLE_NAME = 'meetings' THEN
		DELETE FROM "public_links" WHERE "meeting_id" = NEW."id";
	ELSE
		DELETE FROM "public_links" WHERE "meeting_id" = NEW."meeting_id";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER end_public_links AFTER UPDATE ON "meetings" FOR EACH ROW WHEN (((old.workspace_id <> new.workspace_id) OR (old.user_id <> new.user_id))) EXECUTE FUNCTION end_public_links();
--> statement-breakpoint
CREATE TRIGGER end_public_links AFTER INSERT OR UPDATE ON "summaries" FOR EACH ROW WHEN ((new.locked)) EXECUTE FUNCTION end_public_links();
