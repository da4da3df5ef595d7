import type { Metadata } from 'next';
import { EmailNotificationsSwitch } from '@/components/settings/email-notifications-switch';
import { Card } from '@/components/ui/data/card';
import { api, requireViewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Mail' };

export default async function NotificationsPage() {
  await requireViewer('/settings/notifications');
  const me = await (await api()).me.get();
  return (
    <Card title="Mail" description={`What we send to ${me.email}. Mail about your account itself is always sent.`}>
      <EmailNotificationsSwitch wanted={me.emailNotifications} />
    </Card>
  );
}
