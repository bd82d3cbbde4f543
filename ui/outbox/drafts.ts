/** Stores the writes of a person, and the changes that the person makes to them before they are sent. */
import type { GatewayClock } from './clock.ts';
import { CHANGED, type Fact, FULL, fullness, type Item, MOST_BODY, NotKept, type Request, withPhoto } from './item.ts';
import { type Store, settled } from './store.ts';

/** A write that a person makes. */
export interface Draft {
  readonly subject: string;
  readonly title: string;
  readonly who: string;
  readonly project: string | null;
  readonly request: Request;
  readonly pass: string | null;
  readonly facts?: readonly Fact[];
  readonly read?: string;
  /** Id of the write of the same record on which this one builds. */
  readonly follows?: string;
  readonly photo?: ArrayBuffer;
  /** Ids of photos in the body, which may be sent or not. */
  readonly photos?: readonly string[];
  /** Made by the caller if it must be the same after a reload. */
  readonly id?: string;
}

/** Returns a random id. It uses `getRandomValues`, because browsers offer `crypto.randomUUID` only on HTTPS pages. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Returns the write after a change, or null to delete it. */
export type Make = (item: Item) => Item | null;

/** The name of the note with the ids of sent photos: pairs of the id of the write and the id of the gateway, the newest last. */
export const PHOTO_IDS = 'photo ids';
export type PhotoIds = readonly (readonly [id: string, answer_id: string])[];

/**
 * Returns the revision that a write names. If it builds on another write, that is the revision of the other one: the person saw the record
 * as the other one leaves it.
 */
function revisionFor(wanted: number | null, lead: Item | undefined): number | null {
  if (wanted === null || lead === undefined) return wanted;
  return lead.state === 'sent' ? lead.answer_revision : lead.request.if_match;
}

/** Stores a write. Throws `NotKept` if a bound is reached, or another error if the browser cannot store it. */
export async function storeDraft(store: Store, clock: GatewayClock, draft: Draft): Promise<Item> {
  const { photo, photos = [], ...kept } = draft;
  const id = draft.id ?? newId();
  const item: Omit<Item, 'seq'> = {
    facts: [],
    ...kept,
    read: draft.read ?? null,
    follows: draft.follows ?? null,
    tried: false,
    id,
    gateway_ms: clock.now(),
    device_ms: Date.now(),
    photo_bytes: photo?.byteLength ?? 0,
    state: 'queued',
    problem: null,
    now: null,
    answer_id: null,
    answer_revision: null,
    done_ms: null,
  };
  return store.transact('readwrite', async (stores) => {
    const all = await settled(stores.items.getAll() as IDBRequest<Item[]>);
    const ids = (await settled(stores.notes.get(PHOTO_IDS) as IDBRequest<PhotoIds | undefined>)) ?? [];
    let { body } = item.request;
    for (const place of photos) {
      const one = all.find((other) => other.id === place);
      if (one !== undefined && one.state !== 'sent') continue;
      const answer_id = one?.answer_id ?? ids.find(([kept]) => kept === place)?.[1];
      if (answer_id === undefined)
        throw new NotKept(
          'This device does not have a photo of this inspection any more. Remove the photos of the item and take them again.',
        );
      body = withPhoto(body, place, answer_id);
    }
    if (JSON.stringify(body).length > MOST_BODY) throw new NotKept('This is too long. Shorten it and try again.');
    const lead = all.find((one) => one.id === item.follows);
    const request = { ...item.request, body, if_match: revisionFor(item.request.if_match, lead) };
    const whole = { ...item, request };
    // The page was closed after the write was stored, and the person sent the same form again.
    const before = all.find((one) => one.id === id);
    if (before !== undefined) {
      if (JSON.stringify(before.request.body) === JSON.stringify(body)) return before;
      if (before.tried || before.state === 'sent') throw new NotKept(CHANGED);
      const next = { ...whole, seq: before.seq };
      await settled(stores.items.put(next));
      return next;
    }
    const full = fullness(all);
    if (full === 'items' || (full === 'photos' && photo !== undefined)) throw new NotKept(FULL[full]);
    const seq = (await settled(stores.items.add(whole))) as number;
    if (photo !== undefined) stores.photos.put(photo, id);
    return { ...whole, seq };
  });
}

/** Changes a write that is not sent. If `make` returns null, the write is deleted, and later writes lose its photo. */
export async function changeItem(store: Store, seq: number, make: Make): Promise<void> {
  await store.transact('readwrite', async ({ items, photos }) => {
    const all = await settled(items.getAll() as IDBRequest<Item[]>);
    const here = all.find((one) => one.seq === seq);
    if (here === undefined || here.state === 'sent') return;
    const next = make(here);
    if (next !== null) {
      items.put(next);
      return;
    }
    items.delete(seq);
    photos.delete(here.id);
    for (const one of all)
      if (one.seq !== seq && one.subject === here.subject && one.state !== 'sent')
        items.put({ ...one, request: { ...one.request, body: withPhoto(one.request.body, here.id, null) } });
  });
}
