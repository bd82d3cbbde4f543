import type { UpTopic } from '#contract/fleet/ingest.ts';
import type { Guard } from './guard.ts';

/** So long a connection is left open at least, and up to twice as long by chance, in milliseconds. */
const HOLD_MS = 5_000;
/** Connections ended in one second: a fifth of them, and never fewer than so many. */
const FEWEST = 20;

/**
 * Connections with messages that were not taken for want of room. Ending them at once would bring their senders back at once, again
 * and again: they stay open, so that pings, events and what is sent down go on, and their senders keep what is not answered. When
 * messages are taken again they are ended, a few each second: MQTT 3.1.1 sends again over a new connection only. [MQTT-4.4.0-1]
 */
export interface Debts {
  readonly size: number;
  /** Whether a message of this topic has to wait behind what was not taken: measurements wait behind all, others behind their topic. */
  owes(guard: Guard, topic: UpTopic): boolean;
  /** `settle` is called when its connection ends. */
  owe(guard: Guard, topic: UpTopic | undefined, settle?: () => void): void;
  /** Call once a second while messages are taken. */
  pay(): void;
}

export function createDebts(monotonic: () => number, holdMs = HOLD_MS): Debts {
  const owing = new Map<
    Guard,
    { readonly due: number; readonly topics: Set<UpTopic | undefined>; readonly settle: (() => void)[] }
  >();

  function end(guard: Guard): void {
    const debt = owing.get(guard);
    owing.delete(guard);
    for (const settle of debt?.settle ?? []) settle();
  }

  return {
    get size() {
      return owing.size;
    },
    owes(guard, topic) {
      const debt = owing.get(guard);
      return debt !== undefined && (topic === 'can' || topic === 'telemetry' || debt.topics.has(topic));
    },
    owe(guard, topic, settle) {
      let debt = owing.get(guard);
      if (debt === undefined) {
        if (guard.destroyed) return settle?.();
        debt = { due: monotonic() + holdMs * (1 + Math.random()), topics: new Set(), settle: [] };
        owing.set(guard, debt);
        guard.once('close', () => end(guard));
      }
      debt.topics.add(topic);
      if (settle !== undefined) debt.settle.push(settle);
    },
    pay() {
      let left = Math.max(FEWEST, Math.ceil(owing.size / 5));
      const now = monotonic();
      for (const [guard, { due }] of owing) {
        if (due > now) continue;
        if (left-- <= 0) return;
        end(guard);
        guard.destroy();
      }
    },
  };
}
