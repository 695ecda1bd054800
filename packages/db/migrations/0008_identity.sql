CREATE TABLE "invitations" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"hash" "bytea" NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"email" text,
	"role" text NOT NULL,
	"created_by" text COLLATE "C",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "one_time_links" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"user_id" text COLLATE "C",
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "one_time_links_have_a_user" CHECK (("one_time_links"."purpose" = 'sign-in') = ("one_time_links"."user_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "passwords" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempts" (
	"key" text PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"blocked_until" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "one_time_links" ADD CONSTRAINT "one_time_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passwords" ADD CONSTRAINT "passwords_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_by_hash" ON "invitations" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "invitations_of_workspace" ON "invitations" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "one_time_links_of_user" ON "one_time_links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "one_time_links_by_expiry" ON "one_time_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_by_age" ON "sign_in_attempts" USING btree ("last_at");