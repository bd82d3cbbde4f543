import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseCandump } from '#codec/candump.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { AddressBook } from '#domain/j1939/addresses.ts';
import { BusInventory, MAX_BUSES } from '#domain/j1939/bus-inventory.ts';
import { createDecoder, type DecodeSink } from '#domain/j1939/decode.ts';
import { identifier } from '#domain/j1939/encode.ts';
import { groupName } from '#domain/j1939/groups.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import { MAX_ROWS } from '#domain/j1939/inventory-rows.ts';
import { MAX_UNITS, unitsOf } from '#domain/j1939/inventory-units.ts';
import { wireBits } from '#test/support/can-bits.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

const T0 = 1.7e15;
const MS = 1000;
const S = 1_000_000;
const LATER = 2e15;
const silent: DecodeSink = { signal: () => undefined, faults: () => undefined };
const eight = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

function counted(batch: FrameBatch, received_us = LATER, inventory = new BusInventory()): BusInventory {
  createDecoder().decode(batch, silent, inventory, received_us);
  return inventory;
}

/** Frames of one group from one address, `gap_us` apart. */
function steady(count: number, gap_us: number, id = identifier(3, 61444, 0), bus = 0): FrameBatch {
  const batch = new FrameBatch();
  for (let i = 0; i < count; i++) batch.push(T0 + i * gap_us, bus, id, FRAME.extended, eight, 0, 8);
  return batch;
}

function recorded(file: string): FrameBatch {
  const batch = new FrameBatch();
  parseCandump(recording(file), batch, 0);
  return batch;
}

test('[D106] every frame is counted in one row by bus, address and group, or by kind, or in overflow', () => {
  const frame = fc.record({
    id: fc.oneof(
      fc.nat(0x1fffffff),
      fc
        .tuple(fc.constantFrom(0xea00, 0xf004, 0xfeca, 0xef00), fc.nat(3), fc.nat(3))
        .map(([pgn, sa, da]) => identifier(6, pgn, sa, da)),
    ),
    bus: fc.nat(20),
    flags: fc.constantFrom(FRAME.extended, FRAME.extended, 0, FRAME.error, FRAME.extended | FRAME.remote, FRAME.fd),
    len: fc.nat(8),
    dt: fc.integer({ min: -3 * S, max: 3 * S }),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 300 }), (frames) => {
      const batch = new FrameBatch();
      const want = new Map<string, number>();
      const kinds = { standard: 0, remote: 0, errors: 0, fd: 0 };
      const buses: number[] = [];
      let t = T0;
      let dropped = 0;
      for (const one of frames) {
        t += one.dt;
        batch.push(t, one.bus, one.id, one.flags, eight, 0, one.len);
        if (!buses.includes(one.bus)) {
          if (buses.length < MAX_BUSES) buses.push(one.bus);
          else {
            dropped++;
            continue;
          }
        }
        if (one.flags === FRAME.extended) {
          const key = `${one.bus} ${one.id & 255} ${pgnOf(one.id)}`;
          want.set(key, (want.get(key) ?? 0) + 1);
        } else if (one.flags === FRAME.error) kinds.errors++;
        else if (one.flags === FRAME.fd) kinds.fd++;
        else if (one.flags === 0) kinds.standard++;
        else kinds.remote++;
      }
      const inventory = BusInventory.from(JSON.parse(JSON.stringify(counted(batch))));
      const got = new Map(inventory.groups().map(({ bus, sa, pgn, frames: n }) => [`${bus} ${sa} ${pgn}`, n]));
      assert.deepEqual([...got].sort(), [...want].sort());
      const sum = { standard: 0, remote: 0, errors: 0, fd: 0 };
      for (const bus of inventory.buses())
        for (const kind of Object.keys(sum) as (keyof typeof sum)[]) sum[kind] += bus[kind];
      assert.deepEqual(sum, kinds);
      assert.equal(inventory.overflow, dropped);
      assert.equal(inventory.buses().reduce((n, bus) => n + bus.frames, 0) + dropped, frames.length);
    }),
  );
});

