import { analytics } from '@/server/routers/webhooks/analytics';
import { pause, resetBreaker, resume, revealSecret, rotateSecret, test } from '@/server/routers/webhooks/control';
import { deliveries } from '@/server/routers/webhooks/deliveries';
import { eventTypes } from '@/server/routers/webhooks/event-types';
import { dashboard, insight, ownAddress } from '@/server/routers/webhooks/overview';
import {
  replay,
  replayMany,
  replayPreview,
  replayProgress,
  replays,
  retryFailed,
} from '@/server/routers/webhooks/replays';
import { update } from '@/server/routers/webhooks/settings';
import { check, create, list, listOfProject, read, remove } from '@/server/routers/webhooks/subscriptions';
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
