-- AlterEnum
ALTER TYPE "ai_verdict_failure" ADD VALUE 'too_many';
