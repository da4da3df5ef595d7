import { cn } from '@/components/ui/cn';
import { renderMarkdown } from '@/components/ui/text/render-markdown';

/**
 * Markdown that people wrote, without HTML, scripts or images. Headings start at h3, and links open in a new tab. Text
 * that would be slow to render is shown as plain text.
 */
export function Markdown({ children, className }: { children: string; className?: string }) {
  const html = renderMarkdown(children);
  if (html === null) {
    return (
      <div dir="auto" className={cn('max-w-prose whitespace-pre-wrap wrap-anywhere text-ink', className)}>
        {children}
      </div>
    );
  }
  return (
    <div
      dir="auto"
      className={cn(
        'grid max-w-prose gap-3 leading-6 wrap-anywhere text-ink sm:text-base [&_a]:text-accent [&_a]:underline [&_a]:underline-offset-4 [&_blockquote]:border-l-2 [&_blockquote]:pl-4 [&_blockquote]:text-muted [&_code]:rounded [&_code]:bg-hover [&_code]:px-1 [&_code]:font-mono [&_code]:text-[0.875em] [&_h3]:display [&_h3]:mt-3 [&_h3]:text-lg [&_h4]:font-semibold [&_hr]:border-line [&_li]:pl-1 [&_ol]:list-decimal [&_ol]:pl-6 [&_pre]:overflow-x-auto [&_pre]:rounded [&_pre]:bg-sunken [&_pre]:p-3 [&_table]:block [&_table]:overflow-x-auto [&_table]:wrap-normal [&_td]:border-t [&_td]:py-1.5 [&_td]:pr-4 [&_th]:py-1.5 [&_th]:pr-4 [&_th]:text-start [&_ul]:list-disc [&_ul]:pl-6',
        className,
      )}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
