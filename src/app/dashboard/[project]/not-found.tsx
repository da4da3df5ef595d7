import { ButtonLink } from '@/components/ui/form/button';

export default function NotFound() {
  return (
    <div className="grid max-w-prose justify-items-start gap-4 py-8">
      <h1 className="display text-2xl">Page not found</h1>
      <p className="text-muted">It may have been deleted, or its URL may have changed.</p>
      <ButtonLink href="/dashboard">Go to your projects</ButtonLink>
    </div>
  );
}
