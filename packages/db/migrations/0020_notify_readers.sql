CREATE TABLE "sync_waits" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
-- Wakes callers who wait for changes of these scopes, once this transaction can be read. It has its number before it looks
-- whether somebody waits: who begins to wait meanwhile awaits all transactions that have numbers.
CREATE OR REPLACE FUNCTION "notify_change"(VARIADIC "scopes" text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	number bigint := "transaction_number"();
BEGIN
	IF EXISTS (SELECT FROM "sync_waits" WHERE "until" > statement_timestamp()) THEN
		PERFORM pg_notify('minutes_changes', number || ' ' || array_to_string("scopes", ' '));
	END IF;
END $$;--> statement-breakpoint
-- Notifications name the meeting or tag that changed, so that only those whom it reaches are woken.
CREATE OR REPLACE FUNCTION "note_meeting_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		PERFORM "note_removal"('workspace:' || OLD."workspace_id", 'meeting', OLD."id", OLD."placed_in", true);
		PERFORM "note_removal"('user:' || OLD."user_id", 'meeting', OLD."id", OLD."created_in", true);
		PERFORM "notify_change"('workspace:' || OLD."workspace_id", 'user:' || OLD."user_id");
		RETURN OLD;
	END IF;
	IF TG_OP = 'UPDATE' THEN
		NEW."changed_in" := "transaction_number"();
		IF NEW."workspace_id" <> OLD."workspace_id" THEN
			NEW."placed_in" := NEW."changed_in";
			PERFORM "note_removal"('workspace:' || OLD."workspace_id", 'meeting', OLD."id", OLD."placed_in", false);
			PERFORM "notify_change"('workspace:' || OLD."workspace_id");
		END IF;
	END IF;
	PERFORM "notify_change"('workspace:' || NEW."workspace_id", 'user:' || NEW."user_id", 'meeting:' || NEW."id");
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "note_task_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."updated_in" := "transaction_number"();
	PERFORM "notify_change"('workspace:' || NEW."workspace_id", 'user:' || NEW."user_id", 'meeting:' || NEW."meeting_id");
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "note_meeting_tag"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		UPDATE "meetings" SET "changed_in" = 0 WHERE "id" = OLD."meeting_id";
		PERFORM "note_removal"('tag:' || OLD."tag_id", 'meeting', OLD."meeting_id", OLD."created_in", NOT FOUND);
		PERFORM "notify_change"('tag:' || OLD."tag_id");
	ELSE
		UPDATE "meetings" SET "changed_in" = 0
			WHERE "id" = NEW."meeting_id" AND "changed_in" <> "transaction_number"();
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "note_tag_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		PERFORM "note_removal"('user:' || OLD."user_id", 'tag', OLD."id", OLD."created_in", true);
		PERFORM "notify_change"('user:' || OLD."user_id");
		RETURN OLD;
	END IF;
	IF TG_OP = 'UPDATE' THEN
		IF NEW."name" = OLD."name" AND NEW."color" = OLD."color" THEN
			RETURN NEW;
		END IF;
		NEW."changed_in" := "transaction_number"();
	END IF;
	PERFORM "notify_change"('user:' || NEW."user_id", 'tag:' || NEW."id");
	RETURN NEW;
END $$;
