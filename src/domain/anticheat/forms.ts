import { z } from 'zod';
import { optionalLineField } from '@/domain/text/line';
import { antiCheatGames } from './games';

/** Enrolling a client, as its player fills it in. */
export const enrollForm = z.object({
  projectId: z.string().min(1, 'Choose a project.'),
  game: z.enum(antiCheatGames).nullable(),
  deviceName: optionalLineField(80),
});
