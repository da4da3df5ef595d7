import type { Metadata } from 'next';
import { ProfileForm } from '@/components/settings/profile-form';
import { allZones } from '@/domain/time/zones';
import { api, requireViewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Profile' };

export default async function ProfilePage() {
  await requireViewer('/settings');
  const me = await (await api()).me.get();
  return <ProfileForm me={me} zones={allZones()} />;
}
