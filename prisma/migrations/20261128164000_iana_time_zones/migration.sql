-- Names of time zones that are ICU's own, of which browsers do not know some: each becomes the zone of the IANA time zone database that ICU
-- means by it. Of those that stand for a fixed offset, a zone that has that offset all year.
CREATE TEMPORARY TABLE "zone_names" ("old" TEXT, "iana" TEXT);
INSERT INTO "zone_names" VALUES
  ('act', 'Australia/Darwin'), ('aet', 'Australia/Sydney'), ('agt', 'America/Argentina/Buenos_Aires'), ('art', 'Africa/Cairo'),
  ('ast', 'America/Anchorage'), ('bet', 'America/Sao_Paulo'), ('bst', 'Asia/Dhaka'), ('cat', 'Africa/Maputo'),
  ('cnt', 'America/St_Johns'), ('cst', 'America/Chicago'), ('ctt', 'Asia/Shanghai'), ('eat', 'Africa/Nairobi'),
  ('ect', 'Europe/Paris'), ('iet', 'America/Indiana/Indianapolis'), ('ist', 'Asia/Kolkata'), ('jst', 'Asia/Tokyo'),
  ('mit', 'Pacific/Apia'), ('net', 'Asia/Yerevan'), ('nst', 'Pacific/Auckland'), ('plt', 'Asia/Karachi'),
  ('pnt', 'America/Phoenix'), ('prt', 'America/Puerto_Rico'), ('pst', 'America/Los_Angeles'), ('sst', 'Pacific/Guadalcanal'),
  ('vst', 'Asia/Ho_Chi_Minh'), ('us/pacific-new', 'America/Los_Angeles'), ('canada/east-saskatchewan', 'America/Regina'),
  ('systemv/ast4adt', 'America/Halifax'), ('systemv/ast4', 'America/Puerto_Rico'),
  ('systemv/est5edt', 'America/New_York'), ('systemv/est5', 'America/Panama'),
  ('systemv/cst6cdt', 'America/Chicago'), ('systemv/cst6', 'America/Regina'),
  ('systemv/mst7mdt', 'America/Denver'), ('systemv/mst7', 'America/Phoenix'),
  ('systemv/pst8pdt', 'America/Los_Angeles'), ('systemv/pst8', 'Pacific/Pitcairn'),
  ('systemv/yst9ydt', 'America/Anchorage'), ('systemv/yst9', 'Pacific/Gambier'),
  ('systemv/hst10', 'Pacific/Honolulu');
-- As with every change of the settings, a form that was opened before is refused, and calendars take the entry anew.
-- No event is sent for it: no time changes.
UPDATE "tournament" t SET "timezone" = z."iana", "version" = t."version" + 1, "updatedAt" = now()
  FROM "zone_names" z WHERE lower(t."timezone") = z."old";
UPDATE "user" u SET "timezone" = z."iana", "updatedAt" = now() FROM "zone_names" z WHERE lower(u."timezone") = z."old";
DROP TABLE "zone_names";
