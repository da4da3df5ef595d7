/** The parts of an attempt or delivery that say how it ended. */
export type Outcome = { responseStatus: number | null; errorClass: string | null };

/** What went wrong, why that usually happens, and what to do about it. */
export type FailureExplanation = { title: string; cause: string; fix: string };

const byErrorClass: Record<string, FailureExplanation> = {
  dns_error: {
    title: 'Host not found',
    cause: 'The host name in the URL does not resolve to an address.',
    fix: 'Check the URL for typos and make sure that the host has a DNS record. Then resend.',
  },
  connect_refused: {
    title: 'Connection refused',
    cause: 'The host is up, but nothing is listening on that port.',
    fix: 'Start your server, or correct the port in the URL. Then resend.',
  },
  connect_timeout: {
    title: 'Connection timed out',
    cause: 'No connection was made within the time limit. The host may be down, or a firewall may drop the packets.',
    fix: 'Make sure that your server is running and that its firewall lets these requests in. Then resend.',
  },
  tls_error: {
    title: 'TLS error',
    cause: 'The certificate was not accepted. It may be expired, self-signed, for another name, or missing its chain.',
    fix: 'Renew the certificate or serve the full chain. Then resend.',
  },
  reset: {
    title: 'Connection reset',
    cause: 'Your server closed the connection before it responded, often because of a crash, a restart or a proxy.',
    fix: 'Check your server’s log at this time. Then resend.',
  },
  timeout: {
    title: 'Response timed out',
    cause: 'The request arrived, but the full response did not come within the time limit.',
    fix: 'Respond with 200 right away and do the work afterwards, or raise the time limit in the settings. Then resend.',
  },
  invalid_response: {
    title: 'Invalid response',
    cause: 'The response was not valid HTTP. The port may speak another protocol.',
    fix: 'Check the scheme and the port in the URL. Then resend.',
  },
  blocked_address: {
    title: 'Private address',
    cause: 'The host now resolves to a private address. Webhooks are not sent to private networks.',
    fix: 'Point the host at a public address, or ask the administrator of this instance to allow the range.',
  },
  cancelled: {
    title: 'Cancelled',
    cause: 'The webhook was disabled, or got another URL, before your server responded to the old one.',
    fix: 'Nothing to fix: it is sent again, to the new URL, or once the webhook is resumed.',
  },
  http_3xx: {
    title: 'Redirected',
    cause: 'Your server redirected the request. Redirects are not followed.',
    fix: 'Set the URL to the final address, shown in the Location header. Then resend.',
  },
  http_4xx: {
    title: 'Rejected',
    cause: 'Your server read the request and rejected it.',
    fix: 'Read the response and fix the endpoint. Then resend.',
  },
  http_5xx: {
    title: 'Server error',
    cause: 'Your server reported an internal error.',
    fix: 'Check your server’s log at this time and fix the error. Then resend.',
  },
};

const byStatus: Record<number, Pick<FailureExplanation, 'cause' | 'fix'>> = {
  400: {
    cause: 'Your server could not read the request, or expected something else.',
    fix: 'Compare the body with what your endpoint expects. Then resend.',
  },
  401: {
    cause: 'Your server did not accept the credentials or the signature.',
    fix: 'Check the authentication settings, and that your server verifies the raw body with this secret.',
  },
  403: {
    cause: 'Your server does not allow the request. A firewall may block it, or the credentials may lack permission.',
    fix: 'Check the authentication settings and your server’s access rules. Then resend.',
  },
  404: {
    cause: 'Your server has nothing at this path.',
    fix: 'Check the path in the URL and make sure that your endpoint is deployed. Then resend.',
  },
  405: {
    cause: 'The path exists, but does not accept POST requests.',
    fix: 'Accept POST requests at this path, or correct the URL. Then resend.',
  },
  410: {
    cause: 'Your server says that the endpoint is gone for good, so the webhook was disabled.',
    fix: 'If the endpoint is back, resume the webhook. Deliveries that were held are then sent.',
  },
  413: {
    cause: 'Your server does not accept bodies of this size.',
    fix: 'Raise its limit for request bodies. Then resend.',
  },
  429: {
    cause: 'Your server gets more requests than it accepts.',
    fix: 'Raise its limit, or set rate limits in the settings so that events wait their turn.',
  },
  502: {
    cause: 'A proxy in front of your server got no valid response from it.',
    fix: 'Make sure that the application behind the proxy is running. Then resend.',
  },
  503: {
    cause: 'Your server is overloaded or down for maintenance.',
    fix: 'Resend when it is back. A Retry-After header in the response is respected.',
  },
  504: {
    cause: 'A proxy in front of your server timed out waiting for it.',
    fix: 'Respond right away and do the work afterwards. Then resend.',
  },
};

const unknown: FailureExplanation = {
  title: 'Result unknown',
  cause: 'Laurel stopped before it saw the response. The request may have arrived, and was sent again.',
  fix: 'Nothing to do if your server ignores events whose event.id it has already seen.',
};

/** Error classes in the order in which a request can fail. */
export const errorClasses = Object.keys(byErrorClass);

/** A short name for a kind of failure. */
export function describeErrorClass(errorClass: string): string {
  if (errorClass === 'unknown') return unknown.title;
  return byErrorClass[errorClass]?.title ?? errorClass;
}

/** What a failure means and what to do about it; null when nothing failed. A known status explains more than its class. */
export function explainFailure({ errorClass, responseStatus }: Outcome): FailureExplanation | null {
  if (!errorClass) return null;
  if (errorClass === 'unknown') return unknown;
  const general = byErrorClass[errorClass];
  if (!general) {
    return { title: errorClass, cause: 'The request failed.', fix: 'Look at the attempt, then resend.' };
  }
  return { ...general, ...(responseStatus === null ? undefined : byStatus[responseStatus]) };
}

/** The status code, the kind of failure, or both: `500 · Server error`. */
export function describeOutcome({ errorClass, responseStatus }: Outcome): string {
  return [responseStatus, errorClass ? describeErrorClass(errorClass) : null].filter(Boolean).join(' · ');
}
