import { z } from 'zod';
import type { Tournament } from '@/components/tournaments/use-tournament';

type Definition = Tournament['customFields'][number];

/** One answer as its control holds it: a text, or whether a box is ticked. */
type Typed = string | boolean;

export type RegisterValues = {
  teamName: string;
  teamMembers: { userId: string; role: 'captain' | 'player' | 'substitute' }[];
  customFields: Record<string, Typed>;
};

function answer({ type, label, required }: Definition): z.ZodType<Typed, Typed> {
  if (type === 'checkbox') {
    return z
      .custom<Typed>((value) => typeof value === 'boolean')
      .refine((ticked) => Boolean(ticked) || !required, `Tick this to register.`);
  }
  return z
    .custom<Typed>((value) => typeof value === 'string')
    .superRefine((typed, context) => {
      const text = String(typed).trim();
      const wrong = (message: string) => context.addIssue({ code: 'custom', message });
      if (!text) {
        if (required) wrong(`${label} is required.`);
      } else if (text.length > 2_000) wrong('Use at most 2,000 characters.');
      else if (type === 'number' && !Number.isFinite(Number(text))) wrong('Enter a number.');
      else if (type === 'url' && !/^https?:\/\/./i.test(text)) wrong('Enter a web address that begins with https://.');
    });
}

/** The form of a tournament: its questions, and its roster where teams play. What else is wrong, the server says. */
export function registerForm({
  customFields,
  teamSize,
  rosterMin,
  rosterMax,
}: Tournament): z.ZodType<RegisterValues, RegisterValues> {
  const team = teamSize > 1;
  const member = z.object({
    userId: z.string().trim().min(1, 'Enter the player id, or take this line away.'),
    role: z.enum(['captain', 'player', 'substitute']),
  });
  return z.object({
    teamName: team
      ? z.string().trim().min(1, 'Give the team a name.').max(80, 'Use at most 80 characters.')
      : z.string(),
    teamMembers: team
      ? z
          .array(member)
          .min(rosterMin, `A roster has at least ${rosterMin} players.`)
          .max(rosterMax, `A roster has at most ${rosterMax} players.`)
      : z.array(member),
    customFields: z.object(Object.fromEntries(customFields.map((field) => [field.key, answer(field)]))),
  });
}

/** The form before anything is typed: the player as captain, and as many lines as a roster needs. */
export function emptyValues({ customFields, teamSize, rosterMin }: Tournament, userId: string): RegisterValues {
  const others = Array.from({ length: rosterMin - 1 }, () => ({ userId: '', role: 'player' as const }));
  return {
    teamName: '',
    teamMembers: teamSize > 1 ? [{ userId, role: 'captain' }, ...others] : [],
    customFields: Object.fromEntries(customFields.map(({ key, type }) => [key, type === 'checkbox' ? false : ''])),
  };
}

/** The answers as the API takes them, without the empty ones. */
export function answersOf(
  definitions: Definition[],
  typed: Record<string, Typed>,
): Record<string, string | number | boolean> {
  return Object.fromEntries(
    definitions.flatMap(({ key, type }): [string, string | number | boolean][] => {
      const value = typed[key];
      if (typeof value === 'boolean') return [[key, value]];
      const text = value?.trim();
      if (!text) return [];
      return [[key, type === 'number' ? Number(text) : text]];
    }),
  );
}
