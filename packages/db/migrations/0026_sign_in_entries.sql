ALTER TABLE "audit_log" ADD COLUMN "method" text;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "network" text;