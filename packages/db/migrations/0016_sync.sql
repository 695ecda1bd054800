-- Numbers of transactions, in the order of their ids. `record_start` gives `transaction_base` a higher result after a
-- dump was restored into another cluster, whose ids are lower: see docs/decisions/0160-the-change-feed.md.
CREATE FUNCTION "transaction_base"() RETURNS bigint LANGUAGE sql STABLE RETURN 0::bigint;--> statement-breakpoint
CREATE FUNCTION "transaction_number"() RETURNS bigint LANGUAGE sql STABLE
	RETURN "transaction_base"() + pg_current_xact_id()::text::bigint;--> statement-breakpoint
-- All transactions with a lower number have ended: what they wrote can be read, or never will be.
CREATE FUNCTION "ended_transactions"() RETURNS bigint LANGUAGE sql STABLE
	RETURN "transaction_base"() + pg_snapshot_xmin(pg_current_snapshot())::text::bigint;--> statement-breakpoint
CREATE TABLE "sync_removals" (
	"scope" text NOT NULL,
	"type" text NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"changed_in" bigint NOT NULL,
	"visible_since" bigint NOT NULL,
	"deleted" boolean NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sync_removals_of_scope" PRIMARY KEY("scope","type","id")
);
--> statement-breakpoint
CREATE TABLE "sync_starts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"source" text NOT NULL,
	"number" bigint NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sync_starts_key_unique" UNIQUE("key")
);
--> statement-breakpoint
ALTER TABLE "meetings" ADD COLUMN "created_in" bigint DEFAULT transaction_number() NOT NULL;--> statement-breakpoint
ALTER TABLE "meetings" ADD COLUMN "placed_in" bigint DEFAULT transaction_number() NOT NULL;--> statement-breakpoint
ALTER TABLE "meetings" ADD COLUMN "changed_in" bigint DEFAULT transaction_number() NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "updated_in" bigint;--> statement-breakpoint
ALTER TABLE "meeting_shares" ADD COLUMN "created_in" bigint DEFAULT transaction_number() NOT NULL;--> statement-breakpoint
ALTER TABLE "meeting_tags" ADD COLUMN "created_in" bigint DEFAULT transaction_number() NOT NULL;--> statement-breakpoint
ALTER TABLE "tag_shares" ADD COLUMN "created_in" bigint DEFAULT transaction_number() NOT NULL;--> statement-breakpoint
ALTER TABLE "tags" ADD COLUMN "created_in" bigint DEFAULT transaction_number() NOT NULL;--> statement-breakpoint
ALTER TABLE "tags" ADD COLUMN "changed_in" bigint DEFAULT transaction_number() NOT NULL;--> statement-breakpoint
CREATE INDEX "sync_removals_by_change" ON "sync_removals" USING btree ("scope","type","changed_in","id");--> statement-breakpoint
CREATE INDEX "sync_removals_by_age" ON "sync_removals" USING btree ("at");--> statement-breakpoint
CREATE INDEX "meetings_of_owner_by_change" ON "meetings" USING btree ("user_id","changed_in","id");--> statement-breakpoint
CREATE INDEX "meetings_of_workspace_by_change" ON "meetings" USING btree ("workspace_id","changed_in","id");--> statement-breakpoint
CREATE INDEX "changed_tasks_of_owner" ON "tasks" USING btree ("user_id","updated_in","meeting_id","id") WHERE updated_in is not null;--> statement-breakpoint
CREATE INDEX "changed_tasks_of_workspace" ON "tasks" USING btree ("workspace_id","updated_in","meeting_id","id") WHERE updated_in is not null;--> statement-breakpoint
CREATE INDEX "meetings_shared_with_user_by_share" ON "meeting_shares" USING btree ("user_id","created_in","meeting_id");--> statement-breakpoint
CREATE INDEX "meetings_of_tag_by_tagging" ON "meeting_tags" USING btree ("tag_id","created_in","meeting_id");
--> statement-breakpoint
CREATE FUNCTION "record_start"() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	here text := (SELECT "system_identifier"::text FROM pg_control_system())
		|| '.' || (SELECT "oid"::text FROM pg_database WHERE "datname" = current_database())
		|| '.' || 'sync_starts'::regclass::oid::text;
