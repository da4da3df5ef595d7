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

/** The receiver's address; when it is left, the server says whether events could go there. */
export function UrlField({ projectId }: { projectId: string }) {
  const form = useFormContext<FormValues>();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [check, setCheck] = useState<Check>('none');
  // Beside the form's own errors: validating anew would wipe it out of them.
  const [problem, setProblem] = useState<string | null>(null);
  const asked = useRef('');
  const { error } = form.getFieldState('url', form.formState);

  async function ask() {
    const url = form.getValues('url').trim();
    if (!urlField.safeParse(url).success || url === asked.current) return;
    asked.current = url;
    setCheck('running');
    try {
      const verdict = await queryClient.fetchQuery(trpc.webhooks.subscriptions.check.queryOptions({ projectId, url }));
      if (form.getValues('url').trim() !== url) return;
      setCheck(verdict.problem ? 'none' : 'passed');
      setProblem(verdict.problem);
    } catch {
      // Creating asks again and shows what is wrong.
      setCheck('none');
    }
  }

  return (
    <Field
      label="URL"
      required
      error={error?.message ?? problem ?? undefined}
      hint="Answers POST requests with 200. Its name must resolve to public addresses."
      aside={
        <span role="status" className="inline-flex items-center gap-1">
          {check === 'running' ? (
            <>
              <LoaderCircle aria-hidden className="size-3.5 animate-turn" /> Checking the address
            </>
          ) : null}
          {check === 'passed' && !error ? (
            <span className="inline-flex items-center gap-1 text-accent">
              <CircleCheck aria-hidden className="size-3.5" /> Events can go there
            </span>
          ) : null}
        </span>
      }
    >
      <Input
        {...form.register('url', {
          onChange: () => {
            asked.current = '';
            setCheck('none');
            setProblem(null);
          },
          onBlur: () => void ask(),
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
