-- AlterTable
ALTER TABLE "project" ADD COLUMN     "createdById" TEXT;

-- CreateIndex
CREATE INDEX "project_createdById_idx" ON "project"("createdById");

-- Who created the projects that exist.
UPDATE "project" p SET "createdById" = a."actorId" FROM "audit_entry" a
WHERE a."targetId" = p."id" AND a."action" = 'project.create' AND a."actorType" = 'user';

-- Quotas and guesses are still counted after a crash.
ALTER TABLE "rate_limit_window" SET LOGGED;
