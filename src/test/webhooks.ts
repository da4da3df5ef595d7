import { deliveriesOf } from '@/test/deliveries';
import { makeProject, makeSubscription } from '@/test/factories';
import { openReceiver } from '@/test/queue';
import type { Respond } from '@/test/receiver';
import type { TestServer } from '@/test/server';

/** The path of a subscription on REST. */
export const subscriptionPath = (id: string, rest = '') => `/webhooks/subscriptions/${id}${rest}`;

/**
 * A subscription in its own project, with a receiver, managed over REST by the project's owner.
 * @param respond how the receiver responds; 200 by default
 */
export async function makeWebhook(server: TestServer, data: object = {}, respond?: Respond) {
  const { project, owner } = await makeProject();
  let current = respond;
  const target = await openReceiver((request, response) => (current ? current(request, response) : response.end('ok')));
  const subscription = await makeSubscription(project.id, { url: target.url, ...data });
  const post = <T = Record<string, unknown>>(rest: string, body?: object) =>
    server.post<T>(subscriptionPath(subscription.id, rest), { bearer: owner.bearer, body });
  const statuses = async () => (await deliveriesOf(subscription.id)).map((row) => row.status);
  /** For `until`: whether there are that many deliveries and all have the status. */
  const all = (status: string, count: number) => async () => {
    const found = await statuses();
    return found.length === count && found.every((each) => each === status);
  };
  return {
    project,
    owner,
    target,
    subscription,
    post,
    statuses,
    all,
    respondWith: (next: Respond | undefined) => {
      current = next;
    },
  };
}
