CREATE TABLE "webhook_old_secrets" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_old_secrets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"webhook_id" text COLLATE "C" NOT NULL,
	"secret_key_id" text NOT NULL,
	"secret" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "webhook_events_by_meeting";--> statement-breakpoint
ALTER TABLE "webhook_events" ALTER COLUMN "data" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expiry_mail_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "event" text DEFAULT 'meeting.completed' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD COLUMN "event" text DEFAULT 'meeting.completed' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD COLUMN "subjects" text[];--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "header_prefix" text;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "events" text[] DEFAULT '{meeting.completed}' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "failing_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "paused_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhook_old_secrets" ADD CONSTRAINT "webhook_old_secrets_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_old_secrets_of_webhook" ON "webhook_old_secrets" USING btree ("webhook_id");--> statement-breakpoint
CREATE INDEX "deliveries_held" ON "deliveries" USING btree ("webhook_id","id") WHERE state = 'held';--> statement-breakpoint
CREATE INDEX "webhook_events_of_meeting" ON "webhook_events" USING btree ("meeting_id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_events_once" ON "webhook_events" USING btree ("meeting_id","event") WHERE event = 'meeting.completed' or data is null;--> statement-breakpoint
CREATE INDEX "webhook_events_to_write" ON "webhook_events" USING btree ("created_at") WHERE data is null;