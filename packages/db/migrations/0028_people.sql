CREATE TABLE "people" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"organisation" text,
	"merged_into" text COLLATE "C",
	"revision" integer DEFAULT 0 NOT NULL,
	"settled_revision" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"changed_in" bigint DEFAULT transaction_number() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "people_work" (
	"meeting_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "person_emails" (
	"workspace_id" text COLLATE "C" NOT NULL,
	"email" text NOT NULL,
	"person_id" text COLLATE "C" NOT NULL,
	CONSTRAINT "person_emails_of_workspace" PRIMARY KEY("workspace_id","email"),
	CONSTRAINT "person_emails_are_lower_case" CHECK ("person_emails"."email" = lower("person_emails"."email"))
);
--> statement-breakpoint
ALTER TABLE "participants" ADD COLUMN "person_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "participants" ADD COLUMN "person_revision" integer;--> statement-breakpoint
ALTER TABLE "participants" ADD COLUMN "named" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "assignee_person_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "people" ADD CONSTRAINT "people_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "people_work" ADD CONSTRAINT "people_work_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "person_emails" ADD CONSTRAINT "person_emails_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "person_emails" ADD CONSTRAINT "person_emails_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "people_of_workspace" ON "people" USING btree ("workspace_id","name","id");--> statement-breakpoint
CREATE INDEX "duplicates_of_person" ON "people" USING btree ("merged_into") WHERE merged_into is not null;--> statement-breakpoint
CREATE INDEX "people_to_settle" ON "people" USING btree ("id") WHERE settled_revision < revision;--> statement-breakpoint
CREATE INDEX "emails_of_person" ON "person_emails" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "participants_of_person" ON "participants" USING btree ("person_id","meeting_id");--> statement-breakpoint
CREATE INDEX "participants_without_person" ON "participants" USING btree ("meeting_id") WHERE person_id is null;--> statement-breakpoint
CREATE INDEX "tasks_of_person" ON "tasks" USING btree ("assignee_person_id","meeting_id") WHERE assignee_person_id is not null;--> statement-breakpoint
CREATE INDEX "tasks_without_person" ON "tasks" USING btree ("meeting_id") WHERE assignee_person_id is null and (assignee_id is not null or assignee_email is not null);--> statement-breakpoint
-- A process of the previous release that assigns a task to somebody else doesn't know the person: they are identified in the
-- background.
CREATE FUNCTION "clear_assignee_person"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."assignee_person_id" := NULL;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "clear_assignee_person" BEFORE UPDATE ON "tasks"
	FOR EACH ROW WHEN (OLD."assignee_person_id" = NEW."assignee_person_id" AND (
		OLD."assignee_id" IS DISTINCT FROM NEW."assignee_id"
		OR (NEW."assignee_id" IS NULL AND lower(OLD."assignee_email") IS DISTINCT FROM lower(NEW."assignee_email"))))
	EXECUTE FUNCTION "clear_assignee_person"();--> statement-breakpoint
CREATE FUNCTION "queue_people_work"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "people_work" ("meeting_id") VALUES (NEW."id") ON CONFLICT DO NOTHING;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "queue_people_work" AFTER UPDATE ON "meetings"
	FOR EACH ROW WHEN (OLD."workspace_id" <> NEW."workspace_id") EXECUTE FUNCTION "queue_people_work"();--> statement-breakpoint
-- Deletes people who have no meeting any more, with their duplicates. Those whom an import is just using stay, and the hourly
-- job deletes them. The second statement sees what was committed until the rows were locked.
CREATE FUNCTION "forget_people"("ids" text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	heads text[];
	locked text[];
BEGIN
	heads := ARRAY(SELECT DISTINCT coalesce(p."merged_into", p."id") FROM "people" p WHERE p."id" = ANY ("ids"));
	IF heads = '{}' THEN
		RETURN;
	END IF;
	locked := ARRAY(SELECT p."id" FROM "people" p WHERE p."id" = ANY (heads) OR p."merged_into" = ANY (heads)
		ORDER BY p."id" FOR UPDATE SKIP LOCKED);
	DELETE FROM "people" p WHERE p."id" = ANY (locked) AND NOT EXISTS (
		SELECT FROM "people" g
		WHERE (g."id" = coalesce(p."merged_into", p."id") OR g."merged_into" = coalesce(p."merged_into", p."id"))
			AND (g."id" <> ALL (locked)
				OR EXISTS (SELECT FROM "participants" s WHERE s."person_id" = g."id")
				OR EXISTS (SELECT FROM "tasks" t WHERE t."assignee_person_id" = g."id")));
END $$;--> statement-breakpoint
-- A meeting that is replaced keeps its people: only those of deleted meetings are forgotten.
CREATE FUNCTION "forget_people_of_meetings"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	left_over text[];
BEGIN
	IF TG_TABLE_NAME = 'participants' THEN
		left_over := ARRAY(SELECT DISTINCT g."person_id" FROM "gone" g
			WHERE g."person_id" IS NOT NULL AND NOT EXISTS (SELECT FROM "meetings" m WHERE m."id" = g."meeting_id"));
	ELSE
		left_over := ARRAY(SELECT DISTINCT g."assignee_person_id" FROM "gone" g
			WHERE g."assignee_person_id" IS NOT NULL);
	END IF;
	PERFORM "forget_people"(left_over);
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "forget_people" AFTER DELETE ON "participants" REFERENCING OLD TABLE AS "gone"
	FOR EACH STATEMENT EXECUTE FUNCTION "forget_people_of_meetings"();--> statement-breakpoint
CREATE TRIGGER "forget_people" AFTER DELETE ON "tasks" REFERENCING OLD TABLE AS "gone"
	FOR EACH STATEMENT EXECUTE FUNCTION "forget_people_of_meetings"();--> statement-breakpoint
CREATE FUNCTION "note_person_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."changed_in" := "transaction_number"();
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "note_person_change" BEFORE UPDATE ON "people"
	FOR EACH ROW WHEN ((OLD."name", OLD."organisation", OLD."merged_into")
		IS DISTINCT FROM (NEW."name", NEW."organisation", NEW."merged_into"))
	EXECUTE FUNCTION "note_person_change"();
