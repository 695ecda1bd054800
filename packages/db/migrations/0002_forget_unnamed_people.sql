CREATE OR REPLACE FUNCTION forget_people(ids text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
	heads text[];
	locked text[];
BEGIN
	heads := ARRAY(SELECT DISTINCT coalesce(p."merged_into", p."id") FROM "people" p WHERE p."id" = ANY ("ids"));
	IF heads = '{}' THEN
		RETURN;
	END IF;
	locked := ARRAY(SELECT p."id" FROM "people" p WHERE p."id" = ANY (heads) OR p."merged_into" = ANY (heads)
		ORDER BY p."id" FOR UPDATE SKIP LOCKED);
	-- A person without an address who was never renamed or merged stays only while a speaker is named as them, or a task
	-- of nobody who spoke is theirs: other speakers with the ID are unconfirmed, and have no row.
	DELETE FROM "people" p WHERE p."id" = ANY (locked) AND NOT EXISTS (
		SELECT FROM "people" g
		JOIN "people" h ON h."id" = coalesce(g."merged_into", g."id")
		CROSS JOIN LATERAL (SELECT h."revision" > 0
			OR EXISTS (SELECT FROM "person_emails" e WHERE e."person_id" = g."id") AS "is_known") k
		WHERE h."id" = coalesce(p."merged_into", p."id")
			AND (g."id" <> ALL (locked)
				OR EXISTS (SELECT FROM "participants" s WHERE s."person_id" = g."id"
					AND (k."is_known" OR s."named" OR s."email" IS NOT NULL))
				OR EXISTS (SELECT FROM "tasks" t WHERE t."assignee_person_id" = g."id"
					AND (k."is_known" OR t."assignee_email" IS NOT NULL OR NOT EXISTS (
						SELECT FROM "participants" s WHERE s."meeting_id" = t."meeting_id" AND s."id" = t."assignee_id")))));
END $$;
