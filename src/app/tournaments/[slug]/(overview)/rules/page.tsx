import type { Metadata } from 'next';
import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { EmptyState } from '@/components/ui/page/empty-state';
import { Markdown } from '@/components/ui/text/markdown';

type Params = { params: Promise<{ slug: string }> };

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  return { title: 'Rules', alternates: { canonical: `/tournaments/${(await params).slug}/rules` } };
}

export default async function RulesPage({ params }: Params) {
  const { rules, project } = await loadTournament((await params).slug);
  if (!rules.trim()) {
    return (
      <EmptyState title="No rules yet">
        Ask <bdi>{project.name}</bdi> about the rules before you play.
      </EmptyState>
    );
  }
  return (
    <section aria-labelledby="rules" className="grid grid-cols-1 gap-4">
      <h2 id="rules" className="display text-xl">
        Rules
      </h2>
      <Markdown>{rules}</Markdown>
    </section>
  );
}
