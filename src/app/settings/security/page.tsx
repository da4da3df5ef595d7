import type { Metadata } from 'next';
import { PasswordForm } from '@/components/settings/password-form';
import { SetPassword } from '@/components/settings/set-password';
import { SignOutEverywhere } from '@/components/settings/sign-out-everywhere';
import { Card } from '@/components/ui/data/card';
import { api, requireViewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Password and sessions' };

export default async function SecurityPage() {
  await requireViewer('/settings/security');
  const me = await (await api()).me.get();
  return (
    <div className="grid grid-cols-1 gap-6">
      <Card title="Password" description={me.hasPassword ? undefined : 'You sign in with another service.'}>
        {me.hasPassword ? <PasswordForm email={me.email} /> : <SetPassword email={me.email} />}
      </Card>
      <Card title="Sessions" description="Lost a device, or forgot to sign out somewhere? Sign out everywhere at once.">
        <SignOutEverywhere />
      </Card>
    </div>
  );
}
