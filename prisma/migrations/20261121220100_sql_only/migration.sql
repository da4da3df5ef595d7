-- What the models cannot say: checks, partial and expression indexes, storage, triggers and functions, by table.

-- Users, projects and keys ---------------------------------------------------------------------------------------------

ALTER TABLE "user" ADD CONSTRAINT "user_email_lower" CHECK ("email" = lower("email"));
CREATE UNIQUE INDEX "invitation_one_open" ON "invitation" ("projectId", "email") WHERE "acceptedAt" IS NULL AND "revokedAt" IS NULL;

-- Every process forgets a revoked or changed key at once.
CREATE FUNCTION "notify_api_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR NEW."revokedAt" IS DISTINCT FROM OLD."revokedAt" OR NEW."expiresAt" IS DISTINCT FROM OLD."expiresAt"
     OR NEW."scopes" IS DISTINCT FROM OLD."scopes" THEN
    PERFORM pg_notify('laurel_api_key', OLD."publicId");
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "api_key_notify" AFTER UPDATE OR DELETE ON "api_key" FOR EACH ROW EXECUTE FUNCTION "notify_api_key"();
CREATE FUNCTION "notify_project_plan"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('laurel_api_key', k."publicId") FROM "api_key" k WHERE k."projectId" = NEW."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "project_plan_notify" AFTER UPDATE OF "plan" ON "project" FOR EACH ROW EXECUTE FUNCTION "notify_project_plan"();

-- Teams ----------------------------------------------------------------------------------------------------------------

CREATE UNIQUE INDEX "team_member_captain_key" ON "team_member"("teamId") WHERE "role" = 'captain';

ALTER TABLE "team_invitation" ADD CONSTRAINT "team_invitation_role_check" CHECK ("role" <> 'captain');
ALTER TABLE "team_invitation" ADD CONSTRAINT "team_invitation_one_check" CHECK ("userId" IS NULL OR "email" IS NULL);
-- One open invitation per team and player or email; without either it is the team's one link.
CREATE UNIQUE INDEX "team_invitation_open_key" ON "team_invitation"("teamId", coalesce("userId", "email", ''))
  WHERE "acceptedAt" IS NULL AND "declinedAt" IS NULL AND "revokedAt" IS NULL;

-- Tournaments ----------------------------------------------------------------------------------------------------------

ALTER TABLE "tournament" ADD CONSTRAINT "tournament_participants_within_cap"
  CHECK ("currentParticipants" >= 0 AND "currentParticipants" <= "maxParticipants");
ALTER TABLE "tournament" ADD CONSTRAINT "tournament_sizes"
  CHECK ("maxParticipants" >= 2 AND "teamSize" >= 1 AND "rosterMin" >= 1 AND "rosterMax" >= "rosterMin");
ALTER TABLE "tournament" ADD CONSTRAINT "tournament_registration_window"
  CHECK ("registrationOpensAt" IS NULL OR "registrationClosesAt" IS NULL OR "registrationOpensAt" <= "registrationClosesAt");
ALTER TABLE "tournament" ADD CONSTRAINT "tournament_check_in_window"
  CHECK ("checkInOpensAt" IS NULL OR "checkInClosesAt" IS NULL OR "checkInOpensAt" <= "checkInClosesAt");

-- API keys list a project's tournaments by start, without drafts; pages are counted and skipped in the index alone.
CREATE INDEX "tournament_listed" ON "tournament" ("projectId", "startDate", "id") WHERE "status" <> 'DRAFT';
-- Public lists by phase: without these, the first page of upcoming tournaments lies behind everything ever played.
CREATE INDEX "tournament_public_current" ON "tournament" ("startDate", "id")
  WHERE "visibility" = 'public' AND "publishedAt" IS NOT NULL AND "status" IN ('PUBLISHED', 'IN_PROGRESS');
CREATE INDEX "tournament_public_past" ON "tournament" ("startDate", "id")
  WHERE "visibility" = 'public' AND "publishedAt" IS NOT NULL AND "status" IN ('COMPLETED', 'CANCELLED');
-- The public list by game, format or status is counted and skipped in the index alone. It holds no column that a
-- registration changes.
CREATE INDEX "tournament_public_list" ON "tournament" ("startDate", "id") INCLUDE ("gameId", "format", "status")
  WHERE "visibility" = 'public' AND "publishedAt" IS NOT NULL;
