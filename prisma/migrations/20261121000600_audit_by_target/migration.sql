-- The audit log narrowed to what was acted on.
CREATE INDEX "audit_entry_projectId_targetType_createdAt_idx" ON "audit_entry"("projectId", "targetType", "createdAt");
