type Entry<Value> = { owner: string; size: number; value: Value };

/** Entries without a size that are kept at most. */
const maxEntries = 10_000;

/**
 * What is kept of draws, up to a total size. The project with the most makes room, with its least recently read draws: an
 * owner with many large draws drives out their own.
 */
export class KeptDraws<Value> {
  /** The one that was read longest ago first. */
  private readonly entries = new Map<string, Entry<Value>>();

  constructor(private readonly maxSize: number) {}

  /** The value, which has been read now; undefined when it is not kept. */
  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  put(key: string, entry: Entry<Value>): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
    this.makeRoom(key);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  private makeRoom(newest: string): void {
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size > maxEntries) this.entries.delete(oldest);
    for (;;) {
      const sizes = new Map<string, number>();
      for (const { owner, size } of this.entries.values()) sizes.set(owner, (sizes.get(owner) ?? 0) + size);
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      const [most] = [...sizes].sort(([, a], [, b]) => b - a);
      const next = [...this.entries].find(
        ([key, { owner, size }]) => owner === most?.[0] && size > 0 && key !== newest,
      );
      if (total <= this.maxSize || !next) return;
      this.entries.delete(next[0]);
    }
  }
}
