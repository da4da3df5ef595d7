interface Entry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  cpu?: string[];
  os?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}
interface Lock {
  packages: Record<string, Entry>;
}
export function missingFromLock(lock: Lock): { name: string; spec: string; wantedBy: string }[];
export function completeLock(lock: Lock): Lock;
