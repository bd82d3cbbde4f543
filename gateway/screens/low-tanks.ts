/**
 * The low tanks of the machines of a project. When a tank becomes low, the history says since when: after a restart, and after a time
 * without data, a tank that was low before is as old as before.
 */
import type { View } from '#contract/base/view.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import { type AlertRuleData, TANKS, type TankRule } from '#contract/work/alert.ts';
import { type LowTank, lowSince, lowTanks, ruledTanks } from '#domain/attention/low-tanks.ts';
import type { BoardMachine } from '#domain/board/tiles.ts';
import type { History } from './feed-history.ts';

const HOUR_MS = 3_600_000;
/** The history is read back by at most this many hours. */
const MOST_HOURS = 24;
/** At most this many tanks get their start from the history in one refresh, one after the other. */
const MOST_READS = 8;
/** Largest number of alert rules about fuel and DEF that the gateway reads for a project. */
const MOST_RULES = 1_000;

/** Returns the rules of a project about tanks. */
export async function readTankRules(view: View): Promise<readonly TankRule[]> {
  const where = { 'data.signal': [...TANKS] };
  const found = await view.find<AlertRuleData>('records', { object: 'alert_rule', where, limit: MOST_RULES });
  return found.map(({ data }) => data);
}

/** The low tanks of the machines of one project. */
export class LowTanks {
  private readonly history: History;
  private low: ReadonlyMap<string, readonly LowTank[]> = new Map();
  /** The tanks whose start is still to be read, with the machine. */
  private waiting = new Map<string, { readonly id: string; readonly tank: LowTank }>();

  constructor(history: History) {
    this.history = history;
  }

  of(id: string): readonly LowTank[] {
    return this.low.get(id) ?? [];
  }

  /** Judges the tanks at this moment. */
  judge(
    machines: readonly BoardMachine[],
    rules: readonly TankRule[],
    live: (id: string) => EquipmentLive | undefined,
    now_ms: number,
  ): void {
    const next = new Map<string, readonly LowTank[]>();
    const waiting: typeof this.waiting = new Map();
    for (const machine of machines) {
      const { id } = machine;
      const before = this.of(id);
      const found = lowTanks(before, live(id), ruledTanks(rules, machine), now_ms);
      if (found.length > 0) next.set(id, found);
      for (const tank of found) {
        const key = `${id}\n${tank.signal}`;
        if (!before.includes(tank) || this.waiting.has(key)) waiting.set(key, { id, tank });
      }
    }
    this.low = next;
    this.waiting = waiting;
  }

  due(): boolean {
    return this.waiting.size > 0;
  }

  /** Reads since when tanks are low. */
  async refresh(): Promise<void> {
    for (const [key, { id, tank }] of [...this.waiting].slice(0, MOST_READS)) {
      const since_ms = await this.start(id, tank);
      // The tank may have been filled, or its machine deleted, during the read.
      if (!this.waiting.delete(key)) continue;
      const own = this.of(id).map((one) => (one.signal === tank.signal ? { ...one, since_ms } : one));
      this.low = new Map([...this.low, [id, own]]);
    }
  }

  private async start(id: string, { signal, since_ms }: LowTank): Promise<number> {
    let found_ms = since_ms;
    for (let hour = 0; hour < MOST_HOURS; hour++) {
      const to_ms = since_ms - hour * HOUR_MS;
      const samples = await this.history(id, signal, to_ms - HOUR_MS, to_ms);
      const { since_s, isWhole } = lowSince(samples);
      if (since_s !== null) found_ms = Math.min(found_ms, since_s * 1000);
      if (isWhole || samples.t.length === 0) break;
    }
    return found_ms;
  }
}
