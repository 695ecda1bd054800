CREATE TABLE "calendar_entries" (
	"user_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"uid" text NOT NULL,
	"title" text NOT NULL,
	"start_time" timestamp (3) with time zone NOT NULL,
	"end_time" timestamp (3) with time zone NOT NULL,
	"all_day" boolean NOT NULL,
	"attendees" text NOT NULL,
	CONSTRAINT "entries_of_calendar" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
CREATE TABLE "calendar_links" (
	"meeting_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"event_id" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "calendars" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"secret" "bytea" NOT NULL,
	"secret_key_id" text NOT NULL,
	"host" text NOT NULL,
	"etag" text,
	"last_modified" text,
	"content_hash" "bytea",
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lease" integer DEFAULT 0 NOT NULL,
	"synced_at" timestamp (3) with time zone,
	"parsed_at" timestamp (3) with time zone,
	"fault" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"mailed_at" timestamp (3) with time zone,
	"match_due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "calendar_entries" ADD CONSTRAINT "calendar_entries_user_id_calendars_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."calendars"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_links" ADD CONSTRAINT "calendar_links_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendars" ADD CONSTRAINT "calendars_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "calendar_entries_by_start" ON "calendar_entries" USING btree ("user_id","start_time","id");--> statement-breakpoint
CREATE INDEX "calendars_by_due" ON "calendars" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "calendars_to_match" ON "calendars" USING btree ("match_due_at") WHERE match_due_at is not null;