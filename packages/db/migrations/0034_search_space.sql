DROP INDEX "documents_without_vectors";--> statement-breakpoint
ALTER TABLE "search_settings" ADD COLUMN "space" text;--> statement-breakpoint
ALTER TABLE "search_settings" ADD COLUMN "space_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "documents_by_space" ON "search_documents" USING btree ("space","document");