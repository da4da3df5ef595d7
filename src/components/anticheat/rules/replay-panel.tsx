'use client';

import { useMutation } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { ReplayResult } from '@/components/anticheat/rules/replay-result';
import { Card } from '@/components/ui/data/card';
import { Button } from '@/components/ui/form/button';
import { FormError } from '@/components/ui/form/form-error';
import { Select } from '@/components/ui/form/select';
import type { AntiCheatGame } from '@/domain/anticheat/games';
import { reportLifetime } from '@/domain/anticheat/lifetimes';
import type { RuleChange } from '@/domain/anticheat/rule-settings';
import { durationInWords } from '@/domain/time/durations';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const sessionCounts = [5, 20, 50].map((count) => ({ value: String(count), label: `Last ${count} sessions` }));

/** Tries the rules as they are drafted on what was reported. `tried` is null while a threshold is out of range. */
export function ReplayPanel({
  projectId,
  game,
  base,
  tried,
  isDrafted,
}: {
  projectId: string;
  game: AntiCheatGame;
  base: string;
  tried: RuleChange[] | null;
  isDrafted: boolean;
}) {
  const trpc = useTRPC();
  const [sessions, setSessions] = useState('20');
  const [shown, setShown] = useState<{ id: string; tried: string } | null>(null);
  const start = useMutation(
    trpc.antiCheat.replays.start.mutationOptions({
      onSuccess: ({ id }, { rules }) => setShown({ id, tried: JSON.stringify(rules) }),
    }),
  );
  return (
    <Card
      title="Replay"
      description={`See what ${isDrafted ? 'your changes' : 'these rules'} would have raised, beside what was raised. Nothing is raised or saved. Reports are kept for ${durationInWords(reportLifetime)}.`}
    >
      <div className="grid grid-cols-1 gap-5">
        <div className="flex flex-wrap gap-3">
          <Select
            aria-label="Sessions to replay"
            className="w-52"
            value={sessions}
            onValueChange={setSessions}
            options={sessionCounts}
          />
          <Button
            icon={<History aria-hidden />}
            disabled={tried === null}
            loading={start.isPending}
            onClick={() => tried && start.mutate({ projectId, game, rules: tried, sessions: Number(sessions) })}
          >
            Replay
          </Button>
        </div>
        <FormError error={start.error ? readError(start.error) : null} />
        {shown ? (
          <ReplayResult
            key={shown.id}
            projectId={projectId}
            replayId={shown.id}
            base={base}
            isOutdated={tried !== null && JSON.stringify(tried) !== shown.tried}
          />
        ) : null}
      </div>
    </Card>
  );
}
