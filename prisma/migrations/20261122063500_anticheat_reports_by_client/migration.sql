-- Old reports are deleted client by client, through the index that evaluation reads.
DROP INDEX "anti_cheat_report_receivedAt_idx";
