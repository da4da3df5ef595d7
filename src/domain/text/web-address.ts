/**
 * A web address as it can be shown to others: characters that turn text around or have no width are escaped, and none has a user
 * name, with which it would look like an address elsewhere.
 * @returns null for text that is no such address
 */
export function webAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, username, password, href } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href : null;
}
