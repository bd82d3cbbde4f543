/**
 * A timer wheel with slots of one second on a monotonic clock. For each pair of a target (a machine or device) and an alert rule, it stores
 * the earliest time at which the rule must be judged (evaluated).
 */
export interface Wheel {
  add(target_id: string, rule_id: string, in_ms: number): void;
  /** Calls `due` for each pair that is due now, and removes these pairs. */
  take(due: (target_id: string, rule_id: string) => void): void;
}

export function createWheel(monotonic: () => number): Wheel {
  const slots = new Map<number, Map<string, readonly [target_id: string, rule_id: string]>>();
  const known = new Map<string, number>();
  return {
    add(target_id, rule_id, in_ms) {
      const key = `${target_id}\n${rule_id}`;
      const second = Math.ceil((monotonic() + Math.max(0, in_ms)) / 1000);
      const earlier = known.get(key);
      if (earlier !== undefined && earlier <= second) return;
      if (earlier !== undefined) slots.get(earlier)?.delete(key);
      known.set(key, second);
      const slot = slots.get(second) ?? new Map();
      slots.set(second, slot.set(key, [target_id, rule_id]));
    },
    take(due) {
      const now = monotonic() / 1000;
      for (const [second, slot] of slots) {
        if (second > now) continue;
        slots.delete(second);
        for (const [key, [target_id, rule_id]] of slot) {
          known.delete(key);
          due(target_id, rule_id);
        }
      }
    },
  };
}
