import { z } from 'zod';

const tournamentId = z.string().describe('Id or slug.');

export const exportInput = z.object({
  tournamentId,
  cursor: z.string().max(100).optional().describe('`next` of the previous part; leave it out for the first part.'),
});

/** A part of the file; all parts joined in order are the file. */
export const exportOutput = z.object({
  csv: z.string().describe('RFC 4180, UTF-8 without a byte order mark. The first part begins with the header.'),
  rows: z.number().int().describe('Participants in this part.'),
  total: z.number().int().describe('Participants in the whole file at the time of this part.'),
  next: z.string().nullable().describe('Cursor of the next part; null after the last.'),
});

/** The most lines of one import, without the header. */
export const maxImportLines = 2_000;

export const importInput = z.object({
  tournamentId,
  csv: z
    .string()
    .max(900_000, 'Use at most 900,000 characters; import a longer list in parts.')
    .describe('A header and one line per participant, separated by comma, semicolon or tab.'),
});

const importIssue = z.object({
  column: z.string().describe('As in the header.'),
  message: z.string(),
});

const importLine = z.object({
  line: z.number().int().describe('Line of the file, from 1; the header is line 1.'),
  email: z.string().describe("The player's or the captain's, as in the file."),
  name: z.string().nullable().describe("The team's, or the player's once they are imported; null before."),
  outcome: z
    .enum(['approved', 'waitlisted'])
    .nullable()
    .describe('The resulting status; null: not imported, see `issues`.'),
  issues: z
    .array(importIssue)
    .describe(
      'Why the line cannot be imported, the first ten reasons, or the first where they are very many; empty when it can.',
    ),
  participantId: z.string().nullable().describe('Of the participant that the import created.'),
});
export type ImportLine = z.infer<typeof importLine>;

export const importOutput = z.object({
  columns: z.array(z.string()).describe('Columns that are imported.'),
  ignoredColumns: z.array(z.string()).describe('Columns that are not recognized.'),
  lines: z.array(importLine),
  totals: z.object({
    lines: z.number().int(),
    approved: z.number().int(),
    waitlisted: z.number().int(),
    refused: z.number().int(),
  }),
});
export type ImportOutput = z.infer<typeof importOutput>;

export const importTemplateInput = z.object({ tournamentId });
export const importTemplateOutput = z.object({ csv: z.string().describe('The header of a file for this tournament.') });
