CREATE TABLE "search_changes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_learning" (
	"workspace_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"generation" integer NOT NULL,
	"leased_until" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "search_documents" ADD COLUMN "space" text;--> statement-breakpoint
ALTER TABLE "search_documents" ADD COLUMN "leased_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "search_learning" ADD CONSTRAINT "search_learning_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE FUNCTION "note_search_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_TABLE_NAME = 'search_documents' THEN
		INSERT INTO "search_changes" ("workspace_id") SELECT "workspace_id" FROM "meetings" WHERE "id" = NEW."meeting_id";
	ELSE
		INSERT INTO "search_changes" ("workspace_id") VALUES (OLD."workspace_id");
		IF TG_OP = 'UPDATE' THEN
			INSERT INTO "search_changes" ("workspace_id") VALUES (NEW."workspace_id");
		END IF;
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "learning_follows_new_meetings" AFTER INSERT ON "search_documents" FOR EACH ROW EXECUTE FUNCTION "note_search_change"();--> statement-breakpoint
CREATE TRIGGER "learning_forgets_deleted_meetings" AFTER DELETE ON "meetings" FOR EACH ROW EXECUTE FUNCTION "note_search_change"();--> statement-breakpoint
CREATE TRIGGER "learning_follows_moved_meetings" AFTER UPDATE OF "workspace_id" ON "meetings" FOR EACH ROW WHEN (OLD."workspace_id" <> NEW."workspace_id") EXECUTE FUNCTION "note_search_change"();
