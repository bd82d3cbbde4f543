import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNALS, type SignalName } from '#contract/base/signals.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { createDecoder } from '#domain/j1939/decode.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import { fenceOf, GROUNDS } from '#simulator/ground.ts';
import { machineType, ROSTER } from '#simulator/machines.ts';
import { createSite, type Site, type SiteSnapshot } from '#simulator/site.ts';

const START_MS = Date.UTC(2026, 5, 1, 9);
const MINUTE_MS = 60_000;

interface Series {
  readonly t: number[];
  readonly v: number[];
}
interface Lived {
  readonly site: Site;
  readonly batches: readonly FrameBatch[];
  /** Decoded values per machine and signal. */
  readonly series: readonly Map<SignalName, Series>[];
  /** Active codes per machine over time. */
  readonly codes: readonly number[][];
}

function live(minutes: number, seed = 7): Lived {
  const site = createSite({ seed, start_ms: START_MS });
  const batches = site.roster.map(() => new FrameBatch(4096));
  site.advance(START_MS + minutes * MINUTE_MS, batches);
  const series = batches.map(() => new Map<SignalName, Series>());
  const codes = batches.map((): number[] => []);
  batches.forEach((batch, machine) => {
    createDecoder().decode(batch, {
      signal(parameter, { value, t_us }) {
        const name = PARAMETERS[parameter]?.signal as SignalName;
        let one = series[machine]?.get(name);
        if (one === undefined) {
          one = { t: [], v: [] };
          series[machine]?.set(name, one);
        }
        one.t.push(t_us / 1000);
        one.v.push(value);
      },
      faults: (message) => codes[machine]?.push(message.dtcs.length),
    });
  });
  return { site, batches, series, codes };
}

const content = (batch: FrameBatch) => [
  batch.t.subarray(0, batch.count),
  batch.id.subarray(0, batch.count),
  batch.data.subarray(0, batch.count * 8),
];

/** Long enough for every window of the roster. */
const MINUTES = 20;
const lived = live(MINUTES);
const index = (unit: string) => ROSTER.findIndex((row) => row.unit === unit);
const of = (unit: string, name: SignalName): Series => lived.series[index(unit)]?.get(name) ?? { t: [], v: [] };

test('[G1] the same seed gives the same frames however time is cut; another seed gives others', () => {
  const again = createSite({ seed: 7, start_ms: START_MS });
  const batches = again.roster.map(() => new FrameBatch(4096));
  for (let to = START_MS; to < START_MS + 3 * MINUTE_MS; to += 777) again.advance(to, batches);
  again.advance(START_MS + 3 * MINUTE_MS, batches);
  const whole = live(3);
  for (const i of again.roster.keys()) assert.deepEqual(again.truth(i), whole.site.truth(i));
  const other = live(3, 8);
  batches.forEach((batch, i) => {
    assert.deepEqual(content(batch), content(whole.batches[i] as FrameBatch));
  });
  assert.notDeepEqual(content(batches[0] as FrameBatch), content(other.batches[0] as FrameBatch));
});

test('[G1] a snapshot, also by way of JSON, goes on where it was taken', () => {
  const first = createSite({ seed: 7, start_ms: START_MS });
  const batches = first.roster.map(() => new FrameBatch(4096));
  first.advance(START_MS + 5 * MINUTE_MS, batches);
  const from: SiteSnapshot = JSON.parse(JSON.stringify(first.snapshot()));
  const second = createSite({ seed: 7, start_ms: from.now_ms, from });
  first.advance(START_MS + 9 * MINUTE_MS, batches);
  second.advance(
    START_MS + 9 * MINUTE_MS,
    batches.map(() => new FrameBatch()),
  );
  assert.deepEqual(second.snapshot(), first.snapshot());
});

test('frames lie in order of time, inside what was asked for', () => {
  for (const batch of lived.batches) {
    for (let i = 1; i < batch.count; i++) assert.ok((batch.t[i] as number) >= (batch.t[i - 1] as number));
    assert.ok((batch.t[0] as number) >= START_MS * 1000);
    assert.ok((batch.t[batch.count - 1] as number) < (START_MS + MINUTES * MINUTE_MS) * 1000);
  }
});

test('every value is inside the range its signal is drawn in', () => {
  lived.series.forEach((signals, machine) => {
    for (const [name, { v }] of signals) {
      const { min, max } = SIGNALS[name];
      const unit = ROSTER[machine]?.unit;
      for (const value of v) assert.ok(value >= min && value <= max, `${unit} ${name} ${value} outside ${min}..${max}`);
    }
  });
});

test('meters never fall, and engine hours grow with the clock while the engine turns', () => {
  for (const signals of lived.series)
    for (const [name, { v }] of signals) {
      if (SIGNALS[name].kind !== 'meter') continue;
      for (let i = 1; i < v.length; i++) assert.ok((v[i] as number) >= (v[i - 1] as number), `${name} fell`);
    }
  const hours = of('DZ-01', 'engine.hours').v;
  const grown = (hours.at(-1) as number) - (hours[0] as number);
  assert.ok(grown > 0.2 && grown <= MINUTES / 60 + 0.05, `${grown} h in ${MINUTES} min`);
});

