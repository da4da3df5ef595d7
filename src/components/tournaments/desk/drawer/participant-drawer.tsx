'use client';

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { actionDefinitions, actionNames } from '@/components/tournaments/desk/actions/actions';
import { Answers } from '@/components/tournaments/desk/drawer/answers';
import { ParticipantHistory } from '@/components/tournaments/desk/drawer/participant-history';
import { Roster } from '@/components/tournaments/desk/drawer/roster';
import { ParticipantStatus } from '@/components/tournaments/desk/participant-status';
import type { DeskAction, DeskRow, ParticipantDetail, Tournament } from '@/components/tournaments/desk/queries';
import { SlotNote } from '@/components/tournaments/desk/slot-note';
import { Facts } from '@/components/ui/data/card';
import { Button } from '@/components/ui/form/button';
import { type TabItem, Tabs } from '@/components/ui/navigation/tabs';
import { Sheet } from '@/components/ui/overlay/dialog';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { Copy } from '@/components/ui/text/copy';
import { DateTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';

/** What may be done to this entrant now, as the server says. */
function Actions({ actions, onAct }: { actions: readonly string[]; onAct: (action: DeskAction) => void }) {
  const possible = actionNames.filter((action) => actions.includes(action));
  if (possible.length === 0) return <p className="text-muted">There is nothing you can do to this entrant now.</p>;
  return (
    <div className="flex flex-wrap gap-2">
      {possible.map((action, index) => {
        const { label: word, icon: Icon, danger } = actionDefinitions[action];
        return (
          <Button
            key={action}
            size="sm"
            className={danger ? 'text-danger max-md:h-11' : 'max-md:h-11'}
            variant={index === 0 && !danger ? 'primary' : 'secondary'}
            icon={<Icon aria-hidden />}
            onClick={() => onAct(action)}
          >
            {word}
          </Button>
        );
      })}
    </div>
  );
}

function Overview({
  entrant,
  tournament,
  onAct,
}: {
  entrant: ParticipantDetail;
  tournament: Tournament;
  onAct: (action: DeskAction) => void;
}) {
  const moment = (label: string, value: string | null) =>
    value ? [{ label, value: <DateTime value={value} style="short" /> }] : [];
  const items: { label: string; value: ReactNode }[] = [
    { label: 'State', value: <ParticipantStatus entrant={entrant} /> },
    ...(entrant.statusReason
      ? [
          {
            label: 'Reason given',
            value: (
              <span dir="auto" className="wrap-anywhere">
                {entrant.statusReason}
              </span>
            ),
          },
        ]
      : []),
    { label: 'Seed', value: entrant.seed ?? <span className="text-muted">Not seeded</span> },
    {
      label: 'E-mail',
      value: (
        <a
          className="wrap-anywhere text-accent underline underline-offset-4"
          href={`mailto:${encodeURIComponent(entrant.contact.email)}`}
        >
          {entrant.contact.email}
        </a>
      ),
    },
    ...moment('Registered', entrant.registeredAt),
    ...moment('Approved', entrant.approvedAt),
    ...moment('Checked in', entrant.checkedInAt),
    ...moment('Cancelled', entrant.cancelledAt),
    { label: 'Id', value: <Copy value={entrant.id} label="Copy the entrant's id" /> },
  ];
  return (
    <div className="grid grid-cols-1 gap-6">
      <div className="grid grid-cols-1 gap-3">
        <SlotNote entrant={entrant} tournament={tournament} />
        <Actions actions={entrant.actions} onAct={onAct} />
      </div>
      <Facts items={items} />
    </div>
  );
}

/** Everything known of one entrant, and what can be done to it. */
export function ParticipantDrawer({
  row,
  tournament,
  onClose,
  onAct,
  onChanged,
}: {
  row: DeskRow | null;
  tournament: Tournament;
  onClose: () => void;
  onAct: (action: DeskAction, row: DeskRow) => void;
  onChanged: () => void;
}) {
  const trpc = useTRPC();
  const [tab, setTab] = useState('overview');
  const query = useQuery({
    ...trpc.participants.read.queryOptions({ tournamentId: tournament.id, participantId: row?.id ?? '' }),
    enabled: row !== null,
  });
  const entrant = query.data;

  function tabsOf(shown: DeskRow, managed: ParticipantDetail): TabItem[] {
    const history = <ParticipantHistory tournamentId={tournament.id} participantId={managed.id} />;
    return [
      {
        value: 'overview',
        label: 'Overview',
        content: <Overview entrant={managed} tournament={tournament} onAct={(action) => onAct(action, shown)} />,
      },
      ...(managed.type === 'team'
        ? [
            {
              value: 'roster',
              label: 'Roster',
              count: managed.roster.length,
              content: <Roster entrant={managed} onChanged={onChanged} />,
            },
          ]
        : []),
      { value: 'answers', label: 'Answers', content: <Answers entrant={managed} tournament={tournament} /> },
      { value: 'history', label: 'History', content: history },
    ];
  }

  return (
    <Sheet open={row !== null} onOpenChange={(open) => !open && onClose()} title={row?.name ?? ''}>
      {/* As high on a phone whatever the tab, so that the tabs stay under the thumb. */}
      <div className="max-sm:min-h-[60dvh]">
        {row === null ? null : query.isError ? (
          <QueryError title="This entrant could not be read" query={query} />
        ) : entrant ? (
          <Tabs
            label="About this entrant"
            items={tabsOf(row, entrant)}
            value={tab === 'roster' && entrant.type !== 'team' ? 'overview' : tab}
            onValueChange={setTab}
          />
        ) : (
          <SkeletonText lines={8} />
        )}
      </div>
    </Sheet>
  );
}
