import Link from 'next/link';

const tabs = [
  { key: 'current', href: '/me', label: 'Upcoming' },
  { key: 'past', href: '/me?when=past', label: 'Past' },
  { key: 'teams', href: '/teams', label: 'Teams' },
] as const;

/** The viewer's current and past registrations and teams, each at its own address. */
export function MyTabs({ current }: { current: (typeof tabs)[number]['key'] }) {
  return (
    <nav aria-label="My tournaments" className="flex gap-6 border-b max-sm:-mx-4 max-sm:px-4">
      {tabs.map((tab) => (
        <Link
          key={tab.key}
          href={tab.href}
          aria-current={tab.key === current ? 'page' : undefined}
          className="-mb-px flex h-11 items-center border-b-2 border-transparent font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
