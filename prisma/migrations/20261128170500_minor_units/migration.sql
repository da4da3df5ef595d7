-- Amounts of currencies whose minor unit the server and most browsers left out: what they were shown as, they go on being shown as.
CREATE TEMPORARY TABLE "minor_units" ("code" TEXT, "units" BIGINT);
INSERT INTO "minor_units" SELECT unnest('{HUF,IDR,PKR,COP,ALL,AFN,IRR,KPW,LAK,LBP,MGA,MMK,SLL,SOS,SYP,YER}'::text[]), 100;
INSERT INTO "minor_units" VALUES ('IQD', 1000);
-- The largest amount that a tournament may have.
UPDATE "tournament" t SET "version" = t."version" + 1, "updatedAt" = now(),
  "entryFee" = jsonb_set(t."entryFee", '{amount}', to_jsonb(least((t."entryFee"->>'amount')::bigint * m."units", 1000000000000)))
  FROM "minor_units" m WHERE t."entryFee"->>'currency' = m."code";
UPDATE "tournament" t SET "version" = t."version" + 1, "updatedAt" = now(),
  "prizePool" = jsonb_set(t."prizePool", '{amount}', to_jsonb(least((t."prizePool"->>'amount')::bigint * m."units", 1000000000000)))
  FROM "minor_units" m WHERE t."prizePool"->>'currency' = m."code";
DROP TABLE "minor_units";
