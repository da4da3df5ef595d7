type Entry<Value> = { owner: string; size: number; value: Value };

/** Entries that are kept at most, whatever their size. */
const maxEntries = 10_000;

/**
 * What is kept because making it takes long, up to a total size. The owner with the most makes room, with what was read longest
 * ago: one with much drives out their own. What is newest stays, whatever its size, beside as much as that.
 */
export class BoundedCache<Value> {
  /** The one that was read longest ago first. */
  private readonly entries = new Map<string, Entry<Value>>();
  /** By owner. */
  private readonly sizes = new Map<string, number>();
  private total = 0;

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
    this.delete(key);
    this.entries.set(key, entry);
    this.addSize(entry.owner, entry.size);
    this.makeRoom(key, entry);
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    this.addSize(entry.owner, -entry.size);
  }

  private addSize(owner: string, size: number): void {
    this.total += size;
    const all = (this.sizes.get(owner) ?? 0) + size;
    if (all > 0) this.sizes.set(owner, all);
    else this.sizes.delete(owner);
  }

  private makeRoom(newest: string, { owner, size }: Entry<Value>): void {
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size > maxEntries) this.delete(oldest);
    while (this.total > this.maxSize) {
      const next = this.oldestOf(this.largestOwner(), newest);
      if (next === undefined) break;
      this.delete(next);
    }
    // Its owner has the most by it alone: it stays, and the others make room among themselves.
    while (this.total - size > this.maxSize) {
      const next = this.oldestOf(this.largestOwner(owner), newest);
      if (next === undefined) break;
      this.delete(next);
    }
  }

  private largestOwner(except?: string): string | undefined {
    let largest: [string, number] | undefined;
    for (const one of this.sizes) if (one[0] !== except && (!largest || one[1] > largest[1])) largest = one;
    return largest?.[0];
  }

  private oldestOf(owner: string | undefined, newest: string): string | undefined {
    for (const [key, entry] of this.entries) {
      if (entry.owner === owner && entry.size > 0 && key !== newest) return key;
    }
    return undefined;
  }
}
