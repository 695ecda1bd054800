CREATE TABLE "meeting_version_contents" (
	"meeting_id" text COLLATE "C" NOT NULL,
	"version" integer NOT NULL,
	"field" text COLLATE "C" NOT NULL,
	"content" text,
	CONSTRAINT "contents_of_version" PRIMARY KEY("meeting_id","version","field")
);
--> statement-breakpoint
CREATE TABLE "meeting_versions" (
	"meeting_id" text COLLATE "C" NOT NULL,
	"version" integer NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"action" text NOT NULL,
	"fields" text[] NOT NULL,
	CONSTRAINT "versions_of_meeting" PRIMARY KEY("meeting_id","version")
);
--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "due_on" date;--> statement-breakpoint
ALTER TABLE "meeting_version_contents" ADD CONSTRAINT "contents_leave_with_their_version" FOREIGN KEY ("meeting_id","version") REFERENCES "public"."meeting_versions"("meeting_id","version") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meeting_versions" ADD CONSTRAINT "meeting_versions_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "meeting_versions_by_age" ON "meeting_versions" USING btree ("at");