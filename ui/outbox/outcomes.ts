/** Stores the outcome of a write. Another page of this browser may do the same at the same time. */
import { PHOTO_IDS, type PhotoIds } from './drafts.ts';
import { after, type Item, MOST_PHOTO_IDS, MOST_SENT } from './item.ts';
import type { Answer } from './post.ts';
import { type Store, settled } from './store.ts';

/** While one page sends, the other pages of this browser wait this long for a sign of it. A page that was killed gives none. */
const LEASE_MS = 6_000;
/** A page that sends gives a sign after this time. */
export const SIGN_MS = 2_000;
type Lease = { readonly by: number; readonly until: number };

/** `changed` is called after each change of a stored write. */
export function createOutcomes(store: Store, changed: (item: Item, answer: Answer) => void) {
  const self = Math.random();

  /** Stores that the gateway has the write, and gives later writes of the record its revision. */
  async function storeSent(item: Item, answer: Answer): Promise<void> {
    const { id, ticket_number, revision } = answer.body;
    const answer_id = typeof id === 'string' ? id : typeof ticket_number === 'string' ? ticket_number : null;
    const given = { id: answer_id, revision: typeof revision === 'number' ? revision : null };
    const sent: Item = {
      ...item,
      state: 'sent',
      problem: null,
      now: null,
      answer_id,
      answer_revision: given.revision,
      done_ms: Date.now(),
    };
    await store.transact('readwrite', async ({ items, photos, notes }) => {
      const all = await settled(items.getAll() as IDBRequest<Item[]>);
      // A person may have taken it back, or another page stored it, while it was on its way.
      const here = all.find(({ seq }) => seq === item.seq);
      if (here === undefined || here.state === 'sent') return;
      for (const one of all) {
        const next = after(one, here, given);
        if (next !== one && one.seq !== item.seq) items.put(next);
      }
      items.put(sent);
      photos.delete(item.id);
      if (item.photo_bytes > 0 && answer_id !== null) {
        const ids = (await settled(notes.get(PHOTO_IDS) as IDBRequest<PhotoIds | undefined>)) ?? [];
        notes.put([...ids, [item.id, answer_id]].slice(-MOST_PHOTO_IDS), PHOTO_IDS);
      }
      const old = all.filter(({ state }) => state === 'sent').map(({ seq }) => seq);
      for (const seq of old.slice(0, Math.max(0, old.length + 1 - MOST_SENT))) items.delete(seq);
    });
    changed(sent, answer);
  }

  async function storeProblem(item: Item, answer: Answer, part: Partial<Item>): Promise<void> {
    await store.transact('readwrite', async ({ items }) => {
      const here = await settled(items.get(item.seq) as IDBRequest<Item | undefined>);
      if (here?.state === 'queued') items.put({ ...here, ...part });
    });
    changed({ ...item, ...part }, answer);
  }

  /** Says that this page sends, or with 0 that it has ended. */
  const sign = (lasts_ms = LEASE_MS): Promise<void> =>
    store.setNote('lease', { by: self, until: Date.now() + lasts_ms } satisfies Lease);

  /**
   * Marks a write as tried, and says that this page sends. Returns the write as it is now; null if it cannot be sent any more; undefined
   * while another page of this browser sends.
   */
  async function begin(seq: number): Promise<Item | null | undefined> {
    return store.transact('readwrite', async ({ items, notes }) => {
      const held = await settled(notes.get('lease') as IDBRequest<Lease | undefined>);
      const left = (held?.until ?? 0) - Date.now();
      if (held !== undefined && held.by !== self && left > 0 && left <= LEASE_MS) return undefined;
      notes.put({ by: self, until: Date.now() + LEASE_MS } satisfies Lease, 'lease');
      const here = await settled(items.get(seq) as IDBRequest<Item | undefined>);
      if (here?.state !== 'queued') return null;
      const tried = { ...here, tried: true };
      if (!here.tried) items.put(tried);
      return tried;
    });
  }

  return { storeSent, storeProblem, begin, sign };
}
