import type { Metadata } from 'next';
import { PageHeader } from '@/components/ui/page/page-header';
import { CodeBlock } from '@/components/ui/text/code-block';
import { Markdown } from '@/components/ui/text/markdown';
import { verificationSamples } from '@/components/webhooks/subscriptions/verification-samples';
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
        <CodeBlock title="A receiver, whole" samples={verificationSamples} />
        <Markdown>{text}</Markdown>
        <CodeBlock title="A delivery" samples={[{ label: 'JSON', code: JSON.stringify(example, null, 2) }]} />
      </div>
    </>
  );
}
