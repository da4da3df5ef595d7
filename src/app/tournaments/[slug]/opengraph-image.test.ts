import { expect, test, vi } from 'vitest';
import TournamentImage from './opengraph-image';

vi.mock('./load-tournament', () => ({
  loadTournament: async (slug: string) => ({
    ...{ projectId: 'prj_1', name: slug, gameName: 'Chess', teamSize: 1, format: 'single_elimination' },
    ...{ status: 'DRAFT', startDate: '2027-01-01T12:00:00.000Z', timezone: 'UTC', prizePool: null },
    ...{ maxParticipants: 8, currentParticipants: 0 },
  }),
}));
vi.mock('@/trpc/link-preview', () => ({ linkPreview: async () => new Uint8Array([1]) }));

test('no cache keeps the image of a tournament, which only members may see', async () => {
  const response = await TournamentImage({ params: Promise.resolve({ slug: 'cup' }) });
  expect(response.headers.get('Cache-Control')).toBe('private, no-cache');
});
