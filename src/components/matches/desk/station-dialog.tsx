'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Station } from '@/components/matches/types';
import { Button } from '@/components/ui/form/button';
import { Switch } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { stationName, stationStreamUrl } from '@/domain/matches/forms';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const messageOf = (result: { success: boolean; error?: { issues: { message: string }[] } }) =>
  result.success ? undefined : result.error?.issues[0]?.message;

/** Adds a station, or changes one. */
export function StationDialog({
  tournamentId,
  station,
  suggestedName,
  onClose,
}: {
  tournamentId: string;
  /** null adds a new one. */
  station: Station | null;
  suggestedName: string;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [name, setName] = useState(station?.name ?? suggestedName);
  const [streamUrl, setStreamUrl] = useState(station?.streamUrl ?? '');
  const [autoAssign, setAutoAssign] = useState(station?.autoAssign ?? true);
  const [checked, setChecked] = useState(false);
  const onSuccess = async () => {
    await queryClient.invalidateQueries({ queryKey: trpc.matches.pathKey() });
    onClose();
  };
  const create = useMutation(trpc.matches.stations.create.mutationOptions({ onSuccess }));
  const update = useMutation(trpc.matches.stations.update.mutationOptions({ onSuccess }));
  const failed = create.error ?? update.error;
  const busy = create.isPending || update.isPending;
  const invalidName = messageOf(stationName.safeParse(name));
  const url = streamUrl.trim() || null;
  const invalidUrl = url === null ? undefined : messageOf(stationStreamUrl.safeParse(url));

  function submit() {
    if (busy) return;
    setChecked(true);
    if (invalidName || invalidUrl) return;
    const settings = { tournamentId, name: name.trim(), streamUrl: url, autoAssign };
    if (station) update.mutate({ ...settings, stationId: station.id });
    else create.mutate(settings);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={station ? 'Edit the station' : 'Add a station'}
      footer={
        <div className="grid w-full grid-cols-1 gap-3">
          <FormError error={failed ? readError(failed) : null} />
          <div className="flex justify-end gap-3">
            <DialogClose>
              <Button>Cancel</Button>
            </DialogClose>
            <Button variant="primary" type="submit" form="station" loading={busy}>
              {station ? 'Save' : 'Add station'}
            </Button>
          </div>
        </div>
      }
    >
      <Form
        id="station"
        className="grid grid-cols-1 gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field required label="Name" error={checked ? invalidName : undefined}>
          <Input value={name} maxLength={60} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field
          label="Stream"
          hint="Where viewers can watch this station. It then takes its matches from the stream queue."
          error={checked ? invalidUrl : undefined}
        >
          <Input
            type="url"
            inputMode="url"
            value={streamUrl}
            maxLength={500}
            placeholder="https://twitch.tv/laurel"
            onChange={(event) => setStreamUrl(event.target.value)}
          />
        </Field>
        <Switch
          checked={autoAssign}
          onCheckedChange={setAutoAssign}
          label="Fill automatically"
          hint="Assigns the next ready match whenever the station is free."
        />
      </Form>
    </Dialog>
  );
}
