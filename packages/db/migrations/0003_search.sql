CREATE TABLE "search_changes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"gone" boolean DEFAULT false NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_documents" (
	"meeting_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"document" integer GENERATED ALWAYS AS IDENTITY (sequence name "search_documents_document_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"chunks" smallint NOT NULL,
	"language" text NOT NULL,
	"version" smallint NOT NULL,
	"space" text,
	"leased_until" timestamp (3) with time zone,
	CONSTRAINT "documents_by_number" UNIQUE("document")
);
--> statement-breakpoint
CREATE TABLE "search_learning" (
	"workspace_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"generation" integer NOT NULL,
	"attempt" integer NOT NULL,
	"leased_until" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"cost" integer
);
--> statement-breakpoint
CREATE TABLE "search_postings" (
	"document" integer NOT NULL,
	"term" text COLLATE "C" NOT NULL,
	"chunks" smallint NOT NULL,
	"best" smallint NOT NULL,
	"first" smallint NOT NULL,
	"weights" "bytea" NOT NULL,
	"places" integer[] NOT NULL,
	CONSTRAINT "postings_of_document" PRIMARY KEY("document","term")
);
--> statement-breakpoint
CREATE TABLE "search_settings" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"language" text DEFAULT 'english' NOT NULL,
	CONSTRAINT "search_settings_is_one_row" CHECK ("search_settings"."only")
);
--> statement-breakpoint
CREATE TABLE "search_speakers" (
	"document" integer NOT NULL,
	"speaker" smallint NOT NULL,
	"name" text[] NOT NULL,
	"first" smallint NOT NULL,
	"shares" "bytea" NOT NULL,
	CONSTRAINT "speakers_of_document" PRIMARY KEY("document","speaker")
);
--> statement-breakpoint
DROP INDEX "chunks_by_word";--> statement-breakpoint
ALTER TABLE "search_documents" ADD CONSTRAINT "search_documents_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_learning" ADD CONSTRAINT "search_learning_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "documents_by_settings" ON "search_documents" USING btree ("version","language");--> statement-breakpoint
CREATE INDEX "documents_without_vectors" ON "search_documents" USING btree ("document") WHERE "search_documents"."space" is null;--> statement-breakpoint
ALTER TABLE "search_chunks" DROP COLUMN "words";--> statement-breakpoint
INSERT INTO "search_settings" DEFAULT VALUES;--> statement-breakpoint
-- Rows of postings stay in the table's own pages, also those of a long meeting.
ALTER TABLE "search_postings" ALTER COLUMN "weights" SET STORAGE MAIN, ALTER COLUMN "places" SET STORAGE MAIN;--> statement-breakpoint
ALTER TABLE "search_postings" SET (toast_tuple_target = 8160);--> statement-breakpoint
CREATE FUNCTION "forget_document"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "search_postings" WHERE "document" = OLD."document";
	DELETE FROM "search_speakers" WHERE "document" = OLD."document";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "postings_leave_with_their_document" AFTER DELETE ON "search_documents" FOR EACH ROW EXECUTE FUNCTION "forget_document"();--> statement-breakpoint
CREATE FUNCTION "note_search_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_TABLE_NAME = 'search_documents' THEN
		INSERT INTO "search_changes" ("workspace_id") SELECT "workspace_id" FROM "meetings" WHERE "id" = NEW."meeting_id";
	ELSE
		INSERT INTO "search_changes" ("workspace_id", "gone") VALUES (OLD."workspace_id", true);
		IF TG_OP = 'UPDATE' THEN
			INSERT INTO "search_changes" ("workspace_id") VALUES (NEW."workspace_id");
		END IF;
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "learning_follows_new_meetings" AFTER INSERT ON "search_documents" FOR EACH ROW EXECUTE FUNCTION "note_search_change"();--> statement-breakpoint
CREATE TRIGGER "learning_forgets_deleted_meetings" AFTER DELETE ON "meetings" FOR EACH ROW EXECUTE FUNCTION "note_search_change"();--> statement-breakpoint
CREATE TRIGGER "learning_follows_moved_meetings" AFTER UPDATE OF "workspace_id" ON "meetings" FOR EACH ROW WHEN (OLD."workspace_id" <> NEW."workspace_id") EXECUTE FUNCTION "note_search_change"();
