CREATE TABLE "api_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"user_id" text COLLATE "C",
	"workspace_id" text COLLATE "C",
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"prefix" text NOT NULL,
	"last_four" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"disabled_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_have_one_holder" CHECK (("api_keys"."kind" = 'personal') = ("api_keys"."user_id" is not null) and ("api_keys"."kind" = 'workspace') = ("api_keys"."workspace_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"action" text NOT NULL,
	"object" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
-- UNLOGGED: a request never waits for the disk, and a crash only starts new windows.
CREATE UNLOGGED TABLE "rate_windows" (
	"scope" text COLLATE "C" PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"count" integer NOT NULL
) WITH (fillfactor = 40);
--> statement-breakpoint
CREATE TABLE "calendar_attendees" (
	"meeting_id" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"response_status" text,
	"organizer" boolean DEFAULT false NOT NULL,
	CONSTRAINT "attendees_of_event" PRIMARY KEY("meeting_id","position")
);
--> statement-breakpoint
CREATE TABLE "calendar_events" (
	"meeting_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"external_id" text,
	"title" text,
	"scheduled_time" timestamp (3) with time zone,
	"end_time" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "meeting_shares" (
	"user_id" text COLLATE "C" NOT NULL,
	"meeting_id" text COLLATE "C" NOT NULL,
	"owner_id" text COLLATE "C" NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"start_time" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "shares_of_meeting" PRIMARY KEY("meeting_id","user_id"),
	CONSTRAINT "meeting_share_is_with_another" CHECK ("meeting_shares"."user_id" <> "meeting_shares"."owner_id")
);
--> statement-breakpoint
CREATE TABLE "meeting_tags" (
	"tag_id" text COLLATE "C" NOT NULL,
	"meeting_id" text COLLATE "C" NOT NULL,
	"owner_id" text COLLATE "C" NOT NULL,
	"start_time" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tags_of_meeting" PRIMARY KEY("meeting_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "meetings" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"generated_title" text,
	"start_time" timestamp (3) with time zone NOT NULL,
	"end_time" timestamp (3) with time zone,
	"calendar_event_id" text COLLATE "C",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "meetings_identity" UNIQUE("id","user_id","start_time")
);
--> statement-breakpoint
CREATE TABLE "participants" (
	"meeting_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"name" text NOT NULL,
	"email" text,
	CONSTRAINT "participants_of_meeting" PRIMARY KEY("meeting_id","id")
);
--> statement-breakpoint
CREATE TABLE "recordings" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"workspace_id" text COLLATE "C",
	"external_id" text,
	"state" text NOT NULL,
	"content_hash" "bytea",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "summaries" (
	"meeting_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"markdown" text NOT NULL,
	"html" text NOT NULL,
	"short" text NOT NULL,
	"locked" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tag_shares" (
	"user_id" text COLLATE "C" NOT NULL,
	"tag_id" text COLLATE "C" NOT NULL,
	"owner_id" text COLLATE "C" NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tags_shared_with_user" PRIMARY KEY("user_id","tag_id"),
	CONSTRAINT "tag_share_is_with_another" CHECK ("tag_shares"."user_id" <> "tag_shares"."owner_id")
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"color" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tags_identity" UNIQUE("id","user_id"),
	CONSTRAINT "tags_color_is_hex" CHECK ("tags"."color" ~ '^#[0-9A-Fa-f]{6}$')
);
--> statement-breakpoint
CREATE TABLE "tasks" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"meeting_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"text" text NOT NULL,
	"completed" boolean DEFAULT false NOT NULL,
	"assignee_id" text COLLATE "C",
	"assignee_name" text,
	"assignee_email" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transcript_segments" (
	"meeting_id" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"speaker_id" text COLLATE "C" NOT NULL,
	"text" text NOT NULL,
	"start_seconds" double precision,
	"end_seconds" double precision,
	CONSTRAINT "segments_of_meeting" PRIMARY KEY("meeting_id","position")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_place" UNIQUE("user_id","workspace_id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_is_lower_case" CHECK ("users"."email" = lower("users"."email"))
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"plan" text DEFAULT 'free' NOT NULL,
	"owner_id" text COLLATE "C",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_chunks" (
	"meeting_id" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"text" text NOT NULL,
	"words" "tsvector" NOT NULL,
	CONSTRAINT "chunks_of_meeting" PRIMARY KEY("meeting_id","position")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_attendees" ADD CONSTRAINT "calendar_attendees_meeting_id_calendar_events_meeting_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."calendar_events"("meeting_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_events" ADD CONSTRAINT "calendar_events_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meeting_shares" ADD CONSTRAINT "shared_meeting_is_the_owners" FOREIGN KEY ("meeting_id","owner_id","start_time") REFERENCES "public"."meetings"("id","user_id","start_time") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "meeting_shares" ADD CONSTRAINT "meeting_share_owner_is_a_member" FOREIGN KEY ("owner_id","workspace_id") REFERENCES "public"."members"("user_id","workspace_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meeting_shares" ADD CONSTRAINT "meeting_share_reader_is_a_member" FOREIGN KEY ("user_id","workspace_id") REFERENCES "public"."members"("user_id","workspace_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meeting_tags" ADD CONSTRAINT "tag_is_the_owners" FOREIGN KEY ("tag_id","owner_id") REFERENCES "public"."tags"("id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meeting_tags" ADD CONSTRAINT "tagged_meeting_is_the_owners" FOREIGN KEY ("meeting_id","owner_id","start_time") REFERENCES "public"."meetings"("id","user_id","start_time") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "meetings" ADD CONSTRAINT "meetings_id_recordings_id_fk" FOREIGN KEY ("id") REFERENCES "public"."recordings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meetings" ADD CONSTRAINT "meetings_follow_their_owner" FOREIGN KEY ("user_id","workspace_id") REFERENCES "public"."members"("user_id","workspace_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "participants" ADD CONSTRAINT "participants_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recordings" ADD CONSTRAINT "recordings_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "summaries" ADD CONSTRAINT "summaries_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_shares" ADD CONSTRAINT "shared_tag_is_the_owners" FOREIGN KEY ("tag_id","owner_id") REFERENCES "public"."tags"("id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_shares" ADD CONSTRAINT "tag_share_owner_is_a_member" FOREIGN KEY ("owner_id","workspace_id") REFERENCES "public"."members"("user_id","workspace_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_shares" ADD CONSTRAINT "tag_share_reader_is_a_member" FOREIGN KEY ("user_id","workspace_id") REFERENCES "public"."members"("user_id","workspace_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_follow_their_owner" FOREIGN KEY ("user_id","workspace_id") REFERENCES "public"."members"("user_id","workspace_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "transcript_segments" ADD CONSTRAINT "transcript_segments_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_segments" ADD CONSTRAINT "segments_have_a_speaker" FOREIGN KEY ("meeting_id","speaker_id") REFERENCES "public"."participants"("meeting_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_chunks" ADD CONSTRAINT "chunks_leave_with_their_meeting" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_by_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_of_user" ON "api_keys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "api_keys_of_workspace" ON "api_keys" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "audit_log_by_time" ON "audit_log" USING btree ("at");--> statement-breakpoint
CREATE INDEX "meetings_shared_with_user_by_start" ON "meeting_shares" USING btree ("user_id","start_time","meeting_id");--> statement-breakpoint
CREATE INDEX "meeting_shares_of_owner" ON "meeting_shares" USING btree ("owner_id","workspace_id");--> statement-breakpoint
CREATE INDEX "meetings_of_tag_by_start" ON "meeting_tags" USING btree ("tag_id","start_time","meeting_id");--> statement-breakpoint
CREATE INDEX "meetings_of_owner_by_start" ON "meetings" USING btree ("user_id","start_time","id");--> statement-breakpoint
CREATE INDEX "meetings_of_workspace_by_start" ON "meetings" USING btree ("workspace_id","start_time","id");--> statement-breakpoint
CREATE UNIQUE INDEX "recordings_by_external_id" ON "recordings" USING btree ("workspace_id","external_id");--> statement-breakpoint
CREATE INDEX "shares_of_tag" ON "tag_shares" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "tag_shares_of_owner" ON "tag_shares" USING btree ("owner_id","workspace_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tags_of_owner_by_name" ON "tags" USING btree ("user_id","name");--> statement-breakpoint
CREATE INDEX "tasks_of_owner_by_creation" ON "tasks" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_of_workspace_by_creation" ON "tasks" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "open_tasks_of_owner_by_creation" ON "tasks" USING btree ("user_id","created_at","id") WHERE not completed;--> statement-breakpoint
CREATE INDEX "open_tasks_of_workspace_by_creation" ON "tasks" USING btree ("workspace_id","created_at","id") WHERE not completed;--> statement-breakpoint
CREATE INDEX "tasks_of_meeting_by_creation" ON "tasks" USING btree ("meeting_id","created_at","id");--> statement-breakpoint
CREATE INDEX "members_of_workspace" ON "members" USING btree ("workspace_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_by_email" ON "users" USING btree ("email");--> statement-breakpoint
CREATE INDEX "workspaces_by_owner" ON "workspaces" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "chunks_by_word" ON "search_chunks" USING gin ("words");