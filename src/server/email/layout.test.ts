import { expect, test } from 'vitest';
import { composeEmail } from '@/server/email/layout';

const email = {
  subject: 'Tom & "Jerry"',
  paragraphs: ['Hello <b>Ada & Co,', 'Welcome.'],
  action: { label: 'Open', url: 'https://laurel.test/?a=1&b=2' },
  reason: 'You asked for it.',
};

test('an email is text and HTML with the same content', () => {
  const { subject, text, html } = composeEmail(email);
  expect(subject).toBe(email.subject);
  expect(text).toBe('Hello <b>Ada & Co,\n\nWelcome.\n\nOpen:\nhttps://laurel.test/?a=1&b=2\n\n-- \nYou asked for it.');
  expect(html).toContain('href="https://laurel.test/?a=1&#38;b=2"');
  expect(html).toContain('<p style="margin:0 0 16px">Welcome.</p>');
  expect(html).toContain('You asked for it.');
});

test('a name cannot bring markup into an email', () => {
  const { html } = composeEmail(email);
  expect(html).toContain('Hello &#60;b&#62;Ada &#38; Co,');
  expect(html).toContain('<title>Tom &#38; &#34;Jerry&#34;</title>');
  expect(html).not.toContain('<b>');
});

test('an email without a button or a way to unsubscribe leaves both out', () => {
  const { html, headers } = composeEmail({ ...email, action: undefined });
  expect(html).not.toContain('<a ');
  expect(html).not.toContain('undefined');
  expect(headers).toBeUndefined();
});

test('the way to unsubscribe is in the text, the HTML and the headers', () => {
  const unsubscribe = { page: 'https://laurel.test/unsubscribe?token=t', oneClick: 'https://laurel.test/one?token=t' };
  const { html, text, headers } = composeEmail({ ...email, unsubscribe });
  expect(text).toContain(`Unsubscribe: ${unsubscribe.page}`);
  expect(html).toContain(`href="${unsubscribe.page}"`);
  expect(headers).toEqual({
    'List-Unsubscribe': `<${unsubscribe.oneClick}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });
});
