/** Maps each record id in a data group to the channel group that describes the records with this id. */
import type { Mdf4Damage, Mdf4DataGroup, Mdf4Group } from './blocks.ts';
import type { Mdf4Store } from './data.ts';
import type { FramePlan } from './plan.ts';
import { Mdf4Values } from './values.ts';

/** A frame that waits for its payload, because the payload is in another record that the reader has not read yet. */
interface Waiting {
  t: number;
  bus: number;
  id: number;
  flags: number;
  offset: number;
}

/**
 * The state of reading values of variable length (payloads, which MDF4 stores in records of their own). It is needed in an unsorted data
 * group, in which records of frames and of payloads alternate.
 */
export interface ValueGroup {
  /** Offset of the next value in the group; frames refer to their value by this offset. */
  next: number;
  readonly waiting: Map<number, Waiting>;
  readonly kept: Map<number, Uint8Array>;
  /** The waiting frame if exactly one frame waits, which is the usual case; this frame is not in `waiting`. */
  one: Waiting | undefined;
}

/** How to read the records with one record id. */
export interface RecordKind {
  readonly group: Mdf4Group;
  readonly length: number;
  readonly plan: FramePlan | null;
  readonly values: ValueGroup | null;
  /** Where the payloads are when they are not in the record of their frame; otherwise null. */
  from: ValueGroup | Mdf4Values | null;
}

/** Returns the kinds of records by record id. If two channel groups have the same record id, the first group is used. */
export function recordKinds(
  group: Mdf4DataGroup,
  plans: ReadonlyMap<Mdf4Group, FramePlan>,
  store: Mdf4Store,
  damage: (damage: Mdf4Damage) => void,
): ReadonlyMap<number, RecordKind> {
  const kinds = new Map<number, RecordKind>();
  const valuesAt = new Map<number, ValueGroup>();
  for (const each of group.groups) {
    if (kinds.has(each.recordId)) continue;
    const values: ValueGroup | null = each.isValues
      ? { next: 0, waiting: new Map(), kept: new Map(), one: undefined }
      : null;
    if (values !== null) valuesAt.set(each.at, values);
    const length = each.dataBytes + each.invalidBytes;
    kinds.set(each.recordId, { group: each, length, plan: plans.get(each) ?? null, values, from: null });
  }
  for (const kind of kinds.values()) {
    const link = kind.plan?.values ?? 0;
    if (link !== 0) kind.from = valuesAt.get(link) ?? new Mdf4Values(store, link, damage);
  }
  return kinds;
}
