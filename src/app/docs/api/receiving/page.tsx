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
        description="What your server receives, how to verify it, and what happens when your server does not respond."
      />
      <div className="grid grid-cols-1 gap-6">
        <CodeBlock title="A complete server" samples={verificationSamples} />
        <Markdown>{text}</Markdown>
        <CodeBlock title="Example delivery" samples={[{ label: 'JSON', code: JSON.stringify(example, null, 2) }]} />
      </div>
    </>
  );
}
