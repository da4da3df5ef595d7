import type { Metadata } from 'next';
import { ProfileForm } from '@/components/settings/profile-form';
import { allZones } from '@/lib/zones';
import { api, orPage } from '@/trpc/server';

export const metadata: Metadata = { title: 'Profile' };

export default async function ProfilePage() {
  const me = await orPage((await api()).me.get(), '/settings');
  return <ProfileForm me={me} zones={allZones()} />;
}
