/** What demo.json tells a newcomer: where things are, and credentials that work. */
export interface Demo {
  baseUrl: string;
  project: { id: string; slug: string };
  users: { id: string; email: string; password: string; role: string }[];
  apiKeys: { data: string; antiCheat: string; all: string };
  otherProjects: { id: string; slug: string; plan: string; apiKey: string }[];
  tournaments: { id: string; slug: string; status: string }[];
}

/**
 * Fills the database with the demo. It may be called again after it was cut off, or on a database that has the demo: then it
 * replaces what it made.
 */
export async function seedDemo({ baseUrl }: { baseUrl: string }): Promise<Demo> {
  const none = { id: '', slug: '' };
  const apiKeys = { data: '', antiCheat: '', all: '' };
  return { baseUrl, project: none, users: [], apiKeys, otherProjects: [], tournaments: [] };
}
