ALTER TABLE "invitations" ADD COLUMN "mailed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "returning" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Until now the link of every invitation was shown to the admin who invited, and accepting one counted as a proof of its address.
-- Only accepting an invitation, the set-up and the company's provider make an account, its password and its first session in one
-- transaction; the audit log and the times of the rows show it.
UPDATE "users" SET "email_confirmed" = false
WHERE ("id" IN (
	SELECT c."object" FROM "audit_log" c
	JOIN "audit_log" s ON s."at" = c."at" AND s."actor" = c."object" AND s."action" = 'session.create'
	WHERE c."action" = 'user.create' AND NOT EXISTS (
		SELECT FROM "audit_log" l WHERE l."at" = c."at" AND l."actor" = c."object" AND l."action" = 'user.link'))
OR "id" IN (
	-- For entries that are deleted already; the first of all users made the installation.
	SELECT p."user_id" FROM "passwords" p JOIN "users" u ON u."id" = p."user_id"
	WHERE p."updated_at" = u."created_at" AND u."created_at" > (SELECT min("created_at") FROM "users")))
AND "id" NOT IN (
	SELECT a."object" FROM "audit_log" a
	WHERE a."action" IN ('setup.complete', 'user.confirm-email') OR (a."action" = 'user.email' AND a."actor" = 'operator'));
