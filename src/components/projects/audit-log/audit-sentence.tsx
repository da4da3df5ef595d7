import Link from 'next/link';
import {
  type AuditEntry,
  actorName,
  describeAuditEntry,
  type SentencePart,
} from '@/components/projects/audit-log/describe-audit-entry';

function Part({ part: { text, path, isName }, base }: { part: SentencePart; base: string }) {
  const content = isName ? <bdi>{text}</bdi> : text;
  if (!path) return content;
  return (
    <Link href={`${base}${path}`} className="underline decoration-line-strong underline-offset-4 hover:decoration-2">
      {content}
    </Link>
  );
}

/** Who did what, as one sentence with links. `base` is the path of the project's dashboard. */
export function AuditSentence({ entry, base }: { entry: AuditEntry; base: string }) {
  return (
    <span className="wrap-anywhere">
      <bdi className="font-medium">{actorName(entry)}</bdi>{' '}
      {describeAuditEntry(entry).map((part) => (
        <Part key={part.text} part={part} base={base} />
      ))}
    </span>
  );
}