BEGIN
	LOCK TABLE "sync_starts" IN SHARE ROW EXCLUSIVE MODE;
	IF EXISTS (SELECT FROM "sync_starts" WHERE "source" <> here) THEN
		DELETE FROM "sync_starts";
		-- More than a cluster has transactions in its life.
		EXECUTE format('CREATE OR REPLACE FUNCTION "transaction_base"() RETURNS bigint LANGUAGE sql STABLE RETURN %s::bigint',
			"transaction_base"() + 1099511627776);
	END IF;
	INSERT INTO "sync_starts" ("key", "source", "number")
		VALUES (left(replace(gen_random_uuid()::text, '-', ''), 12), here, "transaction_number"());
END $$;--> statement-breakpoint
-- Wakes callers who wait for changes of these scopes, once this transaction can be read.
CREATE FUNCTION "notify_change"(VARIADIC "scopes" text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('minutes_changes', "transaction_number"() || ' ' || array_to_string("scopes", ' '));
END $$;--> statement-breakpoint
CREATE FUNCTION "note_removal"("in_scope" text, "of_type" text, "of_id" text, "since" bigint, "is_deleted" boolean)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "sync_removals" AS r ("scope", "type", "id", "changed_in", "visible_since", "deleted")
		VALUES ("in_scope", "of_type", "of_id", "transaction_number"(), "since", "is_deleted")
	ON CONFLICT ("scope", "type", "id") DO UPDATE SET
		"changed_in" = EXCLUDED."changed_in",
		"visible_since" = least(r."visible_since", EXCLUDED."visible_since"),
		"deleted" = EXCLUDED."deleted",
		"at" = EXCLUDED."at";
END $$;--> statement-breakpoint
CREATE FUNCTION "note_meeting_change"() RETURNS trigger LANGUAGE plpgsql AS $$
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
	PERFORM "notify_change"('workspace:' || NEW."workspace_id", 'user:' || NEW."user_id");
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "note_meeting_change" BEFORE INSERT OR UPDATE OR DELETE ON "meetings"
	FOR EACH ROW EXECUTE FUNCTION "note_meeting_change"();--> statement-breakpoint
-- Any update of a meeting gives it the number of its transaction.
CREATE FUNCTION "touch_meetings"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	CASE TG_TABLE_NAME
		WHEN 'summaries' THEN
			UPDATE "meetings" SET "changed_in" = 0 WHERE "id" = NEW."meeting_id";
		WHEN 'users' THEN
			UPDATE "meetings" SET "changed_in" = 0 WHERE "user_id" = NEW."id";
		WHEN 'tags' THEN
			UPDATE "meetings" SET "changed_in" = 0
				WHERE "id" IN (SELECT "meeting_id" FROM "meeting_tags" WHERE "tag_id" = NEW."id");
	END CASE;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "touch_meeting_of_summary" AFTER UPDATE ON "summaries"
	FOR EACH ROW EXECUTE FUNCTION "touch_meetings"();--> statement-breakpoint
CREATE TRIGGER "touch_meetings_of_user" AFTER UPDATE ON "users"
	FOR EACH ROW WHEN (OLD."email" <> NEW."email") EXECUTE FUNCTION "touch_meetings"();--> statement-breakpoint
CREATE TRIGGER "touch_meetings_of_tag" AFTER UPDATE ON "tags"
	FOR EACH ROW WHEN (OLD."name" <> NEW."name" OR OLD."color" <> NEW."color") EXECUTE FUNCTION "touch_meetings"();--> statement-breakpoint
CREATE FUNCTION "note_task_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."updated_in" := "transaction_number"();
	PERFORM pg_notify('minutes_changes', NEW."updated_in" || ' workspace:' || NEW."workspace_id" || ' user:' || NEW."user_id");
	RETURN NEW;
END $$;--> statement-breakpoint
-- A task that moves with its owner is sent with its meeting.
CREATE TRIGGER "note_task_update" BEFORE UPDATE ON "tasks"
	FOR EACH ROW WHEN (OLD."workspace_id" = NEW."workspace_id") EXECUTE FUNCTION "note_task_update"();--> statement-breakpoint
CREATE FUNCTION "note_task_deletion"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "sync_removals" ("scope", "type", "id", "changed_in", "visible_since", "deleted")
		SELECT 'meeting:' || "meeting_id", 'task', "id", "transaction_number"(), 0, true FROM "gone"
	ON CONFLICT DO NOTHING;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "note_task_deletion" AFTER DELETE ON "tasks" REFERENCING OLD TABLE AS "gone"
	FOR EACH STATEMENT EXECUTE FUNCTION "note_task_deletion"();--> statement-breakpoint
CREATE FUNCTION "note_meeting_share"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		PERFORM "note_removal"('user:' || OLD."user_id", 'meeting', OLD."meeting_id", OLD."created_in",
			NOT EXISTS (SELECT FROM "meetings" WHERE "id" = OLD."meeting_id"));
		PERFORM "notify_change"('user:' || OLD."user_id");
	ELSE
		PERFORM "notify_change"('user:' || NEW."user_id");
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "note_meeting_share" AFTER INSERT OR DELETE ON "meeting_shares"
	FOR EACH ROW EXECUTE FUNCTION "note_meeting_share"();--> statement-breakpoint
CREATE FUNCTION "note_meeting_tag"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		UPDATE "meetings" SET "changed_in" = 0 WHERE "id" = OLD."meeting_id";
		PERFORM "note_removal"('tag:' || OLD."tag_id", 'meeting', OLD."meeting_id", OLD."created_in", NOT FOUND);
	ELSE
		UPDATE "meetings" SET "changed_in" = 0
			WHERE "id" = NEW."meeting_id" AND "changed_in" <> "transaction_number"();
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "note_meeting_tag" AFTER INSERT OR DELETE ON "meeting_tags"
	FOR EACH ROW EXECUTE FUNCTION "note_meeting_tag"();--> statement-breakpoint
CREATE FUNCTION "note_tag_share"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		PERFORM "note_removal"('user:' || OLD."user_id", 'tag', OLD."tag_id", OLD."created_in",
			NOT EXISTS (SELECT FROM "tags" WHERE "id" = OLD."tag_id"));
		PERFORM "notify_change"('user:' || OLD."user_id");
	ELSE
		PERFORM "notify_change"('user:' || NEW."user_id");
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "note_tag_share" AFTER INSERT OR DELETE ON "tag_shares"
	FOR EACH ROW EXECUTE FUNCTION "note_tag_share"();--> statement-breakpoint
CREATE FUNCTION "note_tag_change"() RETURNS trigger LANGUAGE plpgsql AS $$
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
	PERFORM "notify_change"('user:' || NEW."user_id");
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "note_tag_change" BEFORE INSERT OR UPDATE OR DELETE ON "tags"
	FOR EACH ROW EXECUTE FUNCTION "note_tag_change"();--> statement-breakpoint
CREATE FUNCTION "forget_removals"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "sync_removals" WHERE "scope" = TG_ARGV[0] || OLD."id";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "forget_removals_of_user" AFTER DELETE ON "users"
	FOR EACH ROW EXECUTE FUNCTION "forget_removals"('user:');--> statement-breakpoint
CREATE TRIGGER "forget_removals_of_workspace" AFTER DELETE ON "workspaces"
	FOR EACH ROW EXECUTE FUNCTION "forget_removals"('workspace:');
