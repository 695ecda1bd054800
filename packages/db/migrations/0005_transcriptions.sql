CREATE TABLE "transcriptions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"uploader" text NOT NULL,
	"name" text,
	"modified_at" timestamp (3) with time zone NOT NULL,
	"state" text DEFAULT 'uploading' NOT NULL,
	"size" integer NOT NULL,
	"received" integer DEFAULT 0 NOT NULL,
	"stored" integer DEFAULT 0 NOT NULL,
	"file_key" "bytea",
	"secret_key_id" text NOT NULL,
	"token" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"failure" text,
	"meeting_id" text COLLATE "C",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "transcriptions" ADD CONSTRAINT "transcriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcriptions" ADD CONSTRAINT "transcriptions_of_member" FOREIGN KEY ("user_id","workspace_id") REFERENCES "public"."members"("user_id","workspace_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "transcriptions_of_user" ON "transcriptions" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "transcriptions_of_workspace" ON "transcriptions" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "transcriptions_due" ON "transcriptions" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "transcriptions_by_expiry" ON "transcriptions" USING btree ("expires_at");