-- Open invitations of people who are no longer admins of the workspace, or are deleted.
WITH revoked AS (
	DELETE FROM "invitations" i WHERE NOT i."returning" AND NOT EXISTS (
		SELECT FROM "members" m
		WHERE m."user_id" = i."created_by" AND m."workspace_id" = i."workspace_id" AND m."role" = 'admin')
	RETURNING i."id", i."workspace_id")
INSERT INTO "audit_log" ("actor", "action", "object", "shown_in")
SELECT 'operator', 'invitation.revoke', "id", "workspace_id" FROM revoked;
