import MarkdownIt from 'markdown-it';
import { renderToString } from 'react-dom/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Markdown } from '@/components/ui/text/markdown';
import { renderMarkdown } from '@/components/ui/text/render-markdown';
import { costOf } from '@/test/processor';

afterEach(() => void vi.restoreAllMocks());

const view = (text: string) => renderToString(<Markdown>{text}</Markdown>);

const table = `${'| a '.repeat(57)}|\n${'|-'.repeat(57)}|\n${`${'|b'.repeat(57)}|\n`.repeat(98)}`;

describe('what it costs', () => {
  test('a table is rendered once, and its next views cost next to nothing', () => {
    const rendered = table.slice(0, 4_000);
    expect(view(rendered)).toContain('<td>b</td>');
    const render = vi.spyOn(MarkdownIt.prototype, 'render');
    expect(view(rendered)).toContain('<td>b</td>');
    expect(render).not.toHaveBeenCalled();
    expect(costOf(() => view(rendered))).toBeLessThan(20);
  });

  const fill = (unit: string) => unit.repeat(Math.floor(50_000 / unit.length));
  test.each([
    ['a large table', table],
    ['a wide table of short lines', `${'|a'.repeat(2_000)}\n${'|-'.repeat(2_000)}\n${'|a\n'.repeat(14_000)}`],
    ['small tables', fill('|a|\n|-|\n|a|\n\n')],
    ['lists in lists', '- '.repeat(25_000)],
    ['quotes and lists', fill('> - > - > - a\n')],
    ['emphasis', `${'*a '.repeat(9_000)}${'b* '.repeat(7_000)}`],
    ['marks', fill('**a *b _c __d ')],
    ['brackets', '['.repeat(50_000)],
    ['images', fill('![')],
    ['links', fill('[a](b) ')],
    ['definitions', Array.from({ length: 4_000 }, (_, index) => `[a${index}]: b`).join('\n')],
    ['addresses', fill('https://a.test/ ')],
    ['mail addresses', fill('mailto:a@b ')],
    ['addresses without a scheme', fill('//a.b/')],
    ['brackets that nothing closes', `${'['.repeat(1_400)}${fill('%').slice(1_400)}`],
    ['backticks', Array.from({ length: 310 }, (_, index) => '`'.repeat(index + 1)).join(' ')],
    ['unclosed tags', fill('<![CDATA[')],
    ['headings', fill('# a\n')],
    ['underlined lines', fill('a\n=\n')],
    ['lazy lines', fill('- a\nb\n')],
    ['words', fill('The quick brown fox jumps over the lazy dog. ')],
  ])('no view of %s costs more than 50 ms', (_what, text) => {
    // Half of it may be cheap enough to be rendered where the whole is shown as text.
    for (let length = text.length; length > 1_000; length /= 2) {
      const part = text.slice(0, length);
      // The cheaper of two first views: the processor's time includes what else the process does.
      const cost = Math.min(
        costOf(() => view(part)),
        costOf(() => view(`${part} `)),
      );
      expect(cost).toBeLessThan(50);
    }
  });

  test('what is kept is bounded, and what is read stays', () => {
    const words = 'word '.repeat(9_000);
    const first = renderMarkdown(`${words}0`);
    for (let number = 1; number <= 300; number += 1) {
      renderMarkdown(`${words}${number}`);
      renderMarkdown(`${words}0`);
    }
    const render = vi.spyOn(MarkdownIt.prototype, 'render');
    expect(renderMarkdown(`${words}0`)).toBe(first);
    expect(render).not.toHaveBeenCalled();
    expect(renderMarkdown(`${words}1`)).toContain('word 1');
    expect(render).toHaveBeenCalledOnce();
  });
});

describe('what it shows', () => {
  test.each([
    ['# A\n## B\n### C', '<h3>A</h3>\n<h3>B</h3>\n<h4>C</h4>\n'],
    ['**b** ~~s~~ `c`', '<p><strong>b</strong> <s>s</s> <code>c</code></p>\n'],
    ['[a](/x)', '<p><a href="/x" rel="nofollow ugc noopener noreferrer" target="_blank">a</a></p>\n'],
    [
      'see https://a.test/x.',
      '<p>see <a href="https://a.test/x" rel="nofollow ugc noopener noreferrer" target="_blank">https://a.test/x</a>.</p>\n',
    ],
    ['rules.md and a.test', '<p>rules.md and a.test</p>\n'],
    ['![a map](https://tracker.test/x.png)', '<p>a map</p>\n'],
    ['![<b>](x)', '<p>&lt;b&gt;</p>\n'],
  ])('%j', (text, html) => {
    expect(renderMarkdown(text)).toBe(html);
  });

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](&#106;avascript:alert(1))',
    '[a](data:text/html,x)',
    '[a]( vbscript:x)',
    '<javascript:alert(1)>',
    '[a](x "\\" onclick=alert(1))',
    '![a](x "><script>")',
    '|<b>|\n|-|\n|<script>|',
    '```"><script>\n```',
  ])('%j runs nothing', (text) => {
    const html = renderMarkdown(text) ?? '';
    expect(html).not.toMatch(/<(script|img|b)\b|href="\s*(javascript|data|vbscript)|<[^>]*\son\w+=/i);
  });
});
