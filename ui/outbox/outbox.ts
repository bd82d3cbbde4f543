/**
 * The outbox of this browser: what people write is stored here first, and then sent. It survives the end of the page, of the browser and of
 * the gateway. `write` resolves when the browser has stored the write.
 */
import { createGatewayClock } from './clock.ts';
import { changeItem, type Draft, type Make, storeDraft } from './drafts.ts';
import { type Item, NotKept } from './item.ts';
import type { Answer, SenderHeaders } from './post.ts';
import { createSender, type Line } from './sender.ts';
import { openStore } from './store.ts';

/** What pages show. */
export interface View {
  readonly items: readonly Item[];
  readonly line: Line;
}

/** What became of a write, as far as this page knows. */
export interface Outcome {
  readonly item?: Item | undefined;
  readonly answer?: Answer | undefined;
  readonly line: Line;
}

export type Outbox = Awaited<ReturnType<typeof openOutbox>>;

/** Opens the outbox and begins to send. `headers` identifies the sender. */
export async function openOutbox(headers: SenderHeaders) {
  const store = await openStore();
  const clock = createGatewayClock();
  const listeners = new Set<(view: View) => void>();
  const outcomes = new Set<(view: Outcome) => void>();
  // Browsers of older phones have no such channel. Their other pages then see a change when they read the next time.
  const others = 'BroadcastChannel' in globalThis ? new BroadcastChannel('headframe-outbox') : null;
  let reading: Promise<void> | null = null;
  let dirty = false;

  /** Tells the listeners what is stored. Several changes at once are told once. */
  async function tell(): Promise<void> {
    dirty = true;
    if (reading !== null) return reading;
    reading = (async () => {
      while (dirty) {
        dirty = false;
        if (listeners.size === 0) return;
        const view = { items: await store.list(), line: sender.line() };
        for (const listener of [...listeners]) listener(view);
      }
    })()
      .catch(() => undefined)
      .finally(() => {
        reading = null;
      });
    return reading;
  }
  const changed = (item?: Item, answer?: Answer): void => {
    for (const outcome of [...outcomes]) outcome({ item, answer, line: sender.line() });
    if (item !== undefined) others?.postMessage(item.id);
    void tell();
  };
  const sender = createSender({ store, clock, headers, changed });
  if (others !== null) others.onmessage = () => void tell();
  // Without a secure context the browser has no such request; it may then delete old data if its disk is full.
  void navigator.storage?.persist?.().catch(() => undefined);
  sender.wake();

  /** Stores a write and begins to send it. Throws if the browser cannot store it, or if a bound is reached. */
  async function write(draft: Draft): Promise<Item> {
    const stored = await storeDraft(store, clock, draft);
    changed(stored);
    sender.wake();
    return stored;
  }

  async function change(seq: number, make: Make): Promise<void> {
    await changeItem(store, seq, make);
    changed();
    others?.postMessage('');
    sender.wake();
  }

  /**
   * Reads what is there now, and stores it with a write in conflict. A tablet on which nobody is signed in may send, and not read, so a
   * conflict can come without it. Throws `NotKept` if the gateway does not say what is there now.
   */
  async function look(seq: number): Promise<NonNullable<Item['now']>> {
    const item = (await store.list()).find((one) => one.seq === seq);
    const now = item === undefined ? null : await sender.readNow(item);
    if (item === undefined || now === null || (item.request.if_match !== null && now.revision === null))
      throw new NotKept('The gateway does not say what is there now. Try again when it answers.');
    await change(seq, (one) => (one.state === 'conflict' ? { ...one, now } : one));
    return now;
  }

  return {
    write,
    clock,
    wake: sender.wake,
    note: store.note,
    setNote: store.setNote,
    /** Calls `listener` with what is stored, now and after each change. Returns the function that unsubscribes. */
    watch(listener: (view: View) => void): () => void {
      listeners.add(listener);
      void tell();
      return () => listeners.delete(listener);
    },
    /** Calls `outcome` with each write that this page sent or did not send, with the answer, and with each change of the line. */
    outcomes(outcome: (view: Outcome) => void): () => void {
      outcomes.add(outcome);
      return () => outcomes.delete(outcome);
    },
    /** Takes a write back. */
    drop: (seq: number) => change(seq, () => null),
    dropId: async (id: string) => {
      const item = (await store.list()).find((one) => one.id === id);
      if (item !== undefined) await change(item.seq, () => null);
    },
    /** Sends a refused write again, as it is. */
    retry: (seq: number) => change(seq, (item) => ({ ...item, state: 'queued', problem: null, done_ms: null })),
    look,
    /**
     * The person saw what is there now, and wants the own value. It is written now, in the name of the person who decides. Throws
     * `NotKept` if the person has not seen what is there now, or if the gateway has not confirmed who the person is.
     */
    async insist(seq: number, who: string, pass: string | null): Promise<void> {
      if (pass === null)
        throw new NotKept('The gateway has not confirmed who you are. Try again when the gateway answers.');
      const here = (await store.list()).find((one) => one.seq === seq);
      const saw = here?.now ?? null;
      const now = here?.read === null ? null : await look(seq);
      const isNamed = here !== undefined && here.request.if_match !== null;
      const isSeen = saw !== null && now !== null && saw.values.join('\n') === now.values.join('\n');
      if (isNamed && now === null)
        throw new NotKept('This write cannot be decided here. Delete it and write it again.');
      if (now !== null && !(isSeen && (!isNamed || saw.revision === now.revision)))
        throw new NotKept('This is what is there now. Look at it, then choose again.');
      await change(seq, (item) => ({
        ...item,
        who,
        pass,
        gateway_ms: clock.now(),
        device_ms: Date.now(),
        state: 'queued',
        problem: null,
        request: { ...item.request, if_match: isNamed ? (now?.revision ?? null) : null },
        now: null,
      }));
    },
    stop() {
      sender.stop();
      others?.close();
    },
  };
}
