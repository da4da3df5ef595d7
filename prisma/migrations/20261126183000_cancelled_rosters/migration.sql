-- Once rosters are locked, a team that cancelled registers again with the players that it had.
ALTER TABLE "participant" ADD COLUMN "cancelledRoster" TEXT[] DEFAULT ARRAY[]::TEXT[];
