ALTER TABLE "search_chunks" ADD COLUMN "first_turn" integer;--> statement-breakpoint
ALTER TABLE "search_chunks" ADD COLUMN "last_turn" integer;