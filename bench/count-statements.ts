import pg from 'pg';

/** Counts the statements that this process sends to PostgreSQL. @returns how many it has sent so far */
export function countStatements(): () => number {
  let statements = 0;
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    statements += 1;
    return Reflect.apply(query, this, args);
  } as typeof query;
  return () => statements;
}
