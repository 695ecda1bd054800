CREATE TABLE "summary_requests" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"meeting_id" text COLLATE "C" NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"origin" text,
	"failed" boolean DEFAULT false NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone DEFAULT now() + interval '1 day' NOT NULL,
	CONSTRAINT "request_of_meeting" UNIQUE("meeting_id")
);
--> statement-breakpoint
ALTER TABLE "summary_requests" ADD CONSTRAINT "summary_requests_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "due_summary_requests" ON "summary_requests" USING btree ("due_at") WHERE not failed;--> statement-breakpoint
CREATE INDEX "summary_requests_by_expiry" ON "summary_requests" USING btree ("expires_at");