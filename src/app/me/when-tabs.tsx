import Link from 'next/link';

const tabs = [
  { when: 'current', href: '/me', label: 'Coming up' },
  { when: 'past', href: '/me?when=past', label: 'Past' },
];

/** Current and past registrations, each at its own address. */
export function WhenTabs({ when }: { when: 'current' | 'past' }) {
  return (
    <nav aria-label="My tournaments" className="flex gap-6 border-b max-sm:-mx-4 max-sm:px-4">
      {tabs.map((tab) => (
        <Link
          key={tab.when}
          href={tab.href}
          aria-current={tab.when === when ? 'page' : undefined}
          className="-mb-px flex h-11 items-center border-b-2 border-transparent font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
