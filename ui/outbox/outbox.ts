/**
 * The outbox of this browser: what people write is stored here first, and then sent. It survives the end of the page, of the browser and of
 * the gateway. `write` resolves when the browser has stored the write.
 */
import { createGatewayClock } from './clock.ts';
import { createDecisions } from './decisions.ts';
import { changeItem, type Draft, type Make, storeDraft } from './drafts.ts';
import type { Item } from './item.ts';
import type { Answer, SenderHeaders } from './post.ts';
import { createSender, type Line } from './sender.ts';
import { openStore } from './store.ts';

/** What pages show. */
export interface View {
  readonly items: readonly Item[];
  readonly line: Line;
}

/** The outcome of a write, as far as this page knows it. */
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
    ...createDecisions({ store, clock, readNow: sender.readNow, change }),
    stop() {
      sender.stop();
      others?.close();
    },
  };
}
