'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { useForm } from '@/components/ui/form/use-form';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { projectForm, projectSlug } from '@/domain/projects/forms';
import { slugify } from '@/domain/text/slug';
import { useTRPC } from '@/trpc/client';

/** Creates a project and opens it. The slug follows the name until it is edited. `cancelHref` is for a page of its own. */
export function ProjectForm({ cancelHref }: { cancelHref?: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const form = useForm({
    resolver: zodResolver(projectForm),
    mode: 'onTouched',
    defaultValues: { name: '', slug: '' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const { errors, dirtyFields, touchedFields } = form.formState;
  const create = useMutation(
    trpc.projects.create.mutationOptions({
      onMutate: clearError,
      onError: (error) => {
        showError(error);
        if (error.data?.reason === 'SLUG_TAKEN') {
          form.setError('slug', { message: 'This URL is taken. Choose another one.' }, { shouldFocus: true });
        }
      },
      onSuccess: async (project) => {
        await queryClient.invalidateQueries({ queryKey: trpc.projects.pathKey() });
        toastSuccess(`${project.name} created`);
        router.push(`/dashboard/${project.slug}`);
        router.refresh();
      },
    }),
  );
  const name = form.register('name', {
    onChange: (event: { target: { value: string } }) => {
      if (!dirtyFields.slug || !touchedFields.slug) {
        form.setValue('slug', slugify(event.target.value, { maxLength: projectSlug.maxLength }), {
          shouldValidate: Boolean(errors.slug),
        });
      }
    },
  });

  return (
    <Form className="grid max-w-lg gap-5" onSubmit={form.handleSubmit((values) => create.mutate(values))}>
      <FormError error={formError?.reason === 'SLUG_TAKEN' ? null : formError} />
      <Field label="Name" required error={errors.name?.message} hint="Shown to players as the organizer.">
        <Input {...name} autoComplete="organization" placeholder="Northern Lights League" />
      </Field>
      <Field label="URL" required error={errors.slug?.message} hint="Used in links to your dashboard and in the API.">
        <Input {...form.register('slug')} autoCapitalize="none" spellCheck={false} prefix="/dashboard/" />
      </Field>
      <div className="flex justify-end gap-3">
        {cancelHref ? <ButtonLink href={cancelHref}>Cancel</ButtonLink> : null}
        <Button type="submit" variant="primary" loading={create.isPending}>
          Create project
        </Button>
      </div>
    </Form>
  );
}
