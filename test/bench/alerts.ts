/**
 * What the watch costs: machines that report, each second, under many rules. `node test/bench/alerts.ts [machines] [rules]`
 * prints the time of a tick in which all machines moved, of one in which a hundredth did, and of one with nothing to do.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import type { EquipmentData, EquipmentLive } from '#contract/fleet/equipment.ts';
import type { AlertRuleData } from '#contract/work/alert.ts';
import { openStore } from '#store/open-store.ts';
import { NO_BUDGETS } from '#test/support/no-budgets.ts';
import { startAlerts } from '#watchers/alerts.ts';

const machines = Number(process.argv[2] ?? 1_000);
const rules = Number(process.argv[3] ?? 50);
const TICKS = 50;

const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-alerts-'));
try {
  const random = (n: number) => new Uint8Array(randomBytes(n));
  await using store = await openStore({ folder, clock: Date.now, random });
  const view = store.view('prj_bench');
  const ids = Array.from({ length: machines }, (_, i) => `eq_${i}`);
  for (let at = 0; at < machines; at += 500)
    await view.commit(
      ids.slice(at, at + 500).map((id) => {
        const data: Partial<EquipmentData> = { status: 'in_use', kind: null, location_id: null };
        return { collection: 'records', id, object: 'equipment', data: { ...data } };
      }),
    );
  await view.commit(
    Array.from({ length: rules }, (_, i) => {
      const rule: AlertRuleData = {
        name: `rule ${i}`,
        signal: SIGNAL_NAMES[i % SIGNAL_NAMES.length] ?? 'engine.speed',
        op: 'gt',
        value: 1_000 + i,
        for_seconds: 10,
        clear_value: null,
        no_data_seconds: 600,
        severity: 'warning',
        scope: { equipment_ids: [], kinds: [], location_ids: [] },
        mute: [],
        actions: ['webhook'],
        enabled: true,
        built_in: null,
      };
      return { collection: 'records', id: `rul_${i}`, object: 'alert_rule', data: { ...rule } };
    }),
  );
  let now = Date.now();
  const factsOf = (): EquipmentLive => {
    const at = new Date(now).toISOString();
    const one = { observed_at: at, received_at: at, device_id: 'dev_1', run_id: null, ref: null };
    const place = { bus: 0, source_address: 0, pgn: 1, spn: 1, raw: 1 };
    return {
      live_status: 'running',
      live_status_since: null,
      last_live_data_at: at,
      values: Object.fromEntries(SIGNAL_NAMES.map((name) => [name, { value: 10, ...one, ...place }])),
      dtcs: null,
      dtc_counts: null,
    };
  };
  let facts = factsOf();
  let tell: (changed: { equipment: ReadonlySet<string>; devices: ReadonlySet<string> }) => void = () => undefined;
  await using alerts = await startAlerts({
    store,
    live: { equipment: () => facts, device: () => undefined },
    watched: { isWaiting: () => false, take: () => [], newest: () => null, settle: () => undefined },
    watch: (listener) => {
      tell = listener;
      return () => undefined;
    },
    clock: () => now,
    monotonic: () => now,
    random,
    budgets: NO_BUDGETS,
    log: (_level, message) => console.error(message),
    tickMs: null,
  });
  const measure = async (share: number): Promise<string> => {
    const times: number[] = [];
    for (let i = 0; i < TICKS; i++) {
      now += 1_000;
      facts = factsOf();
      if (share > 0) tell({ equipment: new Set(ids.slice(0, Math.ceil(machines * share))), devices: new Set() });
      const began = performance.now();
      await alerts.tick();
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    return `${(times[TICKS >> 1] ?? 0).toFixed(2)} ms median, ${(times.at(-1) ?? 0).toFixed(2)} ms worst`;
  };
  await measure(1);
  console.log(`${machines} machines, ${rules} rules`);
  console.log(`all moved:        ${await measure(1)}`);
  console.log(`1 in 100 moved:   ${await measure(0.01)}`);
  console.log(`nothing happened: ${await measure(0)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
