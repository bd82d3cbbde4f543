import type { EventData } from '#contract/base/event.ts';
import type { Kind } from '#contract/base/ids.ts';
import { StoreError } from '#contract/base/store-error.ts';
import type { BoardAlert } from '#domain/attention/open-items.ts';
import type { Store } from '#store/open-store.ts';
import type { FeedObject } from './feed-frame.ts';

/** The last alert that took over the screens of a playlist is kept in memory, for at most this many playlists. */
const MOST_REMEMBERED = 256;

interface TakeoverServices {
  readonly store: Pick<Store, 'commit'>;
  readonly clock: () => number;
  readonly newId: (kind: Kind) => string;
}

/**
 * Writes an event to the log of a playlist when an alert takes over its screens (the screens show the alert in place of the boards), and
 * another event when the takeover ends.
 */
export class Takeovers {
  private readonly services: TakeoverServices;
  /**
   * The alert on the screens of each feed (the object that sends boards to screens). An entry stays after its feed was closed. So the same
   * takeover is not logged a second time when the feed is opened again.
   */
  private readonly current = new Map<string, BoardAlert>();

  constructor(services: TakeoverServices) {
    this.services = services;
  }

  /** Records which alert the screens of a feed show now; null if they show no alert. Resolves when a change is in the log. */
  async set(feed: string, { project_id, object_id }: FeedObject, alert: BoardAlert | null): Promise<void> {
    const before = this.current.get(feed);
    if (before?.id === alert?.id) return;
    this.current.delete(feed);
    if (alert !== null) this.current.set(feed, alert);
    if (this.current.size > MOST_REMEMBERED) this.current.delete(this.current.keys().next().value ?? '');
    await this.log(project_id, [
      ...(before === undefined ? [] : [this.eventOf(object_id, 'takeover.ended', before)]),
      ...(alert === null ? [] : [this.eventOf(object_id, 'takeover.started', alert)]),
    ]);
  }

  private eventOf(playlist: string, type: string, alert: BoardAlert): EventData {
    const { rule_id, rule_name, severity, machine_id } = alert;
    return {
      type,
      subject: { object: 'playlist', id: playlist },
      occurred_at: new Date(this.services.clock()).toISOString(),
      source: 'headframe',
      source_event_id: null,
      actor: { type: 'system', id: null, name: 'headframe' },
      data: { alert_id: alert.id, rule_id, rule_name, severity, machine_id },
      context: { run_id: null, device_id: null, media: [] },
    };
  }

  private async log(project_id: string, events: readonly EventData[]): Promise<void> {
    try {
      await this.services.store.commit(
        events.map((data) => {
          const id = this.services.newId('event');
          return { collection: 'events', project_id, id, object: 'event', data: { ...data }, expected: 0 } as const;
        }),
      );
    } catch (error) {
      // Ignore the failure. The screens show the alert even if this event is missing, and `GET /api/v1/health` reports the failing disk.
      if (!(error instanceof StoreError)) throw error;
    }
  }
}
