UPDATE "audit_entry" SET "projectId" = NULL, "details" = "details" || jsonb_build_object('projectId', "projectId")
WHERE "targetType" = 'anti_cheat_client' AND "projectId" IS NOT NULL;
