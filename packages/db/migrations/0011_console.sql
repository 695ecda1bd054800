-- UNLOGGED: a request never waits for the disk, and a crash only forgets an hour of a chart.
CREATE UNLOGGED TABLE "request_counts" (
	"scope" text COLLATE "C" NOT NULL,
	"minute" timestamp (3) with time zone NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "request_counts_scope_minute_pk" PRIMARY KEY("scope","minute")
);
--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "shown_in" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "request_counts_by_age" ON "request_counts" USING btree ("minute");--> statement-breakpoint
CREATE INDEX "audit_log_shown_in" ON "audit_log" USING btree ("shown_in","id");--> statement-breakpoint
-- Of the entries that exist already, those about members belong to a workspace for certain.
UPDATE "audit_log" SET "shown_in" = "workspace_id" WHERE "workspace_id" IS NOT NULL;
