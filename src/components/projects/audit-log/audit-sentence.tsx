import { type AuditEntry, actionWords } from '@/components/projects/audit-log/describe-audit-entry';

/** What was done, and to what, as the end of a sentence. */
export function AuditSentence({ entry }: { entry: AuditEntry }) {
  const { words, of } = actionWords(entry);
  return (
    <>
      {words}
      {of ? (
        <>
          {' '}
          <span dir="auto" className="wrap-anywhere">
            {of}
          </span>
        </>
      ) : null}
    </>
  );
}
