import type { Metadata } from 'next';
import { LimitsSection } from '@/components/limits/limits-section';
import { api, requireViewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Limits' };

export default async function LimitsPage() {
  await requireViewer('/settings/limits');
  const { items } = await (await api()).me.limits();
  return <LimitsSection description="Keep accounts from slowing each other down." items={items} />;
}
