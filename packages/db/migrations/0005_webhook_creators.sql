ALTER TABLE "webhooks" ADD COLUMN "created_by" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
-- The audit log says who created the webhooks that exist already.
UPDATE "webhooks" w SET "created_by" = coalesce(w."user_id", (
	SELECT u."id" FROM "audit_log" a JOIN "users" u ON u."id" = a."actor"
	WHERE a."action" = 'webhook.create' AND a."object" = w."id" LIMIT 1));
