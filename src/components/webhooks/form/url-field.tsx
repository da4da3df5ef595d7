'use client';

import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, LoaderCircle } from 'lucide-react';
import { useRef, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import type { FormValues } from '@/components/webhooks/form/values';
import { urlField } from '@/domain/webhooks/settings';
import { useTRPC } from '@/trpc/client';

type Check = 'none' | 'running' | 'passed';

/** The endpoint's URL. When the field loses focus, the server checks whether it can send to it. */
export function UrlField({ projectId }: { projectId: string }) {
  const form = useFormContext<FormValues>();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [check, setCheck] = useState<Check>('none');
  // Kept apart from the form's errors, because the next validation would clear it.
  const [problem, setProblem] = useState<string | null>(null);
  const checkedUrl = useRef('');
  const { error } = form.getFieldState('url', form.formState);

  async function checkUrl() {
    const url = form.getValues('url').trim();
    if (!urlField.safeParse(url).success || url === checkedUrl.current) return;
    checkedUrl.current = url;
    setCheck('running');
    try {
      const result = await queryClient.fetchQuery(trpc.webhooks.subscriptions.check.queryOptions({ projectId, url }));
      if (form.getValues('url').trim() !== url) return;
      setCheck(result.problem ? 'none' : 'passed');
      setProblem(result.problem);
    } catch {
      // The server checks again on save and reports the error then.
      setCheck('none');
    }
  }

  return (
    <Field
      label="URL"
      required
      error={error?.message ?? problem ?? undefined}
      hint="A public address that responds to POST requests with a 2xx status."
      aside={
        <span role="status" className="inline-flex items-center gap-1">
          {check === 'running' ? (
            <>
              <LoaderCircle aria-hidden className="size-3.5 animate-turn" /> Checking URL
            </>
          ) : null}
          {check === 'passed' && !error ? (
            <span className="inline-flex items-center gap-1 text-accent">
              <CircleCheck aria-hidden className="size-3.5" /> Laurel can send to this URL
            </span>
          ) : null}
        </span>
      }
    >
      <Input
        {...form.register('url', {
          onChange: () => {
            checkedUrl.current = '';
            setCheck('none');
            setProblem(null);
          },
          onBlur: () => void checkUrl(),
        })}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/webhooks"
      />
    </Field>
  );
}
