-- What participants draw lots with comes from it; every existing tournament gets one of its own.
ALTER TABLE "tournament" ADD COLUMN     "lotSecret" UUID NOT NULL DEFAULT gen_random_uuid();
