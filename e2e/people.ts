import { type Browser, type BrowserContextOptions, type Page, request } from 'playwright/test';

type State = Exclude<BrowserContextOptions['storageState'], string | undefined>;
type Answer<T> = { status: number; body: T };

/** Calls REST below `/api/v1` as one account. */
export type Rest = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;

const password = 'demo-password';

/** The cookies of a web session, fetched once per account; the form has its own tests. */
const sessions = new Map<string, Promise<State>>();

async function signIn(baseURL: string, email: string): Promise<State> {
  const api = await request.newContext({ baseURL });
  const { csrfToken } = await (await api.get('/api/auth/csrf')).json();
  const form = { csrfToken, email, password, json: 'true' };
  const answer = await api.post('/api/auth/callback/credentials', { form });
  if (!answer.ok()) throw new Error(`${email} cannot sign in: ${answer.status()} ${await answer.text()}`);
  const state = await api.storageState();
  await api.dispose();
  return state;
}

/** A separate browser; `email` null is a visitor without an account. */
export async function openAs(
  browser: Browser,
  baseURL: string,
  email: string | null,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const key = `${baseURL} ${email}`;
  if (email && !sessions.has(key)) sessions.set(key, signIn(baseURL, email));
  const storageState = email ? await sessions.get(key) : undefined;
  return (await browser.newContext({ baseURL, storageState, ...options })).newPage();
}

/** REST as a demo account; without one, with only the given headers. */
export async function restAs(
  baseURL: string,
  email: string | null,
  headers: Record<string, string> = {},
): Promise<Rest> {
  const call = async (method: string, path: string, body: unknown, own: Record<string, string>) => {
    const json: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
    const response = await fetch(`${baseURL}/api/v1${path}`, {
      method,
      headers: { ...json, ...own },
      body: body ? JSON.stringify(body) : undefined,
    });
    return { status: response.status, body: await response.json() };
  };
  if (!email) return (method, path, body) => call(method, path, body, headers);
  const { body: token } = await call('POST', '/auth/token', { email, password }, {});
  const authorization = `Bearer ${token.accessToken}`;
  return (method, path, body) => call(method, path, body, { authorization, ...headers });
}
