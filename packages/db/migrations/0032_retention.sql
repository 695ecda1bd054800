CREATE TABLE "meeting_holds" (
	"meeting_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "retention_rules" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"workspace_id" text COLLATE "C" NOT NULL,
	"tag" text,
	"days" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"next_run_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "rule_of_workspace_by_tag" UNIQUE NULLS NOT DISTINCT("workspace_id","tag")
);
--> statement-breakpoint
ALTER TABLE "meeting_holds" ADD CONSTRAINT "meeting_holds_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_rules" ADD CONSTRAINT "retention_rules_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;