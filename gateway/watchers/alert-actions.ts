/**
 * Executes the actions of alerts that wait for it, one after the other. The result of each action is stored in its alert. An alert that
 * waits when the gateway stops is executed after the next start. The newest changes of alerts before a stop are passed on again after the
 * next start, because the process may have ended before it published them.
 */

import type { Stored } from '#contract/base/view.ts';
import type { AlertActionName, AlertData } from '#contract/work/alert.ts';
import type { Store } from '#store/open-store.ts';
import { readAll } from './read-all.ts';

/** Executes one action of one alert and stores the result in the alert. If it rejects, it is called again later. */
export type PerformAction = (alert: Stored<AlertData>) => Promise<void>;

/** What executes the actions. */
export interface Performers {
  readonly ticket: PerformAction;
  readonly mqtt: PerformAction;
  /**
   * Called after a change of an alert whose action `mqtt` was executed, for example when the alert is cleared. After a start, it is called
   * again for the newest changes before the start.
   */
  readonly changed: (alert: Stored<AlertData>) => void;
}

/** The running executor of actions. */
export interface AlertActions extends AsyncDisposable {
  /** Starts to execute actions. */
  begin(performers: Performers): void;
  /** Resolves when no action waits, or when the first waiting action has failed. */
  settled(): Promise<void>;
}

/** After a failed action the gateway tries again after this many milliseconds. */
const RETRY_MS = 10_000;

/** A start looks for waiting actions in all open alerts, and in this number of cleared alerts, the newest. */
const MOST_CLEARED = 1_000;

/** After a start, all changes from this many milliseconds before the newest change of an alert are passed on again. */
const REPEAT_MS = 60_000;

/** Returns the time of the last change of an alert in milliseconds since 1970. */
const changedAt = ({ raised_at, cleared_at, acknowledged_at, also = [] }: AlertData): number =>
  Math.max(
    ...[raised_at, cleared_at, acknowledged_at, ...also.map(({ joined_at }) => joined_at)].map((at) =>
      at === null ? 0 : Date.parse(at),
    ),
  );

const waits = ({ actions }: AlertData): AlertActionName[] =>
  actions.flatMap(({ action, status }) => (status === 'pending' ? [action] : []));

/** True if the action `mqtt` of the alert was executed. */
const isPublished = ({ data }: Stored<AlertData>): boolean =>
  data.actions.some(({ action, status }) => action === 'mqtt' && status === 'executed');

/** Returns the alerts whose last change is among the newest changes. */
function newestOf(alerts: readonly Stored<AlertData>[]): Stored<AlertData>[] {
  const newest = alerts.reduce((last, { data }) => Math.max(last, changedAt(data)), 0);
  return alerts.filter(({ data }) => changedAt(data) > newest - REPEAT_MS);
}

/**
 * Follows the alerts of the store. It remembers alerts that wait until `begin` is called. The queue has at most the alerts with an action
 * that waits.
 */
export async function followAlertActions(options: {
  readonly store: Pick<Store, 'changes' | 'find' | 'view'>;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}): Promise<AlertActions> {
  const { store, log } = options;
  const queue = new Map<string, Stored<AlertData>>();
  /** Alerts whose last change was just before the start. */
  let repeated: readonly Stored<AlertData>[] = [];
  let performers: Performers | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;

  function take(alert: Stored<AlertData>): void {
    if (waits(alert.data).length > 0) {
      queue.set(alert.id, alert);
      run();
    } else if (isPublished(alert)) performers?.changed(alert);
  }

  async function perform(performers: Performers, { id, project_id }: Stored<AlertData>): Promise<void> {
    // The queued document may be older than the result of an action.
    const read = () => store.view(project_id).get<AlertData>('live', id);
    for (const action of ['ticket', 'mqtt'] as const) {
      const alert = await read();
      if (alert !== undefined && waits(alert.data).includes(action)) await performers[action](alert);
    }
  }

  async function runAll(performers: Performers): Promise<void> {
    for (const [id, alert] of queue) {
      if (stopped) return;
      queue.delete(id);
      try {
        await perform(performers, alert);
      } catch (error) {
        log('warn', 'an action of an alert failed; it is tried again', { alert_id: id, error: String(error) });
        queue.set(id, alert);
        return;
      }
    }
  }

  function run(): void {
    if (performers === undefined || running !== undefined || stopped) return;
    running = runAll(performers).finally(() => {
      running = undefined;
    });
  }

  const stop = store.changes((changes) => {
    for (const { collection, operation, document } of changes)
      if (collection === 'live' && document.object === 'alert' && operation !== 'DELETE')
        take(document as unknown as Stored<AlertData>);
  });
  const active = await readAll<AlertData>(store, 'live', 'alert', { 'data.state': 'active' });
  for (const alert of active) take(alert);
  // An alert may have been cleared before its action was executed.
  const cleared = { object: 'alert', where: { 'data.state': 'cleared' }, limit: MOST_CLEARED } as const;
  const recent = await store.find<AlertData>('live', { ...cleared, order: 'desc' });
  for (const alert of recent) if (waits(alert.data).length > 0) take(alert);
  repeated = newestOf([...active, ...recent]).filter(isPublished);
  const timer = setInterval(run, RETRY_MS);
  return {
    begin(given) {
      performers = given;
      for (const alert of repeated) given.changed(alert);
      repeated = [];
      run();
    },
    async settled() {
      while (running !== undefined) await running;
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      clearInterval(timer);
      stop();
      await running;
    },
  };
}
