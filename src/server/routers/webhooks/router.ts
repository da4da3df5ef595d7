import { analytics } from '@/server/routers/webhooks/analytics/analytics';
import { dashboard, insight, ownAddress } from '@/server/routers/webhooks/analytics/overview';
import { deliveries } from '@/server/routers/webhooks/deliveries/deliveries';
import {
  replay,
  replayMany,
  replayPreview,
  replayProgress,
  replays,
  retryFailed,
} from '@/server/routers/webhooks/deliveries/replays';
import { eventTypes } from '@/server/routers/webhooks/event-types';
import { pause, resetBreaker, resume, test } from '@/server/routers/webhooks/subscriptions/control';
import { revealSecret, rotateSecret } from '@/server/routers/webhooks/subscriptions/secrets';
import { update } from '@/server/routers/webhooks/subscriptions/settings';
import {
  check,
  create,
  list,
  listOfProject,
  read,
  remove,
} from '@/server/routers/webhooks/subscriptions/subscriptions';
import { router } from '@/server/trpc';

export const webhooksRouter = router({
  eventTypes,
  dashboard,
  analytics,
  insight,
  ownAddress,
  deliveries,
  subscriptions: router({
    create,
    check,
    list,
    listOfProject,
    read,
    update,
    remove,
    pause,
    resume,
    rotateSecret,
    revealSecret,
    test,
    resetBreaker,
    retryFailed,
    replay,
    replayMany,
    replayPreview,
    replayProgress,
    replays,
  }),
});
