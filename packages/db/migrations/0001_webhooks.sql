CREATE SEQUENCE "public"."delivery_numbers" INCREMENT BY 1 MINVALUE 1 MAXVALUE 4194303 START WITH 1 CACHE 1 CYCLE;--> statement-breakpoint
CREATE TABLE "attempts" (
	"delivery_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"milliseconds" integer NOT NULL,
	"status" integer,
	"error" text,
	CONSTRAINT "attempts_of_delivery" PRIMARY KEY("delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" bigint PRIMARY KEY DEFAULT (((extract(epoch from clock_timestamp()) * 1000)::bigint - 1735689600000) << 22) | nextval('delivery_numbers') NOT NULL,
	"webhook_id" text COLLATE "C" NOT NULL,
	"event_id" bigint,
	"meeting_id" text COLLATE "C",
	"state" text DEFAULT 'pending' NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"claims" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"round" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"meeting_id" text COLLATE "C",
	"data" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"user_id" text COLLATE "C",
	"workspace_id" text COLLATE "C",
	"name" text NOT NULL,
	"url" text NOT NULL,
	"method" text NOT NULL,
	"header_name" text,
	"secret_key_id" text,
	"secret" "bytea",
	"failure_mail_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "webhooks_have_one_holder" CHECK (("webhooks"."kind" = 'personal') = ("webhooks"."user_id" is not null) and ("webhooks"."kind" = 'workspace') = ("webhooks"."workspace_id" is not null)),
	CONSTRAINT "webhooks_keep_a_secret" CHECK (("webhooks"."secret" is null) = ("webhooks"."deleted_at" is not null) and ("webhooks"."secret_key_id" is null) = ("webhooks"."secret" is null))
);
--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_webhook_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."webhook_events"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_to_claim" ON "deliveries" USING btree ("webhook_id","due_at","id") WHERE state = 'pending' and event_id is not null;--> statement-breakpoint
CREATE INDEX "deliveries_of_webhook" ON "deliveries" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_of_event" ON "deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_events_by_meeting" ON "webhook_events" USING btree ("meeting_id");--> statement-breakpoint
CREATE INDEX "webhook_events_by_age" ON "webhook_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhooks_of_user" ON "webhooks" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "webhooks_of_workspace" ON "webhooks" USING btree ("workspace_id");