'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { Check, X } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { FormSection } from '@/components/ui/form/form-section';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';
import { useForm } from '@/components/ui/form/use-form';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { Copy } from '@/components/ui/text/copy';
import { projectForm } from '@/domain/projects/forms';
import { planIds, plans } from '@/domain/projects/plans';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Project = Outputs['projects']['get'];

function Included({ has, children }: { has: boolean; children: string }) {
  return (
    <li className="flex items-start gap-2">
      {has ? (
        <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
      ) : (
        <X aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
      )}
      <span className={has ? undefined : 'text-muted'}>
        {children}
        {has ? '' : ' (not included)'}
      </span>
    </li>
  );
}

type PlanChange = { onChange: (plan: Project['plan']) => void; pending: boolean };

/** What the plan includes. Administrators of the instance can change it. */
function PlanSection({ project, change }: { project: Project; change: PlanChange | null }) {
  return (
    <FormSection
      title="Plan"
      description={`Sets what this project's API keys can do. ${change ? 'You can change it as an administrator of this instance.' : 'Only an administrator of this instance can change it.'}`}
    >
      <div className="rounded border bg-surface p-5">
        {change ? (
          <Select
            aria-label="Plan"
            value={project.plan}
            disabled={change.pending}
            onValueChange={(value) => {
              const plan = planIds.find((each) => each === value);
              if (plan && plan !== project.plan) change.onChange(plan);
            }}
            options={planIds.map((value) => ({ value, label: plans[value].name }))}
            className="sm:w-56"
          />
        ) : (
          <p className="display text-xl">{plans[project.plan].name}</p>
        )}
        <ul className="mt-3 grid gap-2">
          <Included has>
            {`${project.requestsPerMinute.toLocaleString('en')} requests per minute for each API key`}
          </Included>
          <Included has={project.capabilities.includes('dataApi')}>
            Data API: tournaments, matches, statistics and teams
          </Included>
          <Included has={project.capabilities.includes('antiCheat')}>
            Anti-cheat sessions for your game servers
          </Included>
          <Included has>Unlimited members and players</Included>
        </ul>
      </div>
    </FormSection>
  );
}

/** Name, URL and plan of the project. `runsInstance` allows changing the plan. */
export function ProjectSettings({ project: loaded, runsInstance }: { project: Project; runsInstance: boolean }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [project, setProject] = useState(loaded);
  const form = useForm({
    resolver: zodResolver(projectForm),
    mode: 'onTouched',
    defaultValues: { name: project.name, slug: project.slug },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const { errors, isDirty } = form.formState;
  const slug = form.watch('slug');
  const update = useMutation(
    trpc.projects.update.mutationOptions({
      onMutate: clearError,
      onError: (error) => {
        showError(error);
        if (error.data?.reason === 'SLUG_TAKEN') {
          form.setError('slug', { message: 'This URL is taken. Choose another one.' }, { shouldFocus: true });
        }
      },
      onSuccess: (saved) => {
        setProject(saved);
        form.reset({ name: saved.name, slug: saved.slug });
        toastSuccess('Settings saved');
        if (saved.slug !== loaded.slug) router.replace(`/dashboard/${saved.slug}/settings`);
        router.refresh();
      },
    }),
  );
  const changePlan = useMutation(
    trpc.projects.update.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: (saved) => {
        setProject(saved);
        toastSuccess(`Plan changed to ${plans[saved.plan].name}`);
        router.refresh();
      },
    }),
  );
  const plan: PlanChange = {
    onChange: (chosen) => changePlan.mutate({ projectId: project.id, version: project.version, plan: chosen }),
    pending: changePlan.isPending,
  };
  const stale = formError?.reason === 'VERSION_MISMATCH';

  return (
    <>
      <Form
        onSubmit={form.handleSubmit((values) =>
          update.mutate({ projectId: project.id, version: project.version, ...values }),
        )}
      >
        <FormSection title="General" description="Players see the name as the organizer of your tournaments.">
          {stale ? (
            <ErrorNote
              message="Someone else changed this project. Your changes were not saved."
              reason={formError.reason}
              requestId={formError.requestId}
              action={
                <Button size="sm" onClick={() => window.location.reload()}>
                  Reload
                </Button>
              }
            >
              <p className="text-muted">Reload to see their changes, then make yours again.</p>
            </ErrorNote>
          ) : (
            <FormError error={formError?.reason === 'SLUG_TAKEN' ? null : formError} />
          )}
          <Field label="Name" required error={errors.name?.message}>
            <Input {...form.register('name')} dir="auto" />
          </Field>
          <Field
            label="URL"
            required
            error={errors.slug?.message}
            hint={
              slug === project.slug
                ? 'Used in links to this dashboard and in API filters.'
                : `Links to /dashboard/${project.slug} will stop working. API keys and webhooks are not affected.`
            }
          >
            <Input {...form.register('slug')} autoCapitalize="none" spellCheck={false} prefix="/dashboard/" />
          </Field>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-muted">
              Project ID <Copy value={project.id} label="Copy the project ID" />
            </p>
            <Button type="submit" variant="primary" disabled={!isDirty} loading={update.isPending}>
              Save changes
            </Button>
          </div>
        </FormSection>
      </Form>
      <div className="border-t pt-8">
        <PlanSection project={project} change={runsInstance ? plan : null} />
      </div>
    </>
  );
}
