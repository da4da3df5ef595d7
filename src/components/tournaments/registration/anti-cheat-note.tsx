import { ShieldAlert } from 'lucide-react';

/** Instructions for tournaments that require the anti-cheat client; `missing` once a check-in failed without it. */
export function AntiCheatNote({ missing }: { missing: boolean }) {
  return (
    <div
      role={missing ? 'alert' : undefined}
      className={
        missing ? 'rounded border border-danger bg-danger-soft px-4 py-3' : 'rounded border bg-sunken px-4 py-3'
      }
    >
      <p className="flex items-center gap-2 font-medium">
        <ShieldAlert aria-hidden className={missing ? 'size-5 text-danger' : 'size-5 text-muted'} />
        {missing ? 'Your anti-cheat client is not connected' : 'You need the anti-cheat client'}
      </p>
      <ol className="mt-1.5 list-decimal pl-5 text-muted marker:text-faint">
        <li>Start it on the computer you play on and sign in to your account.</li>
        <li>Wait until it says that it is connected. It reports every few seconds.</li>
        <li>Check in here from any device. The client must have reported within the last minute.</li>
      </ol>
    </div>
  );
}
