ALTER TABLE "webhooks" ADD COLUMN "pause_mail_at" timestamp (3) with time zone;--> statement-breakpoint
UPDATE "webhooks" SET "pause_mail_at" = "paused_at";
