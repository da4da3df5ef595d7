import type { Metadata } from 'next';
import { CodeBlock } from '@/components/ui/code-block';
import { Markdown } from '@/components/ui/markdown';
import { PageHeader } from '@/components/ui/page-header';
import { verifySnippets } from '@/components/webhooks/verify-snippets';
import { receivingGuide } from '@/trpc/reference';

export const metadata: Metadata = { title: 'Receiving webhooks' };

export default function ReceivingPage() {
  const { text, example } = receivingGuide();
  return (
    <>
      <PageHeader
        title="Receiving webhooks"
        description="What arrives at your server, how to tell that it is genuine, and what happens when you do not answer."
      />
      <div className="grid grid-cols-1 gap-6">
        <CodeBlock title="A receiver, whole" samples={verifySnippets} />
        <Markdown>{text}</Markdown>
        <CodeBlock title="A delivery" samples={[{ label: 'JSON', code: JSON.stringify(example, null, 2) }]} />
      </div>
    </>
  );
}
