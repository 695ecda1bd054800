ALTER TABLE "retention_rules" ADD COLUMN "position_start" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "retention_rules" ADD COLUMN "position_id" text COLLATE "C";