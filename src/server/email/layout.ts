/** A plain email: paragraphs, perhaps a list, at most one button, and why it was sent. */
export type Email = {
  subject: string;
  paragraphs: string[];
  /** A list below the paragraphs, and a last paragraph below it. */
  items?: { text: string; url?: string }[];
  after?: string;
  action?: { label: string; url: string };
  /** Why the reader gets this, and what to do if it was not them. */
  reason: string;
  /** Where the reader can unsubscribe: a page, and the address that email programs call. */
  unsubscribe?: { page: string; oneClick: string };
  /** What is sent in its place when the mail server refuses the text. */
  fallback?: Email;
};

/** Why a fallback has no names, in the fallback. */
export const namesLeftOut =
  'A mail server refused the full version of this email, so this one leaves out names and details. Open Laurel to see what changed.';

export type EmailContent = { subject: string; text: string; html: string; headers?: Record<string, string> };

/** HTML that may be put into more HTML as it is. */
class Html {
  constructor(readonly markup: string) {}
}

type Value = string | Html | undefined | Value[];

function toMarkup(value: Value): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map(toMarkup).join('');
  if (value instanceof Html) return value.markup;
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Escapes every value that is not HTML itself, so that no name can bring markup into an email. */
function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(strings.reduce((markup, string, index) => markup + toMarkup(values[index - 1]) + string));
}

const paragraph = (text: string) => html`<p style="margin:0 0 16px">${text}</p>`;

const list = (items: NonNullable<Email['items']>) => html`
  <ul style="margin:0 0 16px;padding-left:20px">
    ${items.map(({ text, url }) => html`<li style="margin:0 0 4px">${url ? html`<a href="${url}" style="color:#1f6b45">${text}</a>` : text}</li>`)}
  </ul>`;

// A table cell carries the color and the padding, since Outlook ignores the padding of links.
const button = ({ label, url }: { label: string; url: string }) => html`
  <table role="presentation" cellpadding="0" cellspacing="0" style="margin:24px 0"><tr>
    <td style="padding:10px 16px;border-radius:6px;background:#1f6b45">
      <a href="${url}" style="color:#ffffff;text-decoration:none;font-weight:600">${label}</a>
    </td>
  </tr></table>
  <p style="margin:0 0 16px;font-size:13px;color:#5b6460;word-break:break-all">Or open ${url}</p>`;

/** The whole page. Email programs need tables for the width and inline styles; nothing is loaded from elsewhere. */
const page = ({ subject, paragraphs, items, after, action, reason, unsubscribe }: Email) => html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>${subject}</title>
</head>
<body style="margin:0;padding:24px;background:#f6f7f4">
  <table role="presentation" align="center" width="520" cellpadding="0" cellspacing="0" style="width:100%;max-width:520px;background:#ffffff;border-radius:8px"><tr>
    <td style="padding:24px;color:#16201b;font:16px/1.5 system-ui,sans-serif">
      <p style="margin:0 0 24px;font-weight:700;letter-spacing:.02em">Laurel</p>
      ${paragraphs.map(paragraph)}
      ${items && list(items)}
      ${after && paragraph(after)}
      ${action && button(action)}
      <hr style="border:0;border-top:1px solid #e3e6e1;margin:24px 0">
      <p style="margin:0 0 16px;font-size:13px;color:#5b6460">${reason}</p>
      ${unsubscribe && html`<p style="margin:0;font-size:13px"><a href="${unsubscribe.page}" style="color:#5b6460">Unsubscribe</a></p>`}
    </td>
  </tr></table>
</body>
</html>
`;

function plainText({ paragraphs, items, after, action, reason, unsubscribe }: Email): string {
  const footer = unsubscribe ? `${reason}\nUnsubscribe: ${unsubscribe.page}` : reason;
  const listed = (items ?? []).map(({ text, url }) => (url ? `- ${text}\n  ${url}` : `- ${text}`)).join('\n');
  const body = [...paragraphs, listed, after].filter((part) => part !== undefined && part !== '');
  return [...body, ...(action ? [`${action.label}:\n${action.url}`] : []), `-- \n${footer}`].join('\n\n');
}

/** The email as text and as HTML, with the headers for unsubscribing. */
export function composeEmail(email: Email): EmailContent {
  const { subject, unsubscribe } = email;
  // RFC 2369 and RFC 8058: email programs show a button, which posts to the address.
  const headers = unsubscribe && {
    'List-Unsubscribe': `<${unsubscribe.oneClick}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
  return { subject, text: plainText(email), html: page(email).markup, ...(headers ? { headers } : {}) };
}
