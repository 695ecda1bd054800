CREATE TABLE "access_requests" (
	"meeting_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"owner_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"dismissed_at" timestamp (3) with time zone,
	"mail_due_at" timestamp (3) with time zone DEFAULT now(),
	"expires_at" timestamp (3) with time zone DEFAULT now() + interval '14 days' NOT NULL,
	CONSTRAINT "access_requests_of_meeting" PRIMARY KEY("meeting_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_requests_by_user" ON "access_requests" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "access_requests_to_owner" ON "access_requests" USING btree ("owner_id","created_at");--> statement-breakpoint
CREATE INDEX "access_requests_to_mail" ON "access_requests" USING btree ("created_at") WHERE mail_due_at is not null;--> statement-breakpoint
CREATE INDEX "access_requests_by_expiry" ON "access_requests" USING btree ("expires_at");