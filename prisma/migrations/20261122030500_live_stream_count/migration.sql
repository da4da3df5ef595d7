-- CreateTable
CREATE UNLOGGED TABLE "live_stream_count" (
    "network" TEXT NOT NULL,
    "process" TEXT NOT NULL,
    "streams" INTEGER NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "live_stream_count_pkey" PRIMARY KEY ("network","process")
);
