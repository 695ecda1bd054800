CREATE TABLE "summary_instructions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C",
	"workspace_id" text COLLATE "C",
	"name" text NOT NULL,
	"prompt" text NOT NULL,
	"language" text,
	"tag" text,
	"word" text,
	"is_default" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "instruction_has_one_holder" CHECK (("summary_instructions"."user_id" is null) <> ("summary_instructions"."workspace_id" is null))
);
--> statement-breakpoint
ALTER TABLE "summaries" ADD COLUMN "origin" text;--> statement-breakpoint
ALTER TABLE "summary_instructions" ADD CONSTRAINT "summary_instructions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "summary_instructions" ADD CONSTRAINT "summary_instructions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "instructions_of_user" ON "summary_instructions" USING btree ("user_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "instructions_of_workspace" ON "summary_instructions" USING btree ("workspace_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "default_instruction_of_user" ON "summary_instructions" USING btree ("user_id") WHERE is_default;--> statement-breakpoint
CREATE UNIQUE INDEX "default_instruction_of_workspace" ON "summary_instructions" USING btree ("workspace_id") WHERE is_default;