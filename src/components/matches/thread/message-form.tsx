'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { SendHorizontal } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { ChosenScreenshots, ScreenshotButton } from '@/components/matches/thread/screenshot-field';
import { useScreenshots } from '@/components/matches/thread/use-screenshots';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError } from '@/components/ui/form/form-error';
import { Textarea } from '@/components/ui/form/input';
import { maxMessageLength } from '@/domain/brackets/thread';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Writes into the thread of a match, with screenshots. */
export function MessageForm({ matchId }: { matchId: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [text, setText] = useState('');
  const screenshots = useScreenshots(matchId);
  const post = useMutation(
    trpc.matches.postMessage.mutationOptions({
      onSuccess: () => {
        setText('');
        screenshots.clear();
        return queryClient.invalidateQueries({ queryKey: trpc.matches.listMessages.pathKey() });
      },
    }),
  );
  const { mediaFileIds, isUploading } = screenshots;
  const isEmpty = text.trim() === '' && mediaFileIds.length === 0;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (post.isPending || isUploading || isEmpty) return;
    post.mutate({ matchId, text, mediaFileIds });
  }

  return (
    <Form onSubmit={submit} className="grid grid-cols-1 gap-3">
      <Field label="Message" hideLabel required>
        <Textarea
          rows={2}
          dir="auto"
          placeholder="Write to the other side and the moderators"
          maxLength={maxMessageLength}
          value={text}
          readOnly={post.isPending}
          onChange={(event) => {
            post.reset();
            setText(event.target.value);
          }}
          onPaste={(event) => {
            if (screenshots.add(event.clipboardData.files) > 0) event.preventDefault();
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event);
          }}
        />
      </Field>
      <ChosenScreenshots screenshots={screenshots} />
      <FormError error={post.error ? readError(post.error) : null} />
      <div className="flex flex-wrap justify-end gap-3">
        <ScreenshotButton screenshots={screenshots} />
        <Button
          type="submit"
          variant="primary"
          icon={<SendHorizontal aria-hidden />}
          loading={post.isPending}
          disabled={isEmpty || isUploading}
        >
          Send
        </Button>
      </div>
    </Form>
  );
}
