import type { Metadata } from 'next';
import { EmailNotificationsSwitch } from '@/components/settings/email-notifications-switch';
import { Card } from '@/components/ui/data/card';
import { api, requireViewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Notifications' };

export default async function NotificationsPage() {
  await requireViewer('/settings/notifications');
  const me = await (await api()).me.get();
  return (
    <Card
      title="Email notifications"
      description={`Sent to ${me.email}. Emails about your account, such as a password change, are always sent.`}
    >
      <EmailNotificationsSwitch initiallyOn={me.emailNotifications} />
    </Card>
  );
}