-- Search for words of a name, over every list.
CREATE INDEX "tournament_name_search" ON "tournament"
  USING gin (to_tsvector('simple', translate("name", '-./:@_', '      ')));
-- Each minute, the sweep of registration announcements asks every published tournament for its times; all that it reads
-- is in this index. It holds no column that a registration changes.
CREATE INDEX "tournament_schedule" ON "tournament"
  ("registrationAnnounced", "registrationOpensAt", "publishedAt", "registrationClosesAt", "startDate", "id")
  WHERE "status" = 'PUBLISHED';

-- A banner that no tournament shows any more is deleted an hour later: until then, pages that were just read still show it.
CREATE FUNCTION "release_banner"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR NEW."bannerId" IS DISTINCT FROM OLD."bannerId" THEN
    UPDATE "media_file" SET "expiresAt" = now() + interval '1 hour', "updatedAt" = now() WHERE "id" = OLD."bannerId";
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "tournament_release_banner" AFTER DELETE OR UPDATE OF "bannerId" ON "tournament"
  FOR EACH ROW WHEN (OLD."bannerId" IS NOT NULL) EXECUTE FUNCTION "release_banner"();

-- Participants ---------------------------------------------------------------------------------------------------------

-- The order of a waitlist comes from one sequence, taken under the tournament's row lock.
CREATE SEQUENCE "participant_waitlist_order";
ALTER TABLE "participant" ADD CONSTRAINT "participant_waitlist_order_when_waitlisted"
  CHECK (("registrationStatus" = 'waitlisted') = ("waitlistOrder" IS NOT NULL));
CREATE INDEX "participant_waitlist_queue" ON "participant" ("tournamentId", "waitlistOrder") WHERE "registrationStatus" = 'waitlisted';
CREATE UNIQUE INDEX "participant_seed_unique" ON "participant" ("tournamentId", "seed") WHERE "seed" IS NOT NULL;

-- Domain events --------------------------------------------------------------------------------------------------------

CREATE INDEX "domain_event_undispatched" ON "domain_event" ("sequence") WHERE "dispatchedAt" IS NULL;
-- Every process listens: live pages and the relay wake at commit, wherever the change was made. The notice names the user
-- it is about, so that a player's own pages can follow what concerns them.
CREATE FUNCTION "notify_domain_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('laurel_event', json_build_object(
    'id', NEW."id", 'type', NEW."type", 'projectId', NEW."projectId",
    'aggregateType', NEW."aggregateType", 'aggregateId', NEW."aggregateId",
    'tournamentId', NEW."payload"->>'tournamentId', 'userId', NEW."payload"->>'userId')::text);
  RETURN NULL;
END $$;
CREATE TRIGGER "domain_event_notify" AFTER INSERT ON "domain_event" FOR EACH ROW EXECUTE FUNCTION "notify_domain_event"();

-- Webhooks -------------------------------------------------------------------------------------------------------------

CREATE INDEX "webhook_subscription_health" ON "webhook_subscription" ("healthCheckedAt" NULLS FIRST) WHERE "healthCheck" IS NOT NULL;

-- Whatever is held says why.
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_held_reason"
  CHECK (("status" = 'held') = ("heldReason" IS NOT NULL));
-- The pending deliveries of a subscription, in the order in which they are due.
CREATE INDEX "webhook_delivery_queue" ON "webhook_delivery" ("subscriptionId", "nextAttemptAt", "id") WHERE "status" = 'pending';
-- The held deliveries of a subscription, in the order in which they are released; they expire after 24 hours.
CREATE INDEX "webhook_delivery_held" ON "webhook_delivery" ("subscriptionId", "nextAttemptAt", "id") WHERE "status" = 'held';
CREATE INDEX "webhook_delivery_held_expiry" ON "webhook_delivery" ("expiresAt") WHERE "status" = 'held';
-- Attempts of deliveries that are older than a span of time, but were sent again within it.
CREATE INDEX "webhook_delivery_replayed" ON "webhook_delivery" ("subscriptionId", "replayedAt") WHERE "replayedAt" IS NOT NULL;
-- A subscription has one bulk replay at a time.
CREATE UNIQUE INDEX "webhook_replay_running" ON "webhook_replay" ("subscriptionId") WHERE "finishedAt" IS NULL;
-- Every attempt is written twice, before and after its request: with room on its page, the second write touches no index.
ALTER TABLE "webhook_attempt" SET (fillfactor = 50);

