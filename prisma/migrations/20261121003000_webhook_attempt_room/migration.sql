-- Every attempt is written twice, before and after its request: with room on its page the second writing touches no index.
ALTER TABLE "webhook_attempt" SET (fillfactor = 50);
