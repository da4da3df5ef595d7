'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { Button } from '@/components/ui/form/button';
import { Checkbox } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';
import { useForm } from '@/components/ui/form/use-form';
import { Dialog } from '@/components/ui/overlay/dialog';
import { CodeBlock } from '@/components/ui/text/code-block';
import { SecretReveal } from '@/components/ui/text/secret-reveal';
import { keyNameField } from '@/domain/projects/forms';
import { plans } from '@/domain/projects/plans';
import { missingCapabilities, scopeGroups, scopes, scopeTerms } from '@/domain/projects/scopes';
import { day } from '@/domain/time/durations';
import { serverNow } from '@/domain/time/server-clock';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type NewKey = Outputs['projects']['apiKeys']['create'];
type Project = Pick<Outputs['projects']['get'], 'id' | 'plan' | 'capabilities'>;

const lifetimes = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
];

const scopesIn = (group: string) => scopes.filter((scope) => scopeTerms[scope].group === group);

const keyForm = z.object({
  name: keyNameField,
  scopes: z.array(z.enum(scopes)).min(1, 'Choose at least one scope.'),
  lifetime: z.string(),
});

/** Creates a key, then shows it once with a sample request. */
export function CreateKeyDialog({
  open,
  onOpenChange,
  project,
  origin,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  project: Project;
  origin: string;
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const form = useForm<z.infer<typeof keyForm>>({
    resolver: zodResolver(keyForm),
    mode: 'onTouched',
    defaultValues: { name: '', scopes: ['read:tournaments'], lifetime: 'never' },
  });
  const { formError, showError, clearError } = useFormErrors(form, { expiresAt: 'lifetime' });
  const create = useMutation(
    trpc.projects.apiKeys.create.mutationOptions({
      onMutate: clearError,
      onError: showError,
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.projects.apiKeys.pathKey() }),
    }),
  );
  const missing = missingCapabilities(form.watch('scopes'), project.capabilities);

  function change(next: boolean) {
    onOpenChange(next);
    if (next) return;
    form.reset();
    create.reset();
    clearError();
  }

  if (create.data) return <CreatedKey created={create.data} origin={origin} open={open} onDone={() => change(false)} />;

  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title="New API key"
      width="lg"
      footer={
        <>
          <Button onClick={() => change(false)}>Cancel</Button>
          <Button type="submit" form="new-api-key" variant="primary" loading={create.isPending}>
            Create key
          </Button>
        </>
      }
    >
      <Form
        id="new-api-key"
        className="grid gap-5"
        onSubmit={form.handleSubmit(({ name, scopes, lifetime }) =>
          create.mutate({
            projectId: project.id,
            name,
            scopes,
            expiresAt: lifetime === 'never' ? null : new Date(serverNow() + Number(lifetime) * day).toISOString(),
          }),
        )}
      >
        <FormError error={formError} />
        <Field
          label="Name"
          required
          hint="What will use the key, so that you know what breaks if you revoke it."
          error={form.formState.errors.name?.message}
        >
          <Input {...form.register('name')} placeholder="Stream overlay" autoComplete="off" />
        </Field>
        <Controller
          control={form.control}
          name="scopes"
          render={({ field, fieldState }) => (
            <Field label="Scopes" required group error={fieldState.error?.message}>
              <div className="grid gap-6 sm:grid-cols-2">
                {scopeGroups.map((group) => (
                  <fieldset key={group.id} className="grid content-start gap-3">
                    <legend className="label text-muted">{group.title}</legend>
                    <p className="text-xs text-faint">{group.description}</p>
                    {scopesIn(group.id).map((scope) => (
                      <Checkbox
                        key={scope}
                        label={scopeTerms[scope].label}
                        hint={
                          <>
                            {scopeTerms[scope].description} · <code className="font-mono">{scope}</code>
                          </>
                        }
                        checked={field.value.includes(scope)}
                        onCheckedChange={(on) => {
                          const others = field.value.filter((each) => each !== scope);
                          field.onChange(on ? [...others, scope] : others);
                        }}
                      />
                    ))}
                  </fieldset>
                ))}
              </div>
            </Field>
          )}
        />
        {missing.length > 0 ? (
          <p className="rounded border bg-sunken p-3 text-muted">
            The {plans[project.plan].name} plan does not include {missing.join(' or ')}. Requests that need it fail with
            403 PLAN_LACKS_CAPABILITY.
          </p>
        ) : null}
        <Controller
          control={form.control}
          name="lifetime"
          render={({ field, fieldState }) => (
            <Field label="Expires" required error={fieldState.error?.message}>
              <Select value={field.value} onValueChange={field.onChange} options={lifetimes} />
            </Field>
          )}
        />
      </Form>
    </Dialog>
  );
}

function CreatedKey({
  created,
  origin,
  open,
  onDone,
}: {
  created: NewKey;
  origin: string;
  open: boolean;
  onDone: () => void;
}) {
  const url = `${origin}/api/v1/data/tournaments`;
  const samples = [
    { label: 'curl', code: `curl -H "X-API-Key: ${created.key}" \\\n  "${url}"` },
    {
      label: 'JavaScript',
      code: `const response = await fetch('${url}', {\n  headers: { 'X-API-Key': '${created.key}' },\n});\nconst { data } = await response.json();`,
    },
  ];
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onDone()}
      title={`${created.name} created`}
      description="Copy the key now. Only its hash is stored, so it cannot be shown again."
      width="lg"
      footer={
        <Button variant="primary" onClick={onDone}>
          I have copied the key
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-5">
        <SecretReveal
          shown
          value={created.key}
          label="API key"
          note="Use it on your servers only. Anyone who has it can read whatever its scopes allow."
        />
        {created.scopes.includes('read:tournaments') ? (
          <CodeBlock title="Try it" samples={samples} wrap />
        ) : (
          <p className="text-muted">
            Send it in the <code className="font-mono text-xs text-ink">X-API-Key</code> header. The API reference lists
            the endpoints that its scopes give access to.
          </p>
        )}
      </div>
    </Dialog>
  );
}
