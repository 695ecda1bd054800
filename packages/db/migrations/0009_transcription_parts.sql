ALTER TABLE "transcriptions" ADD COLUMN "parts" integer;--> statement-breakpoint
ALTER TABLE "transcriptions" ADD COLUMN "parts_heard" integer DEFAULT 0 NOT NULL;