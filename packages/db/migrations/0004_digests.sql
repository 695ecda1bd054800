CREATE TABLE "digest_subscriptions" (
	"user_id" text COLLATE "C" NOT NULL,
	"kind" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "digests_of_user" PRIMARY KEY("user_id","kind")
);
--> statement-breakpoint
CREATE TABLE "digests" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "digests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" text COLLATE "C" NOT NULL,
	"kind" text NOT NULL,
	"week" date,
	"meeting_id" text COLLATE "C",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now(),
	"token_hash" "bytea",
	"expires_at" timestamp (3) with time zone DEFAULT now() + interval '90 days' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "digest_subscriptions" ADD CONSTRAINT "digest_subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "digests" ADD CONSTRAINT "digests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "digests" ADD CONSTRAINT "digests_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "digests_once" ON "digests" USING btree ("user_id","meeting_id");--> statement-breakpoint
CREATE UNIQUE INDEX "digests_once_a_week" ON "digests" USING btree ("user_id","week");--> statement-breakpoint
CREATE INDEX "digests_of_meeting" ON "digests" USING btree ("meeting_id");--> statement-breakpoint
CREATE INDEX "digests_to_send" ON "digests" USING btree ("created_at") WHERE due_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "digests_by_token" ON "digests" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "digests_by_expiry" ON "digests" USING btree ("expires_at");