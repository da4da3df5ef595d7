import type { Plan } from '@/domain/projects/plans';
import { durationInWords, second } from '@/domain/time/durations';
import { env } from '@/env';
import { limitOf, type QuotaName, quotaOf } from '@/server/limits/quotas';

/** The limit in words: `20 within 1 hour`, or `free 3, pro 25, enterprise 200`. */
export function limitInWords(name: QuotaName): string {
  const { variable, seconds } = quotaOf(name);
  if (typeof variable !== 'string') {
    return Object.entries(variable)
      .map(([plan, one]) => `${plan} ${env[one].toLocaleString('en')}`)
      .join(', ');
  }
  const limit = env[variable].toLocaleString('en');
  return seconds ? `${limit} within ${durationInWords(seconds * second)}` : limit;
}

/** What a caller reads who asks for more than the limit. */
export function exceededText(name: QuotaName, plan?: Plan): string {
  return quotaOf(name).exceeded(limitOf(name, plan));
}
