import { reportData } from '@/domain/anticheat/reports';
import { Prisma } from '@/generated/prisma/client';

const fieldsOf = (kind: string, fields: readonly string[]) =>
  `WHEN '${kind}' THEN jsonb_build_object(${fields.map((name) => `'${name}', r."data"->'${name}'`).join(', ')})`;

/**
 * Of the data of a report `r` what the rules read, in SQL. A client can send any other fields, kilobytes of empty lists, say,
 * and to parse those of thousands of reports would hold up the process.
 */
export const judgedData = `CASE r."kind" ${Object.entries(reportData)
  .map(([kind, { shape }]) => fieldsOf(kind, Object.keys(shape)))
  .join(' ')} END`;

export const judgedDataSql = Prisma.raw(judgedData);
