CREATE FUNCTION clear_assignee_person() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	NEW."assignee_person_id" := NULL;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION delete_segments() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	DELETE FROM "transcript_segments" WHERE "meeting_id" = OLD."id";
	DELETE FROM "search_chunks" WHERE "meeting_id" = OLD."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION transaction_base() RETURNS bigint
    LANGUAGE sql STABLE
    RETURN (0)::bigint;
--> statement-breakpoint
CREATE FUNCTION ended_transactions() RETURNS bigint
    LANGUAGE sql STABLE
    RETURN (transaction_base() + ((pg_snapshot_xmin(pg_current_snapshot()))::text)::bigint);
--> statement-breakpoint
CREATE FUNCTION forget_document() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	DELETE FROM "search_postings" WHERE "document" = OLD."document";
	DELETE FROM "search_speakers" WHERE "document" = OLD."document";
	-- Exists where vectors can be stored.
	IF to_regclass('search_windows') IS NOT NULL THEN
		DELETE FROM "search_windows" WHERE "document" = OLD."document";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION forget_notes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	DELETE FROM "search_documents" WHERE "meeting_id" = OLD."meeting_id" AND "first_chunk" > 0;
	DELETE FROM "search_chunks" WHERE "meeting_id" = OLD."meeting_id" AND "position" >= 16384;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION forget_people(ids text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
END $$;
--> statement-breakpoint
CREATE FUNCTION forget_people_of_meetings() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
END $$;
--> statement-breakpoint
CREATE FUNCTION forget_removals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	DELETE FROM "sync_removals" WHERE "scope" = TG_ARGV[0] || OLD."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION note_meeting_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
END $$;
--> statement-breakpoint
CREATE FUNCTION note_meeting_share() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		PERFORM "note_removal"('user:' || OLD."user_id", 'meeting', OLD."meeting_id", OLD."created_in",
			NOT EXISTS (SELECT FROM "meetings" WHERE "id" = OLD."meeting_id"));
		PERFORM "notify_change"('user:' || OLD."user_id");
	ELSE
		PERFORM "notify_change"('user:' || NEW."user_id");
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION note_meeting_tag() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
END $$;
--> statement-breakpoint
CREATE FUNCTION note_person_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	NEW."changed_in" := "transaction_number"();
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION note_removal(in_scope text, of_type text, of_id text, since bigint, is_deleted boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
	INSERT INTO "sync_removals" AS r ("scope", "type", "id", "changed_in", "visible", "deleted")
		VALUES ("in_scope", "of_type", "of_id", "transaction_number"(),
			int8multirange(int8range(least("since", "transaction_number"()), "transaction_number"())), "is_deleted")
	ON CONFLICT ("scope", "type", "id") DO UPDATE SET
		"changed_in" = EXCLUDED."changed_in",
		"visible" = r."visible" + EXCLUDED."visible",
		"deleted" = EXCLUDED."deleted",
		"at" = EXCLUDED."at";
END $$;
--> statement-breakpoint
CREATE FUNCTION note_tag_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
--> statement-breakpoint
CREATE FUNCTION note_tag_share() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		PERFORM "note_removal"('user:' || OLD."user_id", 'tag', OLD."tag_id", OLD."created_in",
			NOT EXISTS (SELECT FROM "tags" WHERE "id" = OLD."tag_id"));
		PERFORM "notify_change"('user:' || OLD."user_id");
	ELSE
		PERFORM "notify_change"('user:' || NEW."user_id");
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION note_task_deletion() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
	number bigint := "transaction_number"();
BEGIN
	INSERT INTO "sync_removals" ("scope", "type", "id", "changed_in", "visible", "deleted")
		SELECT 'meeting:' || g."meeting_id", 'task', g."id", number,
			CASE WHEN m."id" IS NULL THEN int8multirange(int8range(g."created_in", NULL))
				ELSE int8multirange(int8range(least(coalesce(g."created_in", m."created_in"), number), number)) END,
			true
		FROM "gone" g LEFT JOIN "meetings" m ON m."id" = g."meeting_id"
	ON CONFLICT DO NOTHING;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION note_task_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	NEW."updated_in" := "transaction_number"();
	PERFORM "notify_change"('workspace:' || NEW."workspace_id", 'user:' || NEW."user_id", 'meeting:' || NEW."meeting_id");
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION notify_change(VARIADIC scopes text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
	number bigint := "transaction_number"();
BEGIN
	IF EXISTS (SELECT FROM "sync_waits" WHERE "until" > statement_timestamp()) THEN
		PERFORM pg_notify('minutes_changes', number || ' ' || array_to_string("scopes", ' '));
	END IF;
END $$;
--> statement-breakpoint
CREATE FUNCTION queue_people_work() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	INSERT INTO "people_work" ("meeting_id") VALUES (NEW."id") ON CONFLICT DO NOTHING;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION record_start() RETURNS void
    LANGUAGE plpgsql
    AS $$
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
END $$;
--> statement-breakpoint
CREATE FUNCTION touch_meetings() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
END $$;
--> statement-breakpoint
CREATE FUNCTION transaction_number() RETURNS bigint
    LANGUAGE sql STABLE
    RETURN (transaction_base() + ((pg_current_xact_id())::text)::bigint);
--> statement-breakpoint
CREATE TABLE api_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    user_id text COLLATE pg_catalog."C",
    workspace_id text COLLATE pg_catalog."C",
    name text NOT NULL,
    hash bytea NOT NULL,
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone,
    disabled_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    created_by text COLLATE pg_catalog."C",
    access text DEFAULT 'full'::text NOT NULL,
    expires_at timestamp(3) with time zone,
    expiry_mail_at timestamp(3) with time zone,
    CONSTRAINT api_keys_have_one_holder CHECK ((((kind = 'personal'::text) = (user_id IS NOT NULL)) AND ((kind = 'workspace'::text) = (workspace_id IS NOT NULL))))
);
--> statement-breakpoint
CREATE TABLE attempts (
    delivery_id bigint NOT NULL,
    number integer NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    milliseconds integer NOT NULL,
    status integer,
    error text
);
--> statement-breakpoint
CREATE TABLE audit_log (
    id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL,
    object text NOT NULL COLLATE pg_catalog."C",
    workspace_id text COLLATE pg_catalog."C",
    shown_in text COLLATE pg_catalog."C",
    method text,
    network text
);
--> statement-breakpoint
CREATE SEQUENCE audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
--> statement-breakpoint
ALTER SEQUENCE audit_log_id_seq OWNED BY audit_log.id;
--> statement-breakpoint
CREATE TABLE calendar_attendees (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    response_status text,
    organizer boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE calendar_events (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    external_id text,
    title text,
    scheduled_time timestamp(3) with time zone,
    end_time timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE company_accounts (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    issuer text NOT NULL,
    subject text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE credit_charges (
    recording_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    month date NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE SEQUENCE delivery_numbers
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 4194303
    CACHE 1
    CYCLE;
--> statement-breakpoint
CREATE TABLE deliveries (
    id bigint DEFAULT (((((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint - '1735689600000'::bigint) << 22) | nextval('delivery_numbers'::regclass)) NOT NULL,
    webhook_id text NOT NULL COLLATE pg_catalog."C",
    event_id bigint,
    meeting_id text COLLATE pg_catalog."C",
    state text DEFAULT 'pending'::text NOT NULL,
    due_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    round integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finished_at timestamp(3) with time zone,
    event text DEFAULT 'meeting.completed'::text NOT NULL
);
--> statement-breakpoint
CREATE TABLE erased_recordings (
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    hash bytea NOT NULL
);
--> statement-breakpoint
CREATE TABLE idempotency_keys (
    hash bytea NOT NULL,
    user_id text COLLATE pg_catalog."C",
    workspace_id text COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    claim text NOT NULL COLLATE pg_catalog."C",
    answer text,
    leased_until timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE ingest_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    hash bytea NOT NULL,
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    created_by text COLLATE pg_catalog."C",
    disabled_at timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE invitations (
    id text NOT NULL COLLATE pg_catalog."C",
    hash bytea NOT NULL,
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    email text,
    role text NOT NULL,
    created_by text COLLATE pg_catalog."C",
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    mailed boolean DEFAULT false NOT NULL,
    "returning" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE known_browsers (
    hash bytea NOT NULL,
    user_id text NOT NULL COLLATE pg_catalog."C",
    expires_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE meeting_holds (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL COLLATE pg_catalog."C"
);
--> statement-breakpoint
CREATE TABLE meeting_shares (
    user_id text NOT NULL COLLATE pg_catalog."C",
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    owner_id text NOT NULL COLLATE pg_catalog."C",
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    start_time timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_in bigint DEFAULT transaction_number() NOT NULL,
    CONSTRAINT meeting_share_is_with_another CHECK ((user_id <> owner_id))
);
--> statement-breakpoint
CREATE TABLE meeting_tags (
    tag_id text NOT NULL COLLATE pg_catalog."C",
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    owner_id text NOT NULL COLLATE pg_catalog."C",
    start_time timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_in bigint DEFAULT transaction_number() NOT NULL
);
--> statement-breakpoint
CREATE TABLE meeting_version_contents (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    field text NOT NULL COLLATE pg_catalog."C",
    content text
);
--> statement-breakpoint
CREATE TABLE meeting_versions (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL,
    fields text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE meetings (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    generated_title text,
    start_time timestamp(3) with time zone NOT NULL,
    end_time timestamp(3) with time zone,
    calendar_event_id text COLLATE pg_catalog."C",
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_in bigint DEFAULT transaction_number() NOT NULL,
    placed_in bigint DEFAULT transaction_number() NOT NULL,
    changed_in bigint DEFAULT transaction_number() NOT NULL
);
--> statement-breakpoint
CREATE TABLE members (
    user_id text NOT NULL COLLATE pg_catalog."C",
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE oauth_clients (
    id text NOT NULL COLLATE pg_catalog."C",
    metadata text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE oauth_grants (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL,
    client_name text NOT NULL,
    client_host text NOT NULL,
    resource text NOT NULL,
    scopes text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE oauth_tokens (
    hash bytea NOT NULL,
    kind text NOT NULL,
    grant_id text COLLATE pg_catalog."C",
    payload text NOT NULL,
    scopes text,
    consumed_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE one_time_links (
    hash bytea NOT NULL,
    purpose text NOT NULL,
    user_id text COLLATE pg_catalog."C",
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT one_time_links_have_a_user CHECK (((purpose <> 'setup'::text) = (user_id IS NOT NULL)))
);
--> statement-breakpoint
CREATE TABLE participants (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    name text NOT NULL,
    email text,
    person_id text COLLATE pg_catalog."C",
    person_revision integer,
    named boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE passkeys (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    name text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE passwords (
    user_id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE people (
    id text NOT NULL COLLATE pg_catalog."C",
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    organisation text,
    merged_into text COLLATE pg_catalog."C",
    revision integer DEFAULT 0 NOT NULL,
    settled_revision integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    changed_in bigint DEFAULT transaction_number() NOT NULL
);
--> statement-breakpoint
CREATE TABLE people_work (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    at timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE person_emails (
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL,
    person_id text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT person_emails_are_lower_case CHECK ((email = lower(email)))
);
--> statement-breakpoint
CREATE UNLOGGED TABLE rate_windows (
    scope text NOT NULL COLLATE pg_catalog."C",
    started_at timestamp(3) with time zone NOT NULL,
    count integer NOT NULL
)
WITH (fillfactor='40');
--> statement-breakpoint
CREATE TABLE recording_drafts (
    recording_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL,
    failure text,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE recordings (
    id text NOT NULL COLLATE pg_catalog."C",
    workspace_id text COLLATE pg_catalog."C",
    external_id text,
    state text NOT NULL,
    content_hash bytea,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    start_hash bytea
);
--> statement-breakpoint
CREATE UNLOGGED TABLE request_counts (
    scope text NOT NULL COLLATE pg_catalog."C",
    minute timestamp(3) with time zone NOT NULL,
    count integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE retention_rules (
    id text NOT NULL COLLATE pg_catalog."C",
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    tag text,
    days integer NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    next_run_at timestamp(3) with time zone NOT NULL,
    position_start timestamp(3) with time zone,
    position_id text COLLATE pg_catalog."C"
);
--> statement-breakpoint
CREATE TABLE search_chunks (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    text text NOT NULL,
    first_turn integer,
    last_turn integer
);
--> statement-breakpoint
CREATE TABLE search_documents (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    document integer NOT NULL,
    chunks smallint NOT NULL,
    language text NOT NULL,
    version smallint NOT NULL,
    space text,
    leased_until timestamp(3) with time zone,
    first_chunk smallint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE search_documents ALTER COLUMN document ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME search_documents_document_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
--> statement-breakpoint
CREATE TABLE search_postings (
    document integer NOT NULL,
    term text NOT NULL COLLATE pg_catalog."C",
    chunks smallint NOT NULL,
    best smallint NOT NULL,
    first smallint NOT NULL,
    weights bytea NOT NULL,
    places integer[] NOT NULL
)
WITH (toast_tuple_target='8160');
--> statement-breakpoint
ALTER TABLE ONLY search_postings ALTER COLUMN weights SET STORAGE MAIN;
--> statement-breakpoint
ALTER TABLE ONLY search_postings ALTER COLUMN places SET STORAGE MAIN;
--> statement-breakpoint
CREATE TABLE search_settings (
    "only" boolean DEFAULT true NOT NULL,
    language text DEFAULT 'english'::text NOT NULL,
    model text,
    space text,
    space_until timestamp(3) with time zone,
    CONSTRAINT search_settings_is_one_row CHECK ("only")
);
--> statement-breakpoint
CREATE TABLE search_speakers (
    document integer NOT NULL,
    speaker smallint NOT NULL,
    name text[] NOT NULL,
    first smallint NOT NULL,
    shares bytea NOT NULL
);
--> statement-breakpoint
CREATE TABLE sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    hash bytea NOT NULL,
    label text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    idle_seconds integer,
    expires_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE sign_in_attempts (
    key text NOT NULL,
    failures integer NOT NULL,
    blocked_until timestamp(3) with time zone NOT NULL,
    last_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE sign_in_challenges (
    hash bytea NOT NULL,
    purpose text NOT NULL,
    user_id text COLLATE pg_catalog."C",
    expires_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE summaries (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    markdown text NOT NULL,
    html text NOT NULL,
    short text NOT NULL,
    locked boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE sync_removals (
    scope text NOT NULL,
    type text NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    changed_in bigint NOT NULL,
    deleted boolean NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    visible int8multirange NOT NULL
);
--> statement-breakpoint
CREATE TABLE sync_starts (
    id bigint NOT NULL,
    key text NOT NULL,
    source text NOT NULL,
    number bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE SEQUENCE sync_starts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
--> statement-breakpoint
ALTER SEQUENCE sync_starts_id_seq OWNED BY sync_starts.id;
--> statement-breakpoint
CREATE TABLE sync_waits (
    "only" boolean DEFAULT true NOT NULL,
    until timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE tag_shares (
    user_id text NOT NULL COLLATE pg_catalog."C",
    tag_id text NOT NULL COLLATE pg_catalog."C",
    owner_id text NOT NULL COLLATE pg_catalog."C",
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_in bigint DEFAULT transaction_number() NOT NULL,
    CONSTRAINT tag_share_is_with_another CHECK ((user_id <> owner_id))
);
--> statement-breakpoint
CREATE TABLE tags (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    color text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_in bigint DEFAULT transaction_number() NOT NULL,
    changed_in bigint DEFAULT transaction_number() NOT NULL,
    CONSTRAINT tags_color_is_hex CHECK ((color ~ '^#[0-9A-Fa-f]{6}$'::text))
);
--> statement-breakpoint
CREATE TABLE tasks (
    id text NOT NULL COLLATE pg_catalog."C",
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    workspace_id text NOT NULL COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    text text NOT NULL,
    completed boolean DEFAULT false NOT NULL,
    assignee_id text COLLATE pg_catalog."C",
    assignee_name text,
    assignee_email text,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_in bigint,
    created_in bigint,
    assignee_person_id text COLLATE pg_catalog."C",
    due_on date
);
--> statement-breakpoint
CREATE TABLE transcript_segments (
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    speaker_id text NOT NULL COLLATE pg_catalog."C",
    text text NOT NULL,
    start_seconds double precision,
    end_seconds double precision
);
--> statement-breakpoint
CREATE TABLE users (
    id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL,
    name text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    email_confirmed boolean DEFAULT true NOT NULL,
    CONSTRAINT users_email_is_lower_case CHECK ((email = lower(email)))
);
--> statement-breakpoint
CREATE TABLE vocabulary_terms (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text COLLATE pg_catalog."C",
    workspace_id text COLLATE pg_catalog."C",
    term text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT vocabulary_has_one_holder CHECK (((user_id IS NULL) <> (workspace_id IS NULL)))
);
--> statement-breakpoint
CREATE TABLE webhook_events (
    id bigint NOT NULL,
    meeting_id text COLLATE pg_catalog."C",
    data text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    event text DEFAULT 'meeting.completed'::text NOT NULL,
    subjects text[]
);
--> statement-breakpoint
ALTER TABLE webhook_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME webhook_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
--> statement-breakpoint
CREATE TABLE webhook_old_secrets (
    id bigint NOT NULL,
    webhook_id text NOT NULL COLLATE pg_catalog."C",
    secret_key_id text NOT NULL,
    secret bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE webhook_old_secrets ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME webhook_old_secrets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
--> statement-breakpoint
CREATE TABLE webhooks (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    user_id text COLLATE pg_catalog."C",
    workspace_id text COLLATE pg_catalog."C",
    name text NOT NULL,
    url text NOT NULL,
    method text NOT NULL,
    header_name text,
    secret_key_id text,
    secret bytea,
    failure_mail_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    disabled_at timestamp(3) with time zone,
    deleted_at timestamp(3) with time zone,
    created_by text COLLATE pg_catalog."C",
    header_prefix text,
    events text[] DEFAULT '{meeting.completed}'::text[] NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp(3) with time zone,
    paused_at timestamp(3) with time zone,
    pause_mail_at timestamp(3) with time zone,
    CONSTRAINT webhooks_have_one_holder CHECK ((((kind = 'personal'::text) = (user_id IS NOT NULL)) AND ((kind = 'workspace'::text) = (workspace_id IS NOT NULL)))),
    CONSTRAINT webhooks_keep_a_secret CHECK ((((secret IS NULL) = (deleted_at IS NOT NULL)) AND ((secret_key_id IS NULL) = (secret IS NULL))))
);
--> statement-breakpoint
CREATE TABLE workspaces (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    plan text DEFAULT 'free'::text NOT NULL,
    owner_id text COLLATE pg_catalog."C",
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE ONLY audit_log ALTER COLUMN id SET DEFAULT nextval('audit_log_id_seq'::regclass);
--> statement-breakpoint
ALTER TABLE ONLY sync_starts ALTER COLUMN id SET DEFAULT nextval('sync_starts_id_seq'::regclass);
--> statement-breakpoint
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY attempts
    ADD CONSTRAINT attempts_of_delivery PRIMARY KEY (delivery_id, number);
--> statement-breakpoint
ALTER TABLE ONLY calendar_attendees
    ADD CONSTRAINT attendees_of_event PRIMARY KEY (meeting_id, "position");
--> statement-breakpoint
ALTER TABLE ONLY audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY calendar_events
    ADD CONSTRAINT calendar_events_pkey PRIMARY KEY (meeting_id);
--> statement-breakpoint
ALTER TABLE ONLY search_chunks
    ADD CONSTRAINT chunks_of_meeting PRIMARY KEY (meeting_id, "position");
--> statement-breakpoint
ALTER TABLE ONLY company_accounts
    ADD CONSTRAINT company_accounts_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY meeting_version_contents
    ADD CONSTRAINT contents_of_version PRIMARY KEY (meeting_id, version, field);
--> statement-breakpoint
ALTER TABLE ONLY credit_charges
    ADD CONSTRAINT credit_charges_pkey PRIMARY KEY (recording_id);
--> statement-breakpoint
ALTER TABLE ONLY deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY search_documents
    ADD CONSTRAINT documents_by_number UNIQUE (document);
--> statement-breakpoint
ALTER TABLE ONLY search_documents
    ADD CONSTRAINT documents_of_meeting PRIMARY KEY (meeting_id, first_chunk);
--> statement-breakpoint
ALTER TABLE ONLY erased_recordings
    ADD CONSTRAINT erased_recordings_of_workspace PRIMARY KEY (workspace_id, hash);
--> statement-breakpoint
ALTER TABLE ONLY idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (hash);
--> statement-breakpoint
ALTER TABLE ONLY ingest_keys
    ADD CONSTRAINT ingest_keys_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY known_browsers
    ADD CONSTRAINT known_browsers_hash_user_id_pk PRIMARY KEY (hash, user_id);
--> statement-breakpoint
ALTER TABLE ONLY meeting_holds
    ADD CONSTRAINT meeting_holds_pkey PRIMARY KEY (meeting_id);
--> statement-breakpoint
ALTER TABLE ONLY meetings
    ADD CONSTRAINT meetings_identity UNIQUE (id, user_id, start_time);
--> statement-breakpoint
ALTER TABLE ONLY meetings
    ADD CONSTRAINT meetings_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY members
    ADD CONSTRAINT members_pkey PRIMARY KEY (user_id);
--> statement-breakpoint
ALTER TABLE ONLY members
    ADD CONSTRAINT members_place UNIQUE (user_id, workspace_id);
--> statement-breakpoint
ALTER TABLE ONLY oauth_clients
    ADD CONSTRAINT oauth_clients_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY oauth_grants
    ADD CONSTRAINT oauth_grants_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY oauth_tokens
    ADD CONSTRAINT oauth_tokens_pkey PRIMARY KEY (hash);
--> statement-breakpoint
ALTER TABLE ONLY one_time_links
    ADD CONSTRAINT one_time_links_pkey PRIMARY KEY (hash);
--> statement-breakpoint
ALTER TABLE ONLY participants
    ADD CONSTRAINT participants_of_meeting PRIMARY KEY (meeting_id, id);
--> statement-breakpoint
ALTER TABLE ONLY passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY passwords
    ADD CONSTRAINT passwords_pkey PRIMARY KEY (user_id);
--> statement-breakpoint
ALTER TABLE ONLY people
    ADD CONSTRAINT people_identity UNIQUE (workspace_id, id);
--> statement-breakpoint
ALTER TABLE ONLY people
    ADD CONSTRAINT people_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY people_work
    ADD CONSTRAINT people_work_pkey PRIMARY KEY (meeting_id);
--> statement-breakpoint
ALTER TABLE ONLY person_emails
    ADD CONSTRAINT person_emails_of_workspace PRIMARY KEY (workspace_id, email);
--> statement-breakpoint
ALTER TABLE ONLY search_postings
    ADD CONSTRAINT postings_of_document PRIMARY KEY (document, term);
--> statement-breakpoint
ALTER TABLE ONLY rate_windows
    ADD CONSTRAINT rate_windows_pkey PRIMARY KEY (scope);
--> statement-breakpoint
ALTER TABLE ONLY recording_drafts
    ADD CONSTRAINT recording_drafts_pkey PRIMARY KEY (recording_id);
--> statement-breakpoint
ALTER TABLE ONLY recordings
    ADD CONSTRAINT recordings_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY request_counts
    ADD CONSTRAINT request_counts_scope_minute_pk PRIMARY KEY (scope, minute);
--> statement-breakpoint
ALTER TABLE ONLY retention_rules
    ADD CONSTRAINT retention_rules_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY retention_rules
    ADD CONSTRAINT rule_of_workspace_by_tag UNIQUE NULLS NOT DISTINCT (workspace_id, tag);
--> statement-breakpoint
ALTER TABLE ONLY search_settings
    ADD CONSTRAINT search_settings_pkey PRIMARY KEY ("only");
--> statement-breakpoint
ALTER TABLE ONLY transcript_segments
    ADD CONSTRAINT segments_of_meeting PRIMARY KEY (meeting_id, "position");
--> statement-breakpoint
ALTER TABLE ONLY sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY meeting_shares
    ADD CONSTRAINT shares_of_meeting PRIMARY KEY (meeting_id, user_id);
--> statement-breakpoint
ALTER TABLE ONLY sign_in_attempts
    ADD CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (key);
--> statement-breakpoint
ALTER TABLE ONLY sign_in_challenges
    ADD CONSTRAINT sign_in_challenges_pkey PRIMARY KEY (hash);
--> statement-breakpoint
ALTER TABLE ONLY search_speakers
    ADD CONSTRAINT speakers_of_document PRIMARY KEY (document, speaker);
--> statement-breakpoint
ALTER TABLE ONLY summaries
    ADD CONSTRAINT summaries_pkey PRIMARY KEY (meeting_id);
--> statement-breakpoint
ALTER TABLE ONLY sync_removals
    ADD CONSTRAINT sync_removals_of_scope PRIMARY KEY (scope, type, id);
--> statement-breakpoint
ALTER TABLE ONLY sync_starts
    ADD CONSTRAINT sync_starts_key_unique UNIQUE (key);
--> statement-breakpoint
ALTER TABLE ONLY sync_starts
    ADD CONSTRAINT sync_starts_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY sync_waits
    ADD CONSTRAINT sync_waits_pkey PRIMARY KEY ("only");
--> statement-breakpoint
ALTER TABLE ONLY tags
    ADD CONSTRAINT tags_identity UNIQUE (id, user_id);
--> statement-breakpoint
ALTER TABLE ONLY meeting_tags
    ADD CONSTRAINT tags_of_meeting PRIMARY KEY (meeting_id, tag_id);
--> statement-breakpoint
ALTER TABLE ONLY tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY tag_shares
    ADD CONSTRAINT tags_shared_with_user PRIMARY KEY (user_id, tag_id);
--> statement-breakpoint
ALTER TABLE ONLY tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY meeting_versions
    ADD CONSTRAINT versions_of_meeting PRIMARY KEY (meeting_id, version);
--> statement-breakpoint
ALTER TABLE ONLY vocabulary_terms
    ADD CONSTRAINT vocabulary_terms_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY webhook_events
    ADD CONSTRAINT webhook_events_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY webhook_old_secrets
    ADD CONSTRAINT webhook_old_secrets_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);
--> statement-breakpoint
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys USING btree (hash);
--> statement-breakpoint
CREATE INDEX api_keys_of_user ON api_keys USING btree (user_id);
--> statement-breakpoint
CREATE INDEX api_keys_of_workspace ON api_keys USING btree (workspace_id);
--> statement-breakpoint
CREATE INDEX audit_log_by_time ON audit_log USING btree (at);
--> statement-breakpoint
CREATE UNIQUE INDEX audit_log_networks ON audit_log USING btree (actor, object) WHERE (action = ANY (ARRAY['key.new-network'::text, 'ingest-key.new-network'::text]));
--> statement-breakpoint
CREATE INDEX audit_log_shown_in ON audit_log USING btree (shown_in, id);
--> statement-breakpoint
CREATE INDEX changed_tasks_of_owner ON tasks USING btree (user_id, updated_in, meeting_id, id) WHERE (updated_in IS NOT NULL);
--> statement-breakpoint
CREATE INDEX changed_tasks_of_workspace ON tasks USING btree (workspace_id, updated_in, meeting_id, id) WHERE (updated_in IS NOT NULL);
--> statement-breakpoint
CREATE UNIQUE INDEX company_accounts_by_subject ON company_accounts USING btree (issuer, subject);
--> statement-breakpoint
CREATE UNIQUE INDEX company_accounts_of_user ON company_accounts USING btree (user_id, issuer);
--> statement-breakpoint
CREATE INDEX credits_of_user_by_month ON credit_charges USING btree (user_id, month);
--> statement-breakpoint
CREATE INDEX deliveries_held ON deliveries USING btree (webhook_id, id) WHERE (state = 'held'::text);
--> statement-breakpoint
CREATE INDEX deliveries_of_event ON deliveries USING btree (event_id);
--> statement-breakpoint
CREATE INDEX deliveries_of_webhook ON deliveries USING btree (webhook_id, id);
--> statement-breakpoint
CREATE INDEX deliveries_to_claim ON deliveries USING btree (webhook_id, due_at, id) WHERE ((state = 'pending'::text) AND (event_id IS NOT NULL));
--> statement-breakpoint
CREATE INDEX documents_by_settings ON search_documents USING btree (version, language);
--> statement-breakpoint
CREATE INDEX documents_by_space ON search_documents USING btree (space, document);
--> statement-breakpoint
CREATE INDEX drafts_due ON recording_drafts USING btree (due_at) WHERE (due_at IS NOT NULL);
--> statement-breakpoint
CREATE INDEX drafts_of_user ON recording_drafts USING btree (user_id);
--> statement-breakpoint
CREATE INDEX duplicates_of_person ON people USING btree (merged_into) WHERE (merged_into IS NOT NULL);
--> statement-breakpoint
CREATE INDEX emails_of_person ON person_emails USING btree (person_id);
--> statement-breakpoint
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys USING btree (expires_at);
--> statement-breakpoint
CREATE INDEX idempotency_keys_of_user ON idempotency_keys USING btree (user_id);
--> statement-breakpoint
CREATE INDEX idempotency_keys_of_workspace ON idempotency_keys USING btree (workspace_id);
--> statement-breakpoint
CREATE UNIQUE INDEX ingest_keys_by_hash ON ingest_keys USING btree (hash);
--> statement-breakpoint
CREATE INDEX ingest_keys_of_workspace ON ingest_keys USING btree (workspace_id);
--> statement-breakpoint
CREATE UNIQUE INDEX invitations_by_hash ON invitations USING btree (hash);
--> statement-breakpoint
CREATE INDEX invitations_of_workspace ON invitations USING btree (workspace_id);
--> statement-breakpoint
CREATE INDEX known_browsers_of_user ON known_browsers USING btree (user_id, expires_at);
--> statement-breakpoint
CREATE INDEX locked_summaries ON summaries USING btree (meeting_id) WHERE locked;
--> statement-breakpoint
CREATE INDEX meeting_shares_of_owner ON meeting_shares USING btree (owner_id, workspace_id);
--> statement-breakpoint
CREATE INDEX meeting_versions_by_age ON meeting_versions USING btree (at);
--> statement-breakpoint
CREATE INDEX meetings_of_owner_by_change ON meetings USING btree (user_id, changed_in, id);
--> statement-breakpoint
CREATE INDEX meetings_of_owner_by_start ON meetings USING btree (user_id, start_time, id);
--> statement-breakpoint
CREATE INDEX meetings_of_tag_by_start ON meeting_tags USING btree (tag_id, start_time, meeting_id);
--> statement-breakpoint
CREATE INDEX meetings_of_tag_by_tagging ON meeting_tags USING btree (tag_id, created_in, meeting_id);
--> statement-breakpoint
CREATE INDEX meetings_of_workspace_by_change ON meetings USING btree (workspace_id, changed_in, id);
--> statement-breakpoint
CREATE INDEX meetings_of_workspace_by_start ON meetings USING btree (workspace_id, start_time, id);
--> statement-breakpoint
CREATE INDEX meetings_shared_with_user_by_share ON meeting_shares USING btree (user_id, created_in, meeting_id);
--> statement-breakpoint
CREATE INDEX meetings_shared_with_user_by_start ON meeting_shares USING btree (user_id, start_time, meeting_id);
--> statement-breakpoint
CREATE INDEX members_of_workspace ON members USING btree (workspace_id, user_id);
--> statement-breakpoint
CREATE INDEX oauth_clients_by_expiry ON oauth_clients USING btree (expires_at);
--> statement-breakpoint
CREATE INDEX oauth_grants_by_expiry ON oauth_grants USING btree (expires_at);
--> statement-breakpoint
CREATE INDEX oauth_grants_of_user ON oauth_grants USING btree (user_id, created_at);
--> statement-breakpoint
CREATE INDEX oauth_grants_of_workspace ON oauth_grants USING btree (workspace_id);
--> statement-breakpoint
CREATE INDEX oauth_tokens_by_expiry ON oauth_tokens USING btree (expires_at);
--> statement-breakpoint
CREATE INDEX oauth_tokens_of_grant ON oauth_tokens USING btree (grant_id);
--> statement-breakpoint
CREATE INDEX one_time_links_by_expiry ON one_time_links USING btree (expires_at);
--> statement-breakpoint
CREATE INDEX one_time_links_of_user ON one_time_links USING btree (user_id);
--> statement-breakpoint
CREATE INDEX open_tasks_of_owner_by_creation ON tasks USING btree (user_id, created_at, id) WHERE (NOT completed);
--> statement-breakpoint
CREATE INDEX open_tasks_of_workspace_by_creation ON tasks USING btree (workspace_id, created_at, id) WHERE (NOT completed);
--> statement-breakpoint
CREATE INDEX participants_of_person ON participants USING btree (person_id, meeting_id);
--> statement-breakpoint
CREATE INDEX participants_without_person ON participants USING btree (meeting_id) WHERE (person_id IS NULL);
--> statement-breakpoint
CREATE UNIQUE INDEX passkeys_by_credential ON passkeys USING btree (credential_id);
--> statement-breakpoint
CREATE INDEX passkeys_of_user ON passkeys USING btree (user_id);
--> statement-breakpoint
CREATE INDEX people_of_workspace ON people USING btree (workspace_id, name, id);
--> statement-breakpoint
CREATE INDEX people_to_settle ON people USING btree (id) WHERE (settled_revision < revision);
--> statement-breakpoint
CREATE UNIQUE INDEX recordings_by_external_id ON recordings USING btree (workspace_id, external_id);
--> statement-breakpoint
CREATE INDEX request_counts_by_age ON request_counts USING btree (minute);
--> statement-breakpoint
CREATE INDEX sessions_by_expiry ON sessions USING btree (expires_at);
--> statement-breakpoint
CREATE UNIQUE INDEX sessions_by_hash ON sessions USING btree (hash);
--> statement-breakpoint
CREATE INDEX sessions_of_user ON sessions USING btree (user_id);
--> statement-breakpoint
CREATE INDEX shares_of_tag ON tag_shares USING btree (tag_id);
--> statement-breakpoint
CREATE INDEX sign_in_attempts_by_age ON sign_in_attempts USING btree (last_at);
--> statement-breakpoint
CREATE INDEX sign_in_challenges_by_expiry ON sign_in_challenges USING btree (expires_at);
--> statement-breakpoint
CREATE INDEX sign_in_challenges_of_user ON sign_in_challenges USING btree (user_id);
--> statement-breakpoint
CREATE INDEX sync_removals_by_age ON sync_removals USING btree (at);
--> statement-breakpoint
CREATE INDEX sync_removals_by_change ON sync_removals USING btree (scope, type, changed_in, id);
--> statement-breakpoint
CREATE INDEX tag_shares_of_owner ON tag_shares USING btree (owner_id, workspace_id);
--> statement-breakpoint
CREATE UNIQUE INDEX tags_of_owner_by_name ON tags USING btree (user_id, name);
--> statement-breakpoint
CREATE INDEX tasks_of_meeting_by_creation ON tasks USING btree (meeting_id, created_at, id);
--> statement-breakpoint
CREATE INDEX tasks_of_owner_by_creation ON tasks USING btree (user_id, created_at, id);
--> statement-breakpoint
CREATE INDEX tasks_of_person ON tasks USING btree (assignee_person_id, meeting_id) WHERE (assignee_person_id IS NOT NULL);
--> statement-breakpoint
CREATE INDEX tasks_of_workspace_by_creation ON tasks USING btree (workspace_id, created_at, id);
--> statement-breakpoint
CREATE INDEX tasks_without_person ON tasks USING btree (meeting_id) WHERE ((assignee_person_id IS NULL) AND ((assignee_id IS NOT NULL) OR (assignee_email IS NOT NULL)));
--> statement-breakpoint
CREATE UNIQUE INDEX users_by_email ON users USING btree (email);
--> statement-breakpoint
CREATE UNIQUE INDEX vocabulary_of_user ON vocabulary_terms USING btree (user_id, term);
--> statement-breakpoint
CREATE UNIQUE INDEX vocabulary_of_workspace ON vocabulary_terms USING btree (workspace_id, term);
--> statement-breakpoint
CREATE INDEX webhook_events_by_age ON webhook_events USING btree (created_at);
--> statement-breakpoint
CREATE INDEX webhook_events_of_meeting ON webhook_events USING btree (meeting_id);
--> statement-breakpoint
CREATE UNIQUE INDEX webhook_events_once ON webhook_events USING btree (meeting_id, event) WHERE ((event = 'meeting.completed'::text) OR (data IS NULL));
--> statement-breakpoint
CREATE INDEX webhook_events_to_write ON webhook_events USING btree (created_at) WHERE (data IS NULL);
--> statement-breakpoint
CREATE INDEX webhook_old_secrets_of_webhook ON webhook_old_secrets USING btree (webhook_id);
--> statement-breakpoint
CREATE INDEX webhooks_of_user ON webhooks USING btree (user_id);
--> statement-breakpoint
CREATE INDEX webhooks_of_workspace ON webhooks USING btree (workspace_id);
--> statement-breakpoint
CREATE INDEX workspaces_by_owner ON workspaces USING btree (owner_id);
--> statement-breakpoint
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_created_by_users_id_fk FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE SET NULL;
--> statement-breakpoint
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY attempts
    ADD CONSTRAINT attempts_delivery_id_deliveries_id_fk FOREIGN KEY (delivery_id) REFERENCES deliveries(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY calendar_attendees
    ADD CONSTRAINT calendar_attendees_meeting_id_calendar_events_meeting_id_fk FOREIGN KEY (meeting_id) REFERENCES calendar_events(meeting_id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY calendar_events
    ADD CONSTRAINT calendar_events_meeting_id_meetings_id_fk FOREIGN KEY (meeting_id) REFERENCES meetings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY company_accounts
    ADD CONSTRAINT company_accounts_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY meeting_version_contents
    ADD CONSTRAINT contents_leave_with_their_version FOREIGN KEY (meeting_id, version) REFERENCES meeting_versions(meeting_id, version) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY credit_charges
    ADD CONSTRAINT credit_charges_recording_id_recordings_id_fk FOREIGN KEY (recording_id) REFERENCES recordings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY credit_charges
    ADD CONSTRAINT credit_charges_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY deliveries
    ADD CONSTRAINT deliveries_event_id_webhook_events_id_fk FOREIGN KEY (event_id) REFERENCES webhook_events(id) ON DELETE SET NULL;
--> statement-breakpoint
ALTER TABLE ONLY deliveries
    ADD CONSTRAINT deliveries_webhook_id_webhooks_id_fk FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY person_emails
    ADD CONSTRAINT emails_are_of_their_workspaces_people FOREIGN KEY (workspace_id, person_id) REFERENCES people(workspace_id, id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY erased_recordings
    ADD CONSTRAINT erased_recordings_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY idempotency_keys
    ADD CONSTRAINT idempotency_keys_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY idempotency_keys
    ADD CONSTRAINT idempotency_keys_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY ingest_keys
    ADD CONSTRAINT ingest_keys_created_by_users_id_fk FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE SET NULL;
--> statement-breakpoint
ALTER TABLE ONLY ingest_keys
    ADD CONSTRAINT ingest_keys_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY invitations
    ADD CONSTRAINT invitations_created_by_users_id_fk FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE SET NULL;
--> statement-breakpoint
ALTER TABLE ONLY invitations
    ADD CONSTRAINT invitations_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY known_browsers
    ADD CONSTRAINT known_browsers_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY meeting_holds
    ADD CONSTRAINT meeting_holds_meeting_id_meetings_id_fk FOREIGN KEY (meeting_id) REFERENCES meetings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY meeting_shares
    ADD CONSTRAINT meeting_share_owner_is_a_member FOREIGN KEY (owner_id, workspace_id) REFERENCES members(user_id, workspace_id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY meeting_shares
    ADD CONSTRAINT meeting_share_reader_is_a_member FOREIGN KEY (user_id, workspace_id) REFERENCES members(user_id, workspace_id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY meeting_versions
    ADD CONSTRAINT meeting_versions_meeting_id_meetings_id_fk FOREIGN KEY (meeting_id) REFERENCES meetings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY meetings
    ADD CONSTRAINT meetings_follow_their_owner FOREIGN KEY (user_id, workspace_id) REFERENCES members(user_id, workspace_id) ON UPDATE CASCADE ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY meetings
    ADD CONSTRAINT meetings_id_recordings_id_fk FOREIGN KEY (id) REFERENCES recordings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY members
    ADD CONSTRAINT members_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY members
    ADD CONSTRAINT members_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
--> statement-breakpoint
ALTER TABLE ONLY oauth_grants
    ADD CONSTRAINT oauth_grants_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY oauth_grants
    ADD CONSTRAINT oauth_grants_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY oauth_tokens
    ADD CONSTRAINT oauth_tokens_grant_id_oauth_grants_id_fk FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY one_time_links
    ADD CONSTRAINT one_time_links_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY participants
    ADD CONSTRAINT participants_meeting_id_meetings_id_fk FOREIGN KEY (meeting_id) REFERENCES meetings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY passkeys
    ADD CONSTRAINT passkeys_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY passwords
    ADD CONSTRAINT passwords_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY people_work
    ADD CONSTRAINT people_work_meeting_id_meetings_id_fk FOREIGN KEY (meeting_id) REFERENCES meetings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY people
    ADD CONSTRAINT people_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY person_emails
    ADD CONSTRAINT person_emails_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY recording_drafts
    ADD CONSTRAINT recording_drafts_recording_id_recordings_id_fk FOREIGN KEY (recording_id) REFERENCES recordings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY recording_drafts
    ADD CONSTRAINT recording_drafts_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY recordings
    ADD CONSTRAINT recordings_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE SET NULL;
--> statement-breakpoint
ALTER TABLE ONLY retention_rules
    ADD CONSTRAINT retention_rules_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY search_documents
    ADD CONSTRAINT search_documents_meeting_id_meetings_id_fk FOREIGN KEY (meeting_id) REFERENCES meetings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY sessions
    ADD CONSTRAINT sessions_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY meeting_shares
    ADD CONSTRAINT shared_meeting_is_the_owners FOREIGN KEY (meeting_id, owner_id, start_time) REFERENCES meetings(id, user_id, start_time) ON UPDATE CASCADE ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY tag_shares
    ADD CONSTRAINT shared_tag_is_the_owners FOREIGN KEY (tag_id, owner_id) REFERENCES tags(id, user_id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY sign_in_challenges
    ADD CONSTRAINT sign_in_challenges_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY summaries
    ADD CONSTRAINT summaries_meeting_id_meetings_id_fk FOREIGN KEY (meeting_id) REFERENCES meetings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY meeting_tags
    ADD CONSTRAINT tag_is_the_owners FOREIGN KEY (tag_id, owner_id) REFERENCES tags(id, user_id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY tag_shares
    ADD CONSTRAINT tag_share_owner_is_a_member FOREIGN KEY (owner_id, workspace_id) REFERENCES members(user_id, workspace_id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY tag_shares
    ADD CONSTRAINT tag_share_reader_is_a_member FOREIGN KEY (user_id, workspace_id) REFERENCES members(user_id, workspace_id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY meeting_tags
    ADD CONSTRAINT tagged_meeting_is_the_owners FOREIGN KEY (meeting_id, owner_id, start_time) REFERENCES meetings(id, user_id, start_time) ON UPDATE CASCADE ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY tags
    ADD CONSTRAINT tags_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY tasks
    ADD CONSTRAINT tasks_follow_their_owner FOREIGN KEY (user_id, workspace_id) REFERENCES members(user_id, workspace_id) ON UPDATE CASCADE ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY tasks
    ADD CONSTRAINT tasks_meeting_id_meetings_id_fk FOREIGN KEY (meeting_id) REFERENCES meetings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY vocabulary_terms
    ADD CONSTRAINT vocabulary_terms_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY vocabulary_terms
    ADD CONSTRAINT vocabulary_terms_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY webhook_events
    ADD CONSTRAINT webhook_events_meeting_id_meetings_id_fk FOREIGN KEY (meeting_id) REFERENCES meetings(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY webhook_old_secrets
    ADD CONSTRAINT webhook_old_secrets_webhook_id_webhooks_id_fk FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT webhooks_created_by_users_id_fk FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE SET NULL;
--> statement-breakpoint
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT webhooks_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT webhooks_workspace_id_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE ONLY workspaces
    ADD CONSTRAINT workspaces_owner_id_users_id_fk FOREIGN KEY (owner_id) REFERENCES users(id) ON DELETE SET NULL;
--> statement-breakpoint
CREATE TRIGGER clear_assignee_person BEFORE UPDATE ON tasks FOR EACH ROW WHEN (((old.assignee_person_id = new.assignee_person_id) AND ((old.assignee_id IS DISTINCT FROM new.assignee_id) OR ((new.assignee_id IS NULL) AND (lower(old.assignee_email) IS DISTINCT FROM lower(new.assignee_email)))))) EXECUTE FUNCTION clear_assignee_person();
--> statement-breakpoint
CREATE TRIGGER forget_people AFTER DELETE ON participants REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_people_of_meetings();
--> statement-breakpoint
CREATE TRIGGER forget_people AFTER DELETE ON tasks REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_people_of_meetings();
--> statement-breakpoint
CREATE TRIGGER forget_removals_of_user AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION forget_removals('user:');
--> statement-breakpoint
CREATE TRIGGER forget_removals_of_workspace AFTER DELETE ON workspaces FOR EACH ROW EXECUTE FUNCTION forget_removals('workspace:');
--> statement-breakpoint
CREATE TRIGGER note_meeting_change BEFORE INSERT OR DELETE OR UPDATE ON meetings FOR EACH ROW EXECUTE FUNCTION note_meeting_change();
--> statement-breakpoint
CREATE TRIGGER note_meeting_share AFTER INSERT OR DELETE ON meeting_shares FOR EACH ROW EXECUTE FUNCTION note_meeting_share();
--> statement-breakpoint
CREATE TRIGGER note_meeting_tag AFTER INSERT OR DELETE ON meeting_tags FOR EACH ROW EXECUTE FUNCTION note_meeting_tag();
--> statement-breakpoint
CREATE TRIGGER note_person_change BEFORE UPDATE ON people FOR EACH ROW WHEN ((((old.name IS DISTINCT FROM new.name) OR (old.organisation IS DISTINCT FROM new.organisation)) OR (old.merged_into IS DISTINCT FROM new.merged_into))) EXECUTE FUNCTION note_person_change();
--> statement-breakpoint
CREATE TRIGGER note_tag_change BEFORE INSERT OR DELETE OR UPDATE ON tags FOR EACH ROW EXECUTE FUNCTION note_tag_change();
--> statement-breakpoint
CREATE TRIGGER note_tag_share AFTER INSERT OR DELETE ON tag_shares FOR EACH ROW EXECUTE FUNCTION note_tag_share();
--> statement-breakpoint
CREATE TRIGGER note_task_deletion AFTER DELETE ON tasks REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_task_deletion();
--> statement-breakpoint
CREATE TRIGGER note_task_update BEFORE UPDATE ON tasks FOR EACH ROW WHEN ((old.workspace_id = new.workspace_id)) EXECUTE FUNCTION note_task_update();
--> statement-breakpoint
CREATE TRIGGER notes_follow_attendees AFTER UPDATE OF name ON calendar_attendees FOR EACH ROW WHEN ((old.name <> new.name)) EXECUTE FUNCTION forget_notes();
--> statement-breakpoint
CREATE TRIGGER notes_follow_summaries AFTER UPDATE ON summaries FOR EACH ROW EXECUTE FUNCTION forget_notes();
--> statement-breakpoint
CREATE TRIGGER notes_follow_tasks AFTER UPDATE OF text, assignee_name ON tasks FOR EACH ROW WHEN (((old.text <> new.text) OR (old.assignee_name IS DISTINCT FROM new.assignee_name))) EXECUTE FUNCTION forget_notes();
--> statement-breakpoint
CREATE TRIGGER postings_leave_with_their_document AFTER DELETE ON search_documents FOR EACH ROW EXECUTE FUNCTION forget_document();
--> statement-breakpoint
CREATE TRIGGER queue_people_work AFTER UPDATE ON meetings FOR EACH ROW WHEN ((old.workspace_id <> new.workspace_id)) EXECUTE FUNCTION queue_people_work();
--> statement-breakpoint
CREATE TRIGGER segments_leave_with_their_meeting AFTER DELETE ON meetings FOR EACH ROW EXECUTE FUNCTION delete_segments();
--> statement-breakpoint
CREATE TRIGGER touch_meeting_of_summary AFTER UPDATE ON summaries FOR EACH ROW EXECUTE FUNCTION touch_meetings();
--> statement-breakpoint
CREATE TRIGGER touch_meetings_of_tag AFTER UPDATE ON tags FOR EACH ROW WHEN (((old.name <> new.name) OR (old.color <> new.color))) EXECUTE FUNCTION touch_meetings();
--> statement-breakpoint
CREATE TRIGGER touch_meetings_of_user AFTER UPDATE ON users FOR EACH ROW WHEN ((old.email <> new.email)) EXECUTE FUNCTION touch_meetings();
--> statement-breakpoint
INSERT INTO search_settings VALUES (true, 'english', NULL, NULL, NULL);
