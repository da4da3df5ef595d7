import type { Metadata } from 'next';
import { LimitsList, LimitsNote } from '@/components/limits/limits-list';
import { api, requireViewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Limits' };

export default async function LimitsPage() {
  await requireViewer('/settings/limits');
  const { items } = await (await api()).me.limits();
  return (
    <div className="grid gap-4">
      <p className="text-muted">
        <LimitsNote whom="accounts" />
      </p>
      <LimitsList items={items} />
    </div>
  );
}