test('[D106] rates and load cover the last ten seconds without pauses', () => {
  const inventory = counted(steady(2_000, 10 * MS));
  const [bus] = inventory.buses();
  assert.equal(bus?.frames, 2_000);
  assert.equal(Math.round(bus?.frames_per_s ?? 0), 100);
  // 131 bits and 10.6 % of 118.
  assert.equal(Math.round((bus?.bits_per_s ?? 0) / 100), 144);
  assert.equal(Math.round(inventory.groups()[0]?.per_s ?? 0), 100);
  const after = steady(300, 50 * MS);
  for (let i = 0; i < after.count; i++) after.t[i] = (after.t[i] as number) + 3600 * S;
  counted(after, LATER, inventory);
  assert.equal(Math.round(inventory.buses()[0]?.frames_per_s ?? 0), 20);
  const { from_us, until_us } = inventory.window ?? { from_us: 0, until_us: 0 };
  assert.ok(from_us >= T0 + 3600 * S && until_us - from_us <= 11 * S);
});

test('[D106] a group that stops while others are sent has the rate 0', () => {
  const batch = steady(4_000, 10 * MS);
  for (let i = 0; i < 500; i++) batch.id[i] = identifier(6, 65262, 0);
  const slow = counted(batch)
    .groups()
    .find(({ pgn }) => pgn === 65262);
  assert.deepEqual([slow?.frames, slow?.per_s], [500, 0]);
});

test('[D107] the bit rate follows from frames without a gap; if they are rare or timestamps are coarse it is unknown', () => {
  const rateOf = (gaps: readonly number[]) => {
    const batch = new FrameBatch();
    let t = T0;
    for (let i = 0; i < 2_000; i++) {
      t += gaps[i % gaps.length] as number;
      batch.push(t, 0, identifier(3, 61444, i % 4), FRAME.extended, eight, 0, 8);
    }
    return counted(batch).buses()[0]?.bit_rate;
  };
  assert.equal(rateOf([576, 3_000, 576, 9_000]), 250_000);
  assert.equal(rateOf([288, 3_000, 600, 9_000]), 500_000);
  assert.equal(rateOf([144, 3_000, 600, 9_000]), 1_000_000);
  assert.equal(rateOf([10_000]), null, 'nothing at once');
  assert.equal(rateOf([0, 0, 0, 4_000]), null, 'stamped when a packet of them arrived');
});

test('[D108] random frames give at most 1,024 rows, 16 buses and 128 units', () => {
  const batch = new FrameBatch();
  for (let i = 0; i < 60_000; i++) {
    batch.push(T0 + i * 100, i % 40, identifier(6, 0xff00 + (i % 256), i % 251), FRAME.extended, eight, 0, 8);
  }
  const inventory = counted(batch);
  assert.equal(inventory.groups().length, MAX_ROWS);
  assert.equal(inventory.buses().length, MAX_BUSES);
  const kept = inventory.groups().reduce((sum, { frames }) => sum + frames, 0);
  assert.equal(kept + inventory.overflow, 60_000);
  for (let i = 0; i < 1_000; i++) {
    const told = { t_us: T0 + i, bus: i % 5, sa: i % 250, kind: 'component', text: 'x'.repeat(2_000) } as const;
    inventory.identity(told, i);
  }
  const units = inventory.unitInfos();
  assert.equal(units.length, MAX_UNITS);
  assert.ok(units.every(({ unit, component }) => unit >= 1_000 - MAX_UNITS && (component?.text.length ?? 0) <= 200));
  assert.ok(JSON.stringify(inventory).length < 150_000);
});