test('fuel burnt is fuel missing from the tank and fuel counted by the meter', () => {
  for (const [i, row] of ROSTER.entries()) {
    const before = createSite({ seed: 7, start_ms: START_MS }).physics(i);
    const after = lived.site.physics(i);
    if (after.fuel_l > before.fuel_l) continue;
    assert.ok(Math.abs(before.fuel_l - after.fuel_l - (after.used_l - before.used_l)) < 1e-6, row.unit);
    assert.ok(after.used_l - before.used_l <= machineType(row.kind).full_lph, row.unit);
  }
});

test('values are continuous: no temperature, level or voltage jumps between two frames', () => {
  const largest: Partial<Record<SignalName, number>> = {
    'engine.coolant_temperature': 2,
    'engine.oil_temperature': 2,
    'fuel.level': 1,
    'def.level': 1,
    'electrical.battery': 1,
    'vehicle.speed': 8,
    'engine.speed': 250,
  };
  for (const [machine, signals] of lived.series.entries())
    for (const [name, most] of Object.entries(largest)) {
      const { t, v } = signals.get(name as SignalName) ?? { t: [], v: [] };
      for (let i = 1; i < v.length; i++) {
        if ((t[i] as number) - (t[i - 1] as number) > 1_500) continue;
        const jump = Math.abs((v[i] as number) - (v[i - 1] as number));
        assert.ok(jump <= most, `${ROSTER[machine]?.unit} ${name} jumped by ${jump}`);
      }
    }
});

test('within a second of the start each machine has told everything that it tells', () => {
  const site = createSite({ seed: 7, start_ms: START_MS });
  const batches = site.roster.map(() => new FrameBatch());
  site.advance(START_MS + 1_000, batches);
  batches.forEach((batch, machine) => {
    const heard = new Set<SignalName>();
    createDecoder().decode(batch, {
      signal: (parameter) => heard.add(PARAMETERS[parameter]?.signal as SignalName),
      faults() {},
    });
    assert.deepEqual([...heard].sort(), [...(lived.series[machine]?.keys() ?? [])].sort());
  });
});

test('the bus of a machine carries a plausible load: 20 to 60 frames a second', () => {
  const rate = (lived.batches[0] as FrameBatch).count / (MINUTES * 60);
  assert.ok(rate > 20 && rate < 60, `${rate} frames/s`);
});

test('thinned, no group comes more often than asked, and the machines live the same life', () => {
  const site = createSite({ seed: 7, start_ms: START_MS });
  const batches = site.roster.map(() => new FrameBatch());
  site.advance(START_MS + 10 * MINUTE_MS, batches, 5_000);
  const dense = live(10);
  assert.deepEqual(site.snapshot(), dense.site.snapshot());
  assert.ok((batches[0] as FrameBatch).count < (dense.batches[0] as FrameBatch).count / 5);
});

test('the trouble machine has two codes by broadcast transport and one when the second clears; others none', () => {
  const counts = new Set(lived.codes[index('HT-03')]);
  assert.deepEqual([...counts].sort(), [1, 2]);
  assert.deepEqual([...new Set(lived.codes[index('HT-01')])], [0]);
  assert.deepEqual([...new Set(lived.codes[index('WL-02')])], [1]);
});

test('trucks haul, machines idle, rest and run: over three hours every state of an engine is seen', () => {
  const site = createSite({ seed: 7, start_ms: START_MS });
  const batches = site.roster.map(() => new FrameBatch());
  const phases = new Map<string, Set<string>>();
  for (let minute = 0; minute < 180; minute++) {
    site.advance(START_MS + minute * MINUTE_MS, batches, MINUTE_MS);
    for (const [i, row] of ROSTER.entries()) {
      const seen = phases.get(row.kind) ?? new Set();
      phases.set(row.kind, seen.add(site.physics(i).phase));
    }
    for (const batch of batches) batch.clear();
  }
  const trucks = [...(phases.get('haul_truck') ?? [])];
  for (const phase of ['queue', 'load', 'haul', 'return', 'break', 'off', 'parked', 'test'])
    assert.ok(trucks.includes(phase), `no truck was ever in ${phase}`);
  assert.ok(phases.get('excavator')?.has('dig') && phases.get('excavator')?.has('wait'));
});

test('[G8] machines are inside the fence of the site, and never further than their speed takes them', () => {
  const [site] = GROUNDS;
  const ring = fenceOf(site?.corners ?? []).coordinates[0] as [number, number][];
  const [lons, lats] = [ring.map(([lon]) => lon), ring.map(([, lat]) => lat)];
  lived.series.forEach((signals, machine) => {
    const lat = signals.get('position.latitude') ?? { t: [], v: [] };
    const lon = signals.get('position.longitude') ?? { t: [], v: [] };
    assert.ok(lat.v.length > 0 && lat.v.length === lon.v.length);
    for (let i = 0; i < lat.v.length; i++) {
      const [y, x] = [lat.v[i] as number, lon.v[i] as number];
      assert.ok(y >= Math.min(...lats) && y <= Math.max(...lats) && x >= Math.min(...lons) && x <= Math.max(...lons));
      const gap_s = i === 0 ? 0 : ((lat.t[i] as number) - (lat.t[i - 1] as number)) / 1_000;
      if (i === 0 || gap_s > 2) continue;
      const moved = Math.hypot(y - (lat.v[i - 1] as number), (x - (lon.v[i - 1] as number)) * 0.94) * 111_195;
      assert.ok(moved <= 12 * gap_s + 0.5, `${ROSTER[machine]?.unit} moved ${moved} m in ${gap_s} s`);
    }
  });
});
