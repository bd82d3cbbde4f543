/** The watcher of alerts on a test rig, with machines and devices that report to it. */
import assert from 'node:assert/strict';
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import type { SegmentCause } from '#contract/fleet/meter.ts';
import { encodeDm1 } from '#domain/j1939/encode.ts';
import { parseFaults } from '#domain/j1939/faults.ts';
import { createFacts, type Facts, type Reading } from '#domain/machine/facts.ts';
import { applyFaultMessage } from '#domain/machine/fault-table.ts';
import { equipmentLive } from '#domain/machine/machine.ts';
import { MachineWatch } from '#domain/watch/machine-watch.ts';
import { planOf } from '#domain/watch/plan.ts';
import type { Rig } from '#test/support/handler-rig.ts';
import { NO_BUDGETS } from '#test/support/no-budgets.ts';
import { type AlertOptions, type Alerts, startAlerts } from '#watchers/alerts.ts';

/** A DM1 of the control unit at an address. */
interface Dm1 {
  readonly address?: number;
  readonly lamps?: Parameters<typeof encodeDm1>[0];
  /** SPN and FMI of each code. */
  readonly codes: readonly (readonly [spn: number, fmi: number])[];
  /** Seconds from its observation to now, when it is received. */
  readonly age_s?: number;
  /** Value and SPN of the coolant temperature, which the same control unit sends. */
  readonly coolant?: number;
}

/** A reading of the hour meter: its age when it arrives, and its segment. */
interface MeterReport {
  readonly age_s?: number;
  readonly segment?: number;
  readonly because?: SegmentCause;
}