test('[D106] no stored time is in the future after the clock is set back or frames have impossible times', () => {
  const inventory = counted(steady(100, 10 * MS), T0 + 0.5 * S);
  const latest = () =>
    Math.max(...inventory.groups().map(({ last_us }) => last_us), inventory.buses()[0]?.last_us ?? 0);
  assert.ok(latest() <= T0 + 0.5 * S);
  inventory.setBack(T0 - 3600 * S);
  assert.ok(latest() <= T0 - 3600 * S);
  const epoch = steady(10, 10 * MS);
  for (let i = 0; i < 10; i++) epoch.t[i] = i;
  const undated = counted(epoch, T0);
  assert.ok((undated.groups()[0]?.last_us ?? 0) >= T0 - S);
});

test('[D109] a unit is listed once, with its NAME, its own data and its present address', () => {
  const book = new AddressBook();
  const inventory = new BusInventory();
  const batch = new FrameBatch();
  batch.push(T0, 1, identifier(6, 65262, 3), FRAME.extended, eight, 0, 8);
  batch.push(T0 + S, 1, identifier(6, 65262, 0x80), FRAME.extended, eight, 0, 8);
  const name = '8000000001400001';
  book.claim({ t_us: T0, bus: 1, sa: 3, frame: 0, name });
  inventory.identity({ t_us: T0, bus: 1, sa: 3, kind: 'vin', text: 'OLD' }, book.unitOf(1, 3));
  book.claim({ t_us: T0 + S, bus: 1, sa: 0x80, frame: 0, name });
  inventory.identity({ t_us: T0 + S, bus: 1, sa: 0x80, kind: 'vin', text: 'NEW' }, book.unitOf(1, 0x80));
  inventory.identity({ t_us: T0, bus: 1, sa: 3, kind: 'vin', text: 'LATE' }, book.unitOf(1, 0x80));
  counted(batch, LATER, inventory);
  const units = unitsOf(inventory, book);
  assert.deepEqual(
    units.map(({ sa, named, info }) => [sa, named?.name ?? null, info?.vin?.text ?? null]),
    [
      [3, null, null],
      [0x80, name, 'NEW'],
    ],
  );
});

test('[D106] the estimate of bits is within two percent of the exact count with bit stuffing, for recorded frames', {
  skip: withoutRecordings,
}, () => {
  for (const file of ['candump/FCBF0606-jd6130.candump.log', 'candump/eti-j1939_840-rp1210.candump.log']) {
    const batch = recorded(file);
    let exact = 0;
    for (let i = 0; i < batch.count; i++) exact += wireBits(batch.id[i] as number, batch.payload(i));
    // All of it in one window: the first lasts two seconds, so time is drawn together.
    for (let i = 0; i < batch.count; i++) batch.t[i] = T0 + (i * 1.9 * S) / batch.count;
    const end = steady(1, 0);
    end.t[0] = T0 + 2.1 * S;
    const inventory = counted(batch);
    counted(end, LATER, inventory);
    const told = inventory.buses().reduce((sum, bus) => sum + (bus.bits_per_s ?? 0), 0) * 2.1;
    assert.ok(Math.abs(told / exact - 1) < 0.02, `${file}: ${told} bits told, ${exact} are`);
  }
});

test('[D107] the estimated bit rate of a recorded machine equals the setting of its logger, or is unknown', {
  skip: withoutRecordings,
}, () => {
  const rates = (file: string) =>
    Object.fromEntries(
      counted(recorded(file))
        .buses()
        .map(({ bus, bit_rate }) => [bus, bit_rate]),
    );
  // CAN 2 of the tractor carries 2 frames a second; the engine keeps a pace of 400 µs and more.
  assert.deepEqual(rates('candump/FCBF0606-jd6130.candump.log'), { 1: 500_000, 2: null });
  assert.deepEqual(rates('candump/11111111-dm1-4dtc.candump.log.gz'), { 1: null, 2: null });
});

test('[D106] groups have the acronyms of SAE, and proprietary groups the acronyms of their kind', () => {
  assert.deepEqual([61444, 65226, 60928, 0xef00, 0xff31, 65239].map(groupName), [
    'EEC1',
    'DM1',
    'AC',
    'PropA',
    'PropB',
    null,
  ]);
});
