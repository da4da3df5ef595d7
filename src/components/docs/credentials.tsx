'use client';

import { ChevronDown, KeyRound } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import { CodeBlock } from '@/components/ui/text/code-block';
import { placeholders } from '@/domain/api-reference/api-document';

type Credentials = { apiKey: string; bearer: string };
type CredentialsStore = { credentials: Credentials; setCredential: (name: keyof Credentials, value: string) => void };

const noCredentials: Credentials = { apiKey: '', bearer: '' };
const CredentialsContext = createContext<CredentialsStore>({
  credentials: noCredentials,
  setCredential: () => undefined,
});
const storageKey = 'laurel-docs-credentials';

function readStoredCredentials(): Credentials {
  try {
    return { ...noCredentials, ...JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') };
  } catch {
    return noCredentials;
  }
}

/** Stores the reader's credentials for the code samples, only in this tab. They are never sent anywhere. */
export function CredentialsProvider({ children }: { children: ReactNode }) {
  const [credentials, setCredentials] = useState(noCredentials);
  useEffect(() => setCredentials(readStoredCredentials()), []);

  function setCredential(name: keyof Credentials, value: string) {
    const next = { ...credentials, [name]: value.trim() };
    setCredentials(next);
    try {
      sessionStorage.setItem(storageKey, JSON.stringify(next));
    } catch {
      // Storage is turned off. The samples still have the value until the page is closed.
    }
  }
  return <CredentialsContext value={{ credentials, setCredential }}>{children}</CredentialsContext>;
}

/** Lets the reader fill in a key or token, so that samples can be copied as they are. */
export function CredentialsForm() {
  const { credentials, setCredential } = useContext(CredentialsContext);
  const isFilledIn = Boolean(credentials.apiKey || credentials.bearer);
  return (
    <details className="group rounded border bg-surface">
      <summary className="flex min-h-11 cursor-pointer items-center gap-2.5 px-4 font-medium marker:content-none">
        <KeyRound aria-hidden className="size-4 text-muted" />
        {isFilledIn ? 'Your credentials are in the code samples' : 'Use your credentials in the code samples'}
        <span className="ml-auto text-xs font-normal text-faint">Stays in this tab</span>
        <ChevronDown aria-hidden className="size-4 text-muted group-open:rotate-180" />
      </summary>
      <div className="grid gap-4 border-t p-4 sm:grid-cols-2">
        <Field label="API key">
          <Input
            type="password"
            autoComplete="off"
            placeholder="lrl_…"
            value={credentials.apiKey}
            onChange={(event) => setCredential('apiKey', event.target.value)}
          />
        </Field>
        <Field label="Access token">
          <Input
            type="password"
            autoComplete="off"
            placeholder="lpat_… or from POST /auth/token"
            value={credentials.bearer}
            onChange={(event) => setCredential('bearer', event.target.value)}
          />
        </Field>
      </div>
    </details>
  );
}

/** Code samples of a request, with the reader's credentials filled in. */
export function Sample({ title, samples }: { title: string; samples: { label: string; code: string }[] }) {
  const { credentials } = useContext(CredentialsContext);
  const filled = samples.map(({ label, code }) => ({
    label,
    code: code
      .replaceAll(placeholders.apiKey, () => credentials.apiKey || placeholders.apiKey)
      .replaceAll(placeholders.bearer, () => credentials.bearer || placeholders.bearer),
  }));
  return <CodeBlock title={title} samples={filled} />;
}
