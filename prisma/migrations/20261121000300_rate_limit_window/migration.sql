-- Unlogged: counting must not wait for the disk, and after a crash every count starts anew. No index but the key, so that
-- each update stays on its page; half of each page is left free for that.
CREATE UNLOGGED TABLE "rate_limit_window" (
  "subject" TEXT NOT NULL,
  "slots" BIGINT[],
  "hits" INTEGER[],
  "total" INTEGER NOT NULL,
  "expiresAt" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "rate_limit_window_pkey" PRIMARY KEY ("subject")
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);

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
