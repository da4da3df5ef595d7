import { Fragment } from 'react';

/** Plain text with `code` in backticks. */
export function InlineText({ children }: { children: string }) {
  const parts = children.split('`').map((text, index) => ({ text, code: index % 2 === 1, at: index }));
  return parts.map(({ text, code, at }) =>
    code ? (
      <code key={at} className="rounded bg-hover px-1 font-mono text-[0.875em] wrap-anywhere text-ink">
        {text}
      </code>
    ) : (
      <Fragment key={at}>{text}</Fragment>
    ),
  );
}
