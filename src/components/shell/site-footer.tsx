import Link from 'next/link';
import { LogoMark } from '@/components/shell/logo';
import { ThemeToggle } from '@/components/ui/navigation/theme-toggle';

const links = [
  { href: '/tournaments', label: 'Tournaments' },
  { href: '/docs/api', label: 'API reference' },
  { href: '/api/v1/openapi.json', label: 'OpenAPI document' },
];

/** The footer of the public pages. */
export function SiteFooter() {
  return (
    <footer className="mt-16 print:hidden border-t">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-6 gap-y-2 px-4 py-6 text-muted sm:px-6">
        <LogoMark className="size-5 text-faint" />
        {links.map((link) => (
          <Link key={link.href} href={link.href} prefetch={false} className="py-1 hover:text-ink">
            {link.label}
          </Link>
        ))}
        <span className="ml-auto sm:hidden">
          <ThemeToggle />
        </span>
      </div>
    </footer>
  );
}
