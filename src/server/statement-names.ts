/** Every connection keeps the plans of named statements in memory, so only this many get a name. */
const maxNames = 400;
const namedFromUse = 3;
/** Longer texts are lists of rows, which seldom come in the same length again. */
const maxLength = 12_000;

/**
 * Names the statements that Prisma runs again and again, so that PostgreSQL plans them once per connection and not each time.
 * @returns a function that gives a statement its name; empty: it runs without one
 */
export function createStatementNames(): (query: { sql: string; args: readonly unknown[] }) => string {
  const names = new Map<string, string>();
  const uses = new Map<string, number>();
  return ({ sql, args }) => {
    // BEGIN and its like have nothing to plan.
    if (args.length === 0) return '';
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= maxNames || sql.length > maxLength) return '';
    const used = (uses.get(sql) ?? 0) + 1;
    if (used < namedFromUse) {
      if (uses.size >= maxNames * 10) uses.clear();
      uses.set(sql, used);
      return '';
    }
    uses.delete(sql);
    const name = `prisma_${names.size}`;
    names.set(sql, name);
    return name;
  };
}
