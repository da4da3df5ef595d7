-- As before, and what was counted while the clock ran ahead counts as of now once it is set back: it would be kept until that time otherwise.
CREATE OR REPLACE FUNCTION "rate_limit_take"(p_subject TEXT, p_wanted INTEGER, p_limit INTEGER, p_window_ms BIGINT, p_slot_ms BIGINT,
  OUT granted INTEGER, OUT used_before INTEGER, OUT free_in_ms BIGINT)
LANGUAGE plpgsql AS $$
DECLARE
  win "rate_limit_window"%ROWTYPE;
  now_ms BIGINT;
  slot_end BIGINT;
  gone INTEGER := 0;
  ahead BOOLEAN := false;
  n INTEGER;
  expires TIMESTAMPTZ;
BEGIN
  LOOP
    SELECT * INTO win FROM "rate_limit_window" WHERE "subject" = p_subject FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO "rate_limit_window" ("subject", "slots", "hits", "total", "expiresAt", "deletableAt")
    VALUES (p_subject, '{}', '{}', 0, now(), now() + p_window_ms * interval '1 ms' + interval '1 hour') ON CONFLICT DO NOTHING;
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

  slot_end := (now_ms / p_slot_ms + 1) * p_slot_ms - 1;
  FOR slot IN REVERSE n..1 LOOP
    EXIT WHEN win."slots"[slot] <= slot_end;
    win."slots"[slot] := slot_end;
    ahead := true;
  END LOOP;

  used_before := win."total";
  granted := least(p_wanted, greatest(p_limit - used_before, 0));
  IF granted > 0 OR ahead THEN
    IF n > 0 AND win."slots"[n] = slot_end THEN
      win."hits"[n] := win."hits"[n] + granted;
    ELSE
      n := n + 1;
      win."slots"[n] := slot_end;
      win."hits"[n] := granted;
    END IF;
    expires := to_timestamp((win."slots"[n] + p_window_ms) / 1000.0);
    UPDATE "rate_limit_window" SET "slots" = win."slots", "hits" = win."hits", "total" = used_before + granted,
      "expiresAt" = expires, "deletableAt" = CASE WHEN expires > "deletableAt" THEN expires + interval '1 hour' ELSE "deletableAt" END
    WHERE "subject" = p_subject;
  END IF;
  free_in_ms := CASE WHEN n = 0 THEN 0 ELSE greatest(win."slots"[1] + p_window_ms - now_ms, 0) END;
END $$;
