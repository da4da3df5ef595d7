import MarkdownIt from 'markdown-it';
import { isCheapMarkdown } from '@/domain/text/markdown-limits';

const schemes = ['http', 'https', 'mailto', 'irc', 'ircs', 'xmpp'];

function createRenderer() {
  // Without `html`, tags in the text are shown as text.
  const markdown = new MarkdownIt({ html: false, linkify: true });
  // Without a scheme only real addresses become links, not every word with a dot.
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  // To find addresses without one, `//host`, takes seconds in a text that is full of them.
  markdown.linkify.add('//', null).add('ftp:', null);
  markdown.validateLink = (address) => {
    const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(address)?.[1];
    return scheme === undefined || schemes.includes(scheme.toLowerCase());
  };
  const { rules } = markdown.renderer;
  rules.link_open = (tokens, index, options, _env, renderer) => {
    tokens[index]?.attrSet('rel', 'nofollow ugc noopener noreferrer');
    tokens[index]?.attrSet('target', '_blank');
    return renderer.renderToken(tokens, index, options);
  };
  // An image would reveal every reader's IP address to the author, so its description stands in its place.
  rules.image = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '');
  // The page has a title already, so headings begin at h3.
  const levels: Record<string, string> = { h1: 'h3', h2: 'h3', h3: 'h4' };
  const heading: typeof rules.heading_open = (tokens, index, options, _env, renderer) => {
    const token = tokens[index];
    if (token) token.tag = levels[token.tag] ?? token.tag;
    return renderer.renderToken(tokens, index, options);
  };
  rules.heading_open = heading;
  rules.heading_close = heading;
  return markdown;
}

const renderer = createRenderer();

/** Characters of texts and HTML that are kept. */
const maxKept = 8_000_000;
/** HTML by text; the one that was not used for longest is first. */
const kept = new Map<string, string | null>();
let keptSize = 0;

const sizeOf = (text: string, html: string | null) => text.length + (html?.length ?? 0);

function keep(text: string, html: string | null): void {
  kept.set(text, html);
  keptSize += sizeOf(text, html);
  for (const [oldest, its] of kept) {
    if (keptSize <= maxKept) return;
    kept.delete(oldest);
    keptSize -= sizeOf(oldest, its);
  }
}

/**
 * The HTML of Markdown that anybody wrote: no tags, scripts or images of theirs. A text is rendered once and kept, for
 * as long as it is among those that are read.
 * @returns null for text that would take long to render; show it as it is
 */
export function renderMarkdown(text: string): string | null {
  const known = kept.get(text);
  if (known !== undefined) {
    kept.delete(text);
    kept.set(text, known);
    return known;
  }
  const html = isCheapMarkdown(text) ? renderer.render(text) : null;
  keep(text, html);
  return html;
}
