/**
 * Removes old log entries that devices caused: connections, states, `note` and `x.*`. It keeps the entries that people caused, and the
 * entries about the state of machines (such as a change of the live status).
 *
 *   oldest entry ... cursor -> one step: 2,000 entries -> ... the first entry that is not old enough
 *
 * For each device, a removal adds one entry to the log of the device. This entry has the number of removed entries and the time of the last
 * removed entry.
 */
import type { EventData } from '#contract/base/event.ts';
import type { Kind } from '#contract/base/ids.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Stored } from '#contract/base/view.ts';
import type { Store } from '#store/open-store.ts';

const PAGE = 200;
/** Number of entries that one step reads. */
const STEP = 2_000;
const DAY_MS = 86_400_000;

interface SweepOptions {
  readonly store: Pick<Store, 'find' | 'commit' | 'erase' | 'sync'>;
  readonly clock: () => number;
  readonly newId: (kind: Kind, place?: number) => string;
  /** Returns false while the gateway does not trust its clock. The sweep then cannot know how old an entry is, so it deletes nothing. */
  readonly agesKnown: () => boolean;
}

/** Returns true for an entry that may be removed: a device caused the entry, and it is not about the state of a machine. */
const expires = ({ data: { actor, subject, type } }: Stored<EventData>) =>
  actor.type === 'device' && (subject.object === 'device' || type === 'note' || type.startsWith('x.'));

/**
 * Creates a sweep (a periodic removal). Call the returned function every minute: each call makes one step and returns the number of removed
 * entries.
 */
export function createEventSweep({ store, clock, newId, agesKnown }: SweepOptions): () => Promise<number> {
  // The last entry that the sweep has read. The sweep never reads the entries before it again: the sweep has removed all of them except
  // entries that it must always keep.
  let after: Pick<Stored, 'created_at' | 'id'> | undefined;

  /**
   * Writes the entry about the removal first, and then removes the old entries. If the gateway crashes between these two writes, the log
   * still has some entries that were already counted as removed. The sweep after the next start removes them.
   */
  async function remove(old: readonly Stored<EventData>[]): Promise<void> {
    const ofDevices = Map.groupBy(old, ({ project_id, data }) => `${project_id} ${data.actor.id}`);
    await store.commit(
      [...ofDevices.values()].map((entries, place) => {
        const { project_id, data, created_at } = entries.at(-1) as Stored<EventData>;
        const id = data.actor.id ?? data.subject.id;
        return {
          collection: 'events' as const,
          id: newId('event', place),
          object: 'event',
          project_id,
          expected: 0,
          data: {
            type: 'purged',
            subject: { object: 'device', id },
            occurred_at: new Date(clock()).toISOString(),
            source: 'headframe',
            source_event_id: null,
            actor: { type: 'service', id: null, name: null },
            data: {
              what: ['events'],
              reason: 'retention',
              events: entries.length,
              from: entries[0]?.created_at,
              through: created_at,
            },
            context: { run_id: null, device_id: id, media: [] },
          } satisfies EventData as unknown as Record<string, unknown>,
        };
      }),
    );
    const ids = old.map(({ id }) => id);
    for (let at = 0; at < ids.length; at += PAGE) await store.erase('events', ids.slice(at, at + PAGE));
  }

  return async () => {
    if (!agesKnown()) return 0;
    const until = new Date(clock() - LIMITS.device_event_days.value * DAY_MS).toISOString();
    const old: Stored<EventData>[] = [];
    for (let looked = 0; looked < STEP; looked += PAGE) {
      const page = await store.find<EventData>('events', {
        object: 'event',
        order: 'asc',
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      const aged = page.filter(({ created_at }) => created_at < until);
      const removable = await removableOf(store, aged.filter(expires));
      old.push(...removable);
      // An entry that head office does not have yet waits for it, and the next step begins there.
      const waiting = aged.findIndex((one) => expires(one) && !removable.includes(one));
      after = (waiting < 0 ? aged.at(-1) : aged[waiting - 1]) ?? after;
      if (aged.length < PAGE || waiting >= 0) break;
    }
    if (old.length > 0) await remove(old);
    return old.length;
  };
}

/** Those entries that may be removed now. */
async function removableOf(
  store: Pick<Store, 'sync'>,
  entries: readonly Stored<EventData>[],
): Promise<Stored<EventData>[]> {
  const ids = new Set<string>();
  for (const [project, own] of Map.groupBy(entries, ({ project_id }) => project_id))
    for (const id of await store.sync.removable(
      project,
      'events',
      own.map((one) => one.id),
    ))
      ids.add(id);
  return entries.filter(({ id }) => ids.has(id));
}
