import { z } from 'zod';

const tournamentId = z.string().describe('Id or slug.');

export const exportInput = z.object({
  tournamentId,
  cursor: z.string().max(100).optional().describe('`next` of the part before; the first part when left out.'),
});

/** A part of the file; all parts joined in order are the file. */
export const exportOutput = z.object({
  csv: z.string().describe('RFC 4180, UTF-8 without a byte order mark. The first part begins with the header.'),
  rows: z.number().int().describe('Entrants in this part.'),
  total: z.number().int().describe('Entrants in the whole file, when this part was made.'),
  next: z.string().nullable().describe('Cursor of the next part; null after the last.'),
});

/** Lines that one import takes, the header aside. */
export const importLimit = 2_000;

export const importInput = z.object({
  tournamentId,
  csv: z
    .string()
    .max(900_000, 'Use at most 900,000 characters; import a longer list in parts.')
    .describe('A header and one line an entrant. Separated by comma, semicolon or tab.'),
});

const importIssue = z.object({
  column: z.string().describe('As the header names it.'),
  message: z.string(),
});

const importLine = z.object({
  line: z.number().int().describe('Line of the file, from 1; the header is line 1.'),
  email: z.string().describe("The player's or the captain's, as written."),
  name: z.string().nullable().describe("The player's or the team's; null where it is not known."),
  outcome: z.enum(['approved', 'waitlisted']).nullable().describe('What becomes of it; null: nothing, see `issues`.'),
  issues: z.array(importIssue).describe('Why it cannot be imported; empty when it can.'),
  participantId: z.string().nullable().describe('Of the entrant that an import made.'),
});
export type ImportLine = z.infer<typeof importLine>;

export const importOutput = z.object({
  columns: z.array(z.string()).describe('Columns of the file that are read.'),
  ignoredColumns: z.array(z.string()).describe('Columns of the file that mean nothing here.'),
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
