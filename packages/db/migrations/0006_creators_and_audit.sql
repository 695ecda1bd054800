ALTER TABLE "audit_log" ADD COLUMN "workspace_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "ingest_keys" ADD COLUMN "created_by" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "created_by" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "ingest_keys" ADD CONSTRAINT "ingest_keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
-- The audit log says who created the keys that exist already; the operator created a personal key for its owner.
UPDATE "api_keys" k SET "created_by" = coalesce(k."user_id", (
	SELECT u."id" FROM "audit_log" a JOIN "users" u ON u."id" = a."actor"
	WHERE a."action" = 'key.create' AND a."object" = k."id" LIMIT 1));--> statement-breakpoint
UPDATE "ingest_keys" k SET "created_by" = (
	SELECT u."id" FROM "audit_log" a JOIN "users" u ON u."id" = a."actor"
	WHERE a."action" = 'ingest-key.create' AND a."object" = k."id" LIMIT 1);
