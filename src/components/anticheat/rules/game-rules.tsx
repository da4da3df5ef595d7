'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { changesOf, type Draft, isValid, noDraft, triedRules, withChange } from '@/components/anticheat/rules/draft';
import { ReplayPanel } from '@/components/anticheat/rules/replay-panel';
import { RuleCard } from '@/components/anticheat/rules/rule-card';
import { Button } from '@/components/ui/form/button';
import { FormError } from '@/components/ui/form/form-error';
import { FormActions } from '@/components/ui/form/form-section';
import { Select } from '@/components/ui/form/select';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { RelativeTime } from '@/components/ui/text/date-time';
import { type AntiCheatGame, antiCheatGameNames, antiCheatGames } from '@/domain/anticheat/games';
import { whoCan } from '@/domain/projects/permissions';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const games = antiCheatGames.map((value) => ({ value, label: antiCheatGameNames[value] }));

/** The rules of a game, to tune and to replay before saving. `base` is the path of the anti-cheat pages. */
export function GameRules({
  projectId,
  game,
  base,
  canChange,
}: {
  projectId: string;
  game: AntiCheatGame;
  base: string;
  canChange: boolean;
}) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<Draft>(noDraft);
  const options = trpc.antiCheat.rules.get.queryOptions({ projectId, game });
  const query = useQuery(options);
  const save = useMutation(
    trpc.antiCheat.rules.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(options.queryKey, saved);
        setDraft(noDraft);
        toastSuccess('Rules saved', 'Running sessions use them within seconds.');
      },
      onError: (error) => {
        if (readError(error).reason === 'VERSION_MISMATCH') void query.refetch();
      },
    }),
  );
  const { data } = query;
  const changes = data ? changesOf(data.rules, draft) : [];
  const valid = data ? isValid(data.rules, draft) : false;
  const failed = save.error ? readError(save.error) : null;
  const isStale = failed?.reason === 'VERSION_MISMATCH';

  return (
    <div className="grid grid-cols-1 gap-6">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <Select
          aria-label="Game"
          className="w-56"
          value={game}
          onValueChange={(value) => router.push(`${base}/rules?game=${value}`)}
          options={games}
        />
        {data?.updatedAt ? (
          <p className="text-muted">
            Changed <RelativeTime value={data.updatedAt} />
            {data.updatedBy ? (
              <>
                {' '}
                by <bdi>{data.updatedBy}</bdi>
              </>
            ) : null}
          </p>
        ) : null}
      </div>
      {canChange ? null : <p className="text-muted">{whoCan('anticheat:write')} can change and replay the rules.</p>}
      {query.error ? <QueryError title="The rules could not be loaded" query={query} /> : null}
      {query.isPending ? <SkeletonTable rows={5} label="Loading rules" /> : null}
      {data ? (
        <ul aria-label="Rules" className="grid grid-cols-1 gap-4">
          {data.rules.map((rule) => (
            <RuleCard
              key={rule.ruleId}
              rule={rule}
              draft={draft}
              canChange={canChange}
              onChange={(change) => setDraft((before) => withChange(before, rule.ruleId, change))}
            />
          ))}
        </ul>
      ) : null}
      {data && canChange ? (
        <>
          <ReplayPanel
            projectId={projectId}
            game={game}
            base={base}
            tried={valid ? triedRules(data.rules, draft) : null}
            isDrafted={changes.length > 0}
          />
          <FormError
            error={
              isStale && failed
                ? {
                    ...failed,
                    message:
                      'Someone else changed these rules. Their values are loaded and yours are kept: check them, then save again.',
                  }
                : failed
            }
          />
          <FormActions
            note={
              changes.length === 0
                ? 'No changes'
                : `${counted(changes.length, 'rule')} changed. Detections that were raised stay.`
            }
          >
            <Button
              disabled={Object.keys(draft).length === 0}
              onClick={() => {
                setDraft(noDraft);
                save.reset();
              }}
            >
              Discard
            </Button>
            <Button
              variant="primary"
              disabled={changes.length === 0 || !valid}
              loading={save.isPending}
              onClick={() => save.mutate({ projectId, game, rules: changes, version: data.version })}
            >
              Save rules
            </Button>
          </FormActions>
        </>
      ) : null}
    </div>
  );
}
