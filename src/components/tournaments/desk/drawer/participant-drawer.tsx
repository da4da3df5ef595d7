'use client';

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { actionDefinitions, actionNames } from '@/components/tournaments/desk/actions/actions';
import { Answers } from '@/components/tournaments/desk/drawer/answers';
import { ParticipantHistory } from '@/components/tournaments/desk/drawer/participant-history';
import { Roster } from '@/components/tournaments/desk/drawer/roster';
import { type GuestAction, guestActionNames, guestActions } from '@/components/tournaments/desk/guests/guest-actions';
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

/** The actions the server allows for this participant now. */
function Actions({
  actions,
  onAct,
  onGuest,
}: {
  actions: readonly string[];
  onAct: (action: DeskAction) => void;
  /** Null for a participant with an account, and for viewers who may not edit guests. */
  onGuest: ((action: GuestAction) => void) | null;
}) {
  const allowed = actionNames.filter((action) => actions.includes(action));
  if (allowed.length === 0 && !onGuest) return <p className="text-muted">No actions available right now.</p>;
  return (
    <div className="flex flex-wrap gap-2">
      {allowed.map((action, index) => {
        const { label, icon: Icon, danger } = actionDefinitions[action];
        return (
          <Button
            key={action}
            size="sm"
            className={danger ? 'text-danger max-md:h-11' : 'max-md:h-11'}
            variant={index === 0 && !danger ? 'primary' : 'secondary'}
            icon={<Icon aria-hidden />}
            onClick={() => onAct(action)}
          >
            {label}
          </Button>
        );
      })}
      {onGuest
        ? guestActionNames.map((action) => {
            const { label, icon: Icon } = guestActions[action];
            return (
              <Button
                key={action}
                size="sm"
                className="max-md:h-11"
                icon={<Icon aria-hidden />}
                onClick={() => onGuest(action)}
              >
                {label}
              </Button>
            );
          })
        : null}
    </div>
  );
}

function Overview({
  participant,
  tournament,
  onAct,
  onGuest,
}: {
  participant: ParticipantDetail;
  tournament: Tournament;
  onAct: (action: DeskAction) => void;
  onGuest: ((action: GuestAction) => void) | null;
}) {
  const timeRow = (label: string, value: string | null) =>
    value ? [{ label, value: <DateTime value={value} style="short" /> }] : [];
  const items: { label: string; value: ReactNode }[] = [
    { label: 'Status', value: <ParticipantStatus participant={participant} /> },
    ...(participant.statusReason
      ? [
          {
            label: 'Reason',
            value: (
              <span dir="auto" className="wrap-anywhere">
                {participant.statusReason}
              </span>
            ),
          },
        ]
      : []),
    { label: 'Seed', value: participant.seed ?? <span className="text-muted">Not seeded</span> },
    {
      label: 'Email',
      value: participant.contact ? (
        <a
          className="wrap-anywhere text-accent underline underline-offset-4"
          href={`mailto:${encodeURIComponent(participant.contact.email)}`}
        >
          {participant.contact.email}
        </a>
      ) : (
        <span className="text-muted">None: a guest without an account</span>
      ),
    },
    ...timeRow('Registered', participant.registeredAt),
    ...timeRow('Approved', participant.approvedAt),
    ...timeRow('Checked in', participant.checkedInAt),
    ...timeRow('Cancelled', participant.cancelledAt),
    { label: 'Participant ID', value: <Copy value={participant.id} label="Copy the participant ID" /> },
  ];
  return (
    <div className="grid grid-cols-1 gap-6">
      <div className="grid grid-cols-1 gap-3">
        <SlotNote participant={participant} tournament={tournament} />
        <Actions actions={participant.actions} onAct={onAct} onGuest={participant.userId === null ? onGuest : null} />
      </div>
      <Facts items={items} />
    </div>
  );
}

/** Everything about one participant, with the actions for it. */
export function ParticipantDrawer({
  row,
  tournament,
  onClose,
  onAct,
  onGuest,
  onChanged,
}: {
  row: DeskRow | null;
  tournament: Tournament;
  onClose: () => void;
  onAct: (action: DeskAction, row: DeskRow) => void;
  onGuest: ((action: GuestAction, row: DeskRow) => void) | null;
  onChanged: () => void;
}) {
  const trpc = useTRPC();
  const [tab, setTab] = useState('overview');
  const query = useQuery({
    ...trpc.participants.read.queryOptions({ tournamentId: tournament.id, participantId: row?.id ?? '' }),
    enabled: row !== null,
  });
  const participant = query.data;

  function tabsOf(shown: DeskRow, detail: ParticipantDetail): TabItem[] {
    const history = <ParticipantHistory participant={detail} />;
    return [
      {
        value: 'overview',
        label: 'Overview',
        content: (
          <Overview
            participant={detail}
            tournament={tournament}
            onAct={(action) => onAct(action, shown)}
            onGuest={onGuest && ((action) => onGuest(action, shown))}
          />
        ),
      },
      ...(detail.type === 'team'
        ? [
            {
              value: 'roster',
              label: 'Roster',
              count: detail.roster.length,
              content: <Roster participant={detail} onChanged={onChanged} />,
            },
          ]
        : []),
      { value: 'answers', label: 'Answers', content: <Answers participant={detail} tournament={tournament} /> },
      { value: 'history', label: 'History', content: history },
    ];
  }

  return (
    <Sheet open={row !== null} onOpenChange={(open) => !open && onClose()} title={row?.name ?? ''}>
      {/* The same height for every tab on a phone, so that the tabs do not move under the thumb. */}
      <div className="max-sm:min-h-[60dvh]">
        {row === null ? null : query.isError ? (
          <QueryError title="The participant could not be loaded" query={query} />
        ) : participant ? (
          <Tabs
            label="Participant details"
            items={tabsOf(row, participant)}
            value={tab === 'roster' && participant.type !== 'team' ? 'overview' : tab}
            onValueChange={setTab}
          />
        ) : (
          <SkeletonText lines={8} />
        )}
      </div>
    </Sheet>
  );
}
