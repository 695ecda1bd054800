-- Nothing is learnt from words any more: see docs/decisions/0100-search-by-meaning.md.
DROP TRIGGER "learning_follows_new_meetings" ON "search_documents";--> statement-breakpoint
DROP TRIGGER "learning_forgets_deleted_meetings" ON "meetings";--> statement-breakpoint
DROP TRIGGER "learning_follows_moved_meetings" ON "meetings";--> statement-breakpoint
DROP FUNCTION "note_search_change"();--> statement-breakpoint
DROP TABLE "search_changes" CASCADE;--> statement-breakpoint
DROP TABLE "search_learning" CASCADE;
