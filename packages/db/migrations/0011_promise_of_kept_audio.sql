ALTER TABLE "transcriptions" ADD COLUMN "converted" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "transcriptions" ADD COLUMN "keep_days" integer;--> statement-breakpoint
-- contract: no code since 0.1.0 uses it
ALTER TABLE "workspaces" DROP COLUMN "audio_since";
