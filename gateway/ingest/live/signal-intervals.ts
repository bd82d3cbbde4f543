/**
 * Keeps a copy of the expected intervals that people set for signals, updates it when the store changes, and returns the intervals of each
 * machine. An interval of a machine replaces that of its kind.
 */
import type { SignalName } from '#contract/base/signals.ts';
import type { Stored } from '#contract/base/view.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { ExpectedIntervalData } from '#contract/fleet/expected-interval.ts';
import { NO_INTERVALS, type SignalIntervals } from '#domain/machine/expected-times.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

export interface FollowedIntervals {
  /** Returns the intervals of the signals of a machine. It returns the same object until one of them changes. */
  of(equipment_id: string): SignalIntervals;
  stop(): void;
}

/** Intervals by signal, for a machine or for a kind of machines of a project. */
type Intervals = Map<string, Map<SignalName, number>>;

const ofKind = (project_id: string, kind: string) => `${project_id}\n${kind}`;

/** Loads the intervals and listens to changes of the store. When intervals change, calls `changed` with the machines to which they apply. */
export async function followIntervals(
  store: Pick<Store, 'changes' | 'find'>,
  changed: (equipment: ReadonlySet<string>) => void,
): Promise<FollowedIntervals> {
  const machines: Intervals = new Map();
  const kinds: Intervals = new Map();
  /** The kind of each machine, with its project (`ofKind`). A machine without a kind has no entry. */
  const kindOf = new Map<string, string>();
  /** The intervals of each machine that has some. */
  const joined = new Map<string, SignalIntervals>();
  /** The documents that changed while the documents were loaded. The loaded version of such a document is older. */
  const early = new Set<string>();
  let isLoading = true;

  /** Applies a stored interval. Returns the machines to which it applies. */
  function takeInterval({ project_id, data }: Stored<ExpectedIntervalData>, isGone = false): readonly string[] {
    const { equipment_id, kind, signal, interval_s } = data;
    const [all, key] = equipment_id === null ? [kinds, ofKind(project_id, kind ?? '')] : [machines, equipment_id];
    const own = all.get(key) ?? new Map<SignalName, number>();
    if (isGone) own.delete(signal);
    else own.set(signal, interval_s);
    if (own.size === 0) all.delete(key);
    else all.set(key, own);
    return equipment_id === null ? [...kindOf].filter(([, one]) => one === key).map(([one]) => one) : [equipment_id];
  }

  /** Applies the record of a machine. Returns the machine if its kind changed and the intervals may have changed with it. */
  function takeMachine({ id, project_id, data }: Stored<EquipmentData>): readonly string[] {
    const before = kindOf.get(id);
    const kind = data.kind === null ? undefined : ofKind(project_id, data.kind);
    if (kind === before) return [];
    if (kind === undefined) kindOf.delete(id);
    else kindOf.set(id, kind);
    return kinds.has(before ?? '') || kinds.has(kind ?? '') ? [id] : [];
  }

  const stop = store.changes((changes) => {
    const moved = new Set<string>();
    for (const { collection, operation, document } of changes) {
      if (collection !== 'records') continue;
      if (isLoading) early.add(document.id);
      const ids =
        document.object === 'expected_interval'
          ? takeInterval(document as unknown as Stored<ExpectedIntervalData>, operation === 'DELETE')
          : document.object === 'equipment'
            ? takeMachine(document as unknown as Stored<EquipmentData>)
            : [];
      for (const id of ids) moved.add(id);
    }
    if (moved.size === 0) return;
    for (const id of moved) joined.delete(id);
    changed(moved);
  });
  for await (const one of walk<EquipmentData>(store, 'records', { object: 'equipment' }))
    if (!early.has(one.id)) takeMachine(one);
  for await (const one of walk<ExpectedIntervalData>(store, 'records', { object: 'expected_interval' }))
    if (!early.has(one.id)) takeInterval(one);
  isLoading = false;
  early.clear();
  return {
    of(equipment_id) {
      const known = joined.get(equipment_id);
      if (known !== undefined) return known;
      const own = machines.get(equipment_id);
      const shared = kinds.get(kindOf.get(equipment_id) ?? '');
      if (own === undefined && shared === undefined) return NO_INTERVALS.signals;
      const both: SignalIntervals = Object.fromEntries([...(shared ?? []), ...(own ?? [])]);
      joined.set(equipment_id, both);
      return both;
    },
    stop,
  };
}