/** Starts the watcher with a clock that the test sets. */
export async function watchOf(rig: Rig, more: Partial<AlertOptions> = {}) {
  type Changed = { equipment: ReadonlySet<string>; devices: ReadonlySet<string> };
  let tell: (changed: Changed) => void = () => undefined;
  const machines = new Map<string, Facts>();
  const watches = new Map<string, MachineWatch>();
  const alerts: Alerts = await startAlerts({
    store: rig.store,
    live: { equipment: (id) => rig.live.equipment.get(id), device: (id) => rig.live.devices.get(id) },
    watched: {
      isWaiting: (id) => watches.get(id)?.isWaiting === true,
      take: (id, key) => watches.get(id)?.take(key) ?? [],
      newest: (id, key) => watches.get(id)?.newest(key) ?? null,
      settle: (id) => watches.get(id)?.settle(),
    },
    watch: (listener) => {
      tell = listener;
      return () => undefined;
    },
    clock: rig.clock,
    monotonic: rig.clock,
    budgets: NO_BUDGETS,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    log: (_level, message, data) => assert.fail(`${message} ${JSON.stringify(data)}`),
    tickMs: null,
    ...more,
  });
  return {
    [Symbol.asyncDispose]: () => alerts[Symbol.asyncDispose](),
    problems: () => alerts.problems(),
    /** Ticks five times, enough for all alerts to settle. */
    async settle() {
      for (let i = 0; i < 5; i++) await alerts.tick();
    },
    /** Advances the clock without any report. */
    async pass(seconds: number) {
      rig.now += seconds * 1000;
      await this.settle();
    },
    /** A machine reports its coolant temperature. */
    async coolant(id: string, value: number, age_s = 0, device_id = 'dev_1') {
      rig.live.equipment.set(id, hot(value, rig.now - age_s * 1000, rig.now, device_id));
      tell({ equipment: new Set([id]), devices: new Set() });
      await this.settle();
    },
    /** A machine reports its engine hours. */
    async hours(id: string, value: number, { age_s = 0, segment = 1, because = 'first' }: MeterReport = {}) {
      const { values, ...rest } = hot(80, rig.now, rig.now);
      const observed_at = new Date(rig.now - age_s * 1000).toISOString();
      const meter = {
        basis: 'control_unit' as const,
        reading: value,
        offset: 0,
        since: observed_at,
        segment,
        opened_because: because,
        needs_review: null,
      };
      const found = { ...(values['engine.coolant_temperature'] as LiveValue), value, observed_at, meter };
      rig.live.equipment.set(id, { ...rest, values: { 'engine.hours': found } });
      tell({ equipment: new Set([id]), devices: new Set() });
      await this.settle();
    },
    /** A machine reports several coolant temperatures before the watcher looks; each has an age in seconds. */
    async burst(id: string, values: readonly (readonly [value: number, age_s: number])[], device_id = 'dev_1') {
      const watch = watches.get(id) ?? new MachineWatch();
      watches.set(id, watch);
      watch.setPlan(planOf((await rig.call('alert_rules_list', {})).data as Parameters<typeof planOf>[0]));
      const index = SIGNAL_NAMES.indexOf('engine.coolant_temperature');
      for (const [value, age_s] of values) {
        const observed_us = (rig.now - age_s * 1000) * 1000;
        watch.add(index, readingAt(value, observed_us, rig.now * 1000, device_id));
        rig.live.equipment.set(id, hot(value, observed_us / 1000, rig.now, device_id));
      }
      tell({ equipment: new Set([id]), devices: new Set() });
    },
    async lamps(id: string, red_stop: number) {
      const at = new Date(rig.now).toISOString();
      const dtc_counts = {
        active: red_stop,
        previously_active: null,
        previously_observed_at: null,
        red_stop,
        amber: 0,
        protect: 0,
        mil: 0,
        observed_at: at,
      };
      rig.live.equipment.set(id, { ...hot(80, rig.now, rig.now), dtc_counts });
      tell({ equipment: new Set([id]), devices: new Set() });
      await this.settle();
    },
    /** A machine reports trouble codes, which go through the table of the fold. */
    async dm1(id: string, { address = 0, lamps = {}, codes, age_s = 0, coolant = 80 }: Dm1) {
      const facts = machines.get(id) ?? createFacts();
      machines.set(id, facts);
      const observed_ms = rig.now - age_s * 1000;
      const payload = encodeDm1(
        lamps,
        codes.map(([spn, fmi]) => ({ spn, fmi, count: 1 })),
      );
      const parsed = parseFaults(payload, payload.length, undefined);
      assert.ok(parsed);
      const message = { t_us: observed_ms * 1000, bus: 0, sa: address, frame: 0, ...parsed };
      applyFaultMessage(facts, 'dev_1', message, observed_ms * 1000, true, []);
      const { values } = hot(coolant, observed_ms, rig.now);
      rig.live.equipment.set(id, { ...equipmentLive(facts), values });
      tell({ equipment: new Set([id]), devices: new Set() });
      await this.settle();
    },
    async device(id: string, value: number) {
      const at = new Date(rig.now).toISOString();
      rig.live.devices.set(id, {
        status: 'transmitting',
        status_reported_at: at,
        last_seen_at: at,
        state: {},
        observation: {
          id: 'obs_1',
          observed_at: at,
          received_at: at,
          late: false,
          signals: { 'engine.coolant_temperature': { value, unit: '°C', observed_at: at, ref: null } },
        },
        timeline_changes: [],
        metrics: {} as never,
      });
      tell({ equipment: new Set(), devices: new Set([id]) });
      await this.settle();
    },
  };
}

/** A coolant temperature of the engine. */
export function readingAt(value: number, observed_us: number, received_us: number, device = 'dev_1'): Reading {
  return {
    device,
    bus: 0,
    sa: 0,
    unit: 0,
    pgn: 65262,
    spn: 110,
    rank: 0,
    since_us: observed_us,
    observed_us,
    received_us,
    value,
    raw: value,
    run_id: null,
    ref: `1:${observed_us % 1_000_000_007}`,
    frame: 0,
  };
}

/** A machine with this coolant temperature. */
export function hot(value: number, observed_ms: number, received_ms: number, device_id = 'dev_1'): EquipmentLive {
  return {
    live_status: 'running',
    live_status_since: null,
    last_live_data_at: null,
    values: {
      'engine.coolant_temperature': {
        value,
        observed_at: new Date(observed_ms).toISOString(),
        received_at: new Date(received_ms).toISOString(),
        device_id,
        run_id: null,
        ref: null,
        bus: 0,
        source_address: 0,
        pgn: 65262,
        spn: 110,
        raw: value,
      },
    },
    dtcs: null,
    dtc_counts: null,
  };
}
