CREATE TABLE "ingest_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"prefix" text NOT NULL,
	"last_four" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "recording_drafts" (
	"recording_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"content" text NOT NULL,
	"failure" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credit_charges" (
	"recording_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"month" date NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "vocabulary_terms" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C",
	"workspace_id" text COLLATE "C",
	"term" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "vocabulary_has_one_holder" CHECK (("vocabulary_terms"."user_id" is null) <> ("vocabulary_terms"."workspace_id" is null))
);
--> statement-breakpoint
ALTER TABLE "recordings" ADD COLUMN "start_hash" "bytea";--> statement-breakpoint
ALTER TABLE "ingest_keys" ADD CONSTRAINT "ingest_keys_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recording_drafts" ADD CONSTRAINT "recording_drafts_recording_id_recordings_id_fk" FOREIGN KEY ("recording_id") REFERENCES "public"."recordings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recording_drafts" ADD CONSTRAINT "recording_drafts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_charges" ADD CONSTRAINT "credit_charges_recording_id_recordings_id_fk" FOREIGN KEY ("recording_id") REFERENCES "public"."recordings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_charges" ADD CONSTRAINT "credit_charges_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vocabulary_terms" ADD CONSTRAINT "vocabulary_terms_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vocabulary_terms" ADD CONSTRAINT "vocabulary_terms_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "ingest_keys_by_hash" ON "ingest_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "ingest_keys_of_workspace" ON "ingest_keys" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "drafts_of_user" ON "recording_drafts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "drafts_due" ON "recording_drafts" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "credits_of_user_by_month" ON "credit_charges" USING btree ("user_id","month");--> statement-breakpoint
CREATE UNIQUE INDEX "vocabulary_of_user" ON "vocabulary_terms" USING btree ("user_id","term");--> statement-breakpoint
CREATE UNIQUE INDEX "vocabulary_of_workspace" ON "vocabulary_terms" USING btree ("workspace_id","term");--> statement-breakpoint
CREATE INDEX "locked_summaries" ON "summaries" USING btree ("meeting_id") WHERE locked;