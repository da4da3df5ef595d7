/** What became of a request, as far as words need it. */
export type Outcome = { responseStatus: number | null; errorClass: string | null };

/** What went wrong, why that happens, and what to do about it. */
export type FailureExplanation = { title: string; cause: string; fix: string };

const classes: Record<string, FailureExplanation> = {
  dns_error: {
    title: 'Name not found',
    cause: 'The name in the URL could not be turned into an address.',
    fix: 'Check the spelling of the URL, and that the DNS record of the name exists. Then send it again.',
  },
  connect_refused: {
    title: 'Connection refused',
    cause: 'A machine was reached, but nothing listens on that port.',
    fix: 'Start the receiver, or correct the port in the URL. Then send it again.',
  },
  connect_timeout: {
    title: 'No connection in time',
    cause: 'No connection came about within the time limit: the machine is off, or a firewall drops the packets.',
    fix: 'Check that the receiver runs and that its firewall lets requests from here in. Then send it again.',
  },
  tls_error: {
    title: 'TLS failed',
    cause:
      'The receiver’s certificate was not accepted: expired, for another name, self-signed, or its chain is incomplete.',
    fix: 'Renew the certificate or serve the whole chain. Then send it again.',
  },
  reset: {
    title: 'Connection broke',
    cause:
      'The receiver closed the connection before it had answered: often a crash, a restart, or a proxy in between.',
    fix: 'Look into the receiver’s log at this time. Then send it again.',
  },
  timeout: {
    title: 'No answer in time',
    cause: 'The request arrived, but no complete answer came within the time limit.',
    fix: 'Answer 200 at once and do the work afterwards, or raise the time limit in the settings. Then send it again.',
  },
  invalid_response: {
    title: 'Not valid HTTP',
    cause: 'What came back was not an HTTP answer: perhaps the port speaks another protocol.',
    fix: 'Check scheme and port of the URL. Then send it again.',
  },
  blocked_address: {
    title: 'Address not public',
    cause: 'The name now points to an address that is not public. Requests into private networks are never made.',
    fix: 'Let the name point to a public address, or ask whoever runs this instance to allow the range.',
  },
  http_3xx: {
    title: 'Redirected',
    cause: 'The receiver pointed to another address. Redirects are not followed.',
    fix: 'Set the URL to the final address, shown in the Location header. Then send it again.',
  },
  http_4xx: {
    title: 'Refused',
    cause: 'The receiver read the request and refused it.',
    fix: 'Read what came back and mend the receiver. Then send it again.',
  },
  http_5xx: {
    title: 'Receiver failed',
    cause: 'The receiver has an error of its own.',
    fix: 'Look into the receiver’s log at this time, mend it, then send it again.',
  },
};

const statuses: Record<number, Pick<FailureExplanation, 'cause' | 'fix'>> = {
  400: {
    cause: 'The receiver could not read the request, or took it for something else.',
    fix: 'Compare the body with what the receiver expects. Then send it again.',
  },
  401: {
    cause: 'The receiver did not accept the credentials or the signature.',
    fix: 'Check the authentication in the settings, and that the receiver verifies the raw body with this secret.',
  },
  403: {
    cause: 'The receiver does not allow the request: often a firewall, or credentials of too few rights.',
    fix: 'Check the authentication in the settings and the receiver’s access rules. Then send it again.',
  },
  404: {
    cause: 'Nothing answers at this path.',
    fix: 'Check the path of the URL, and that the receiver is deployed. Then send it again.',
  },
  405: {
    cause: 'The path exists, but does not take POST requests.',
    fix: 'Let the receiver take POST at this path, or correct the URL. Then send it again.',
  },
  410: {
    cause: 'The receiver says that it is gone for good, so the webhook was disabled.',
    fix: 'If it is back, resume the webhook; what was held can then be sent.',
  },
  413: {
    cause: 'The receiver takes no bodies of this size.',
    fix: 'Raise its limit for request bodies. Then send it again.',
  },
  429: {
    cause: 'The receiver gets more requests than it takes.',
    fix: 'Raise its limit, or set rate caps in the settings so that events wait their turn.',
  },
  502: {
    cause: 'A proxy in front of the receiver got no valid answer from it.',
    fix: 'Check that the application behind the proxy runs. Then send it again.',
  },
  503: {
    cause: 'The receiver is overloaded or in maintenance.',
    fix: 'When it is back, send it again; Retry-After in its answer is respected.',
  },
  504: {
    cause: 'A proxy in front of the receiver waited too long for it.',
    fix: 'Answer at once and do the work afterwards. Then send it again.',
  },
};

/** Classes in the order in which a request can fail. */
export const errorClasses = Object.keys(classes);

/** A kind of failure in two or three words. */
export function describeErrorClass(errorClass: string): string {
  if (errorClass === 'unknown') return 'Answer not known';
  return classes[errorClass]?.title ?? errorClass;
}

/** What a failure means and what to do about it; null when nothing failed. */
export function explainFailure(outcome: Outcome): FailureExplanation | null {
  if (!outcome.errorClass) return null;
  const general = classes[outcome.errorClass];
  const special = outcome.responseStatus === null ? undefined : statuses[outcome.responseStatus];
  if (outcome.errorClass === 'unknown') {
    return {
      title: 'Answer not known',
      cause: 'The sender stopped before it knew the answer. The request may have arrived, and was made again.',
      fix: 'Nothing: a receiver that keeps event.id recognises what it has.',
    };
  }
  if (!general) {
    return { title: outcome.errorClass, cause: 'The request failed.', fix: 'Look at the attempt, then send it again.' };
  }
  return { ...general, ...special };
}

/** What came back, in a few words: the status code, the kind of failure, or both. */
export function describeOutcome(outcome: Outcome): string {
  const failure = outcome.errorClass ? describeErrorClass(outcome.errorClass) : null;
  return [outcome.responseStatus, failure].filter(Boolean).join(' · ');
}

/** Milliseconds as people read them. */
export function formatDuration(milliseconds: number | null): string {
  if (milliseconds === null) return '–';
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${Number((milliseconds / 1_000).toFixed(1))} s`;
  if (milliseconds < 3_600_000) return `${Number((milliseconds / 60_000).toFixed(1))} min`;
  return `${Number((milliseconds / 3_600_000).toFixed(1))} h`;
}

/** A share from 0 to 1 as a percentage that never rounds a failure away. */
export function formatRate(share: number | null): string {
  if (share === null) return '–';
  if (share >= 1) return '100%';
  const percent = share * 100;
  if (percent > 99.9) return '99.9%';
  return `${percent >= 99 || percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)}%`;
}