-- Email ----------------------------------------------------------------------------------------------------------------

-- What is left to send; the sweep reads nothing else.
CREATE INDEX "outgoing_mail_open" ON "outgoing_mail" ("createdAt") WHERE "sentAt" IS NULL AND "failedAt" IS NULL;

-- Rate limits ----------------------------------------------------------------------------------------------------------

-- Unlogged: counting must not wait for the disk, and after a crash every count starts at zero. The key is its only index
-- and half of each page is free, so that an update stays on its page.
ALTER TABLE "rate_limit_window" SET UNLOGGED;
ALTER TABLE "rate_limit_window" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);

-- Counts up to p_wanted hits of a subject, as many as keep every window of p_window_ms at or below p_limit.
-- Hits are kept by slots of p_slot_ms and leave a whole slot at a time, never early. The row lock makes it exact over
-- all processes; the clock is read under that lock.
CREATE FUNCTION "rate_limit_take"(p_subject TEXT, p_wanted INTEGER, p_limit INTEGER, p_window_ms BIGINT, p_slot_ms BIGINT,
  OUT granted INTEGER, OUT used_before INTEGER, OUT free_in_ms BIGINT)
LANGUAGE plpgsql AS $$
DECLARE
  win "rate_limit_window"%ROWTYPE;
  now_ms BIGINT;
  slot_end BIGINT;
  gone INTEGER := 0;
  n INTEGER;
BEGIN
  LOOP
    SELECT * INTO win FROM "rate_limit_window" WHERE "subject" = p_subject FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO "rate_limit_window" VALUES (p_subject, '{}', '{}', 0, now()) ON CONFLICT DO NOTHING;
  END LOOP;
  now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000);
  n := cardinality(win."slots");
  WHILE gone < n AND win."slots"[gone + 1] + p_window_ms <= now_ms LOOP
    gone := gone + 1;
    win."total" := win."total" - win."hits"[gone];
  END LOOP;
  IF gone > 0 THEN
    win."slots" := win."slots"[gone + 1:];
    win."hits" := win."hits"[gone + 1:];
    n := n - gone;
  END IF;

  used_before := win."total";
  granted := least(p_wanted, greatest(p_limit - used_before, 0));
  IF granted > 0 THEN
    slot_end := (now_ms / p_slot_ms + 1) * p_slot_ms - 1;
    IF n > 0 AND win."slots"[n] >= slot_end THEN
      win."hits"[n] := win."hits"[n] + granted;
    ELSE
      n := n + 1;
      win."slots"[n] := slot_end;
      win."hits"[n] := granted;
    END IF;
    UPDATE "rate_limit_window" SET "slots" = win."slots", "hits" = win."hits", "total" = used_before + granted,
      "expiresAt" = to_timestamp((win."slots"[n] + p_window_ms) / 1000.0)
    WHERE "subject" = p_subject;
  END IF;
  free_in_ms := CASE WHEN n = 0 THEN 0 ELSE greatest(win."slots"[1] + p_window_ms - now_ms, 0) END;
END $$;

-- Takes back up to p_points of the newest hits of a subject.
CREATE FUNCTION "rate_limit_return"(p_subject TEXT, p_points INTEGER) RETURNS INTEGER
LANGUAGE plpgsql AS $$
DECLARE
  win "rate_limit_window"%ROWTYPE;
  n INTEGER;
  back INTEGER;
  remaining INTEGER := p_points;
BEGIN
  SELECT * INTO win FROM "rate_limit_window" WHERE "subject" = p_subject FOR UPDATE;
  IF NOT FOUND THEN RETURN 0; END IF;
  n := cardinality(win."slots");
  WHILE n > 0 AND remaining > 0 LOOP
    back := least(remaining, win."hits"[n]);
    win."hits"[n] := win."hits"[n] - back;
    win."total" := win."total" - back;
    remaining := remaining - back;
    IF win."hits"[n] = 0 THEN n := n - 1; END IF;
  END LOOP;
  UPDATE "rate_limit_window" SET "slots" = win."slots"[:n], "hits" = win."hits"[:n], "total" = win."total"
  WHERE "subject" = p_subject;
  RETURN win."total";
END $$;
