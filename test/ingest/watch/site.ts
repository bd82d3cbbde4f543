/** The watcher of alerts of a site, for tests. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Site } from '#test/ingest/support.ts';
import { NO_BUDGETS } from '#test/support/no-budgets.ts';
import { startAlerts } from '#watchers/alerts.ts';

/** Starts the watcher of alerts of a site; the test calls its ticks. */
export function watchSite(site: Site) {
  return startAlerts({
    store: site.store,
    live: site.ingest.live,
    watched: site.ingest.watched,
    watch: (listener) => site.ingest.watch(listener),
    clock: () => site.time.ms,
    monotonic: () => site.time.mono,
    budgets: NO_BUDGETS,
    random: (bytes) => new Uint8Array(randomBytes(bytes)),
    log: (_level, message, data) => assert.fail(`${message} ${JSON.stringify(data)}`),
    tickMs: null,
  });
}

/** The alerts of a site, the oldest first. */
export const alertsOf = async (site: Site) => (await site.call('alerts_list', { order: 'asc' })).data;
