-- What lots are drawn with, where a draw was imported; empty: the ids of its participants.
ALTER TABLE "bracket" ADD COLUMN     "lots" TEXT[] DEFAULT ARRAY[]::TEXT[];
