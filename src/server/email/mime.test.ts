import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileMessage, writeMessage } from '@/server/email/mime';

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom('.', '..', '=', '=3D', ' ', '\t', 'ends with a space ', '-- ', 'Zoë 大会 \u{1F3C6}', 'x'.repeat(300)),
);
const text = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\n') || 'x');

test('an email is written as nodemailer writes it, whatever it says', async () => {
  await fc.assert(
    fc.asyncProperty(line, text, text, async (subject, plain, html) => {
      const headers = { 'List-Unsubscribe': '<https://laurel.test/?token=t>' };
      const content = { subject, text: plain, html, headers };
      const node = compileMessage({ id: 'eml_1', to: 'player@laurel.test', content });
      const built = await node.build();
      expect(writeMessage(node)).toBe(built.toString());
    }),
  );
});

test('lines are short, in ASCII, and the parts can be read', () => {
  const content = { subject: 'Zoë', text: `Hello Zoë,\n${'word '.repeat(60)}`, html: '<p>Hello Zoë</p>' };
  const written = writeMessage(compileMessage({ id: 'eml_1', to: 'player@laurel.test', content }));
  expect(written).toMatch(/^[\t\r\n -~]*$/);
  expect(Math.max(...written.split(/\r?\n/).map(({ length }) => length))).toBeLessThanOrEqual(78);
  expect(written).toContain('Message-ID: <eml_1@');
  expect(written.match(/Content-Transfer-Encoding: quoted-printable/g)).toHaveLength(2);
  expect(written).toContain('Hello Zo=C3=AB,');
});
