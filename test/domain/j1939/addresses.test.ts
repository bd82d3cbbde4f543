import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { AddressBook, type ClaimMessage, MAX_NAMES } from '#domain/j1939/addresses.ts';
import { createDecoder } from '#domain/j1939/decode.ts';
import { encodeGroup, identifier, pushFrame } from '#domain/j1939/encode.ts';
import { PGN } from '#domain/j1939/identifier.ts';
import { encodeName, type Name, nameKey, parseName } from '#domain/j1939/name.ts';
import { EVIDENCE, type Evidence } from '#domain/machine/evidence.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { createFacts } from '#domain/machine/facts.ts';
import { applyFaults, applyValue, equipmentLive } from '#domain/machine/machine.ts';
import { sent } from '#test/support/sent.ts';

const T0 = 1.7e15;
const S = 1_000_000;
const HOURS = EVIDENCE.find((one) => one?.spn === 247) as Evidence;

const name: fc.Arbitrary<Name> = fc.record({
  identity_number: fc.nat(0x1fffff),
  manufacturer_code: fc.nat(0x7ff),
  ecu_instance: fc.nat(7),
  function_instance: fc.nat(31),
  function: fc.nat(255),
  vehicle_system: fc.nat(127),
  vehicle_system_instance: fc.nat(15),
  industry_group: fc.nat(7),
  arbitrary_address: fc.boolean(),
});
const keyOf = (of: Name) => nameKey(encodeName(of), 0, 8) ?? '';
const claim = (sa: number, of: string, t_us = T0, bus = 0): ClaimMessage => ({ t_us, bus, sa, frame: 0, name: of });
const A = '8000000001400001';
const B = '8000000001400002';

test('[D100] encoding and decoding a NAME keeps every field, for random fields', () => {
  fc.assert(fc.property(name, (one) => assert.deepEqual(parseName(keyOf(one)), { ...one })));
});

test('[D100] the fields of a NAME have the bit positions of J1939-81', () => {
  // The claim of a sample in a vendor's manual: Dearborn Group (11), off-board service tool (129), all else 0.
  const data = Uint8Array.of(0, 0, 0x60, 0x01, 0, 0x81, 0, 0);
  assert.deepEqual(parseName(nameKey(data, 0, 8) ?? ''), {
    identity_number: 0,
    manufacturer_code: 11,
    ecu_instance: 0,
    function_instance: 0,
    function: 129,
    vehicle_system: 0,
    vehicle_system_instance: 0,
    industry_group: 0,
    arbitrary_address: false,
  });
  // Each bit in turn is in exactly one field, bit 48 in none.
  for (let bit = 0; bit < 64; bit++) {
    const bytes = new Uint8Array(8);
    bytes[bit >> 3] = 1 << (bit & 7);
    const fields = Object.values(parseName(nameKey(bytes, 0, 8) ?? '') ?? {}).filter((value) => Number(value) !== 0);
    assert.equal(fields.length, bit === 48 ? 0 : 1, `bit ${bit}`);
  }
  assert.equal(nameKey(data, 0, 7), undefined);
  assert.equal(parseName('nonsense'), undefined);
});

test('[D100] the decoder reports claims to all addresses and claims of units without an address', () => {
  const batch = new FrameBatch();
  pushFrame(batch, T0, 2, identifier(6, PGN.addressClaim, 0x21), Uint8Array.of(1, 0, 0x40, 1, 0, 0, 0, 0x80));
  pushFrame(batch, T0 + 1, 2, identifier(6, PGN.addressClaim, 254), Uint8Array.of(2, 0, 0x40, 1, 0, 0, 0, 0x80));
  pushFrame(batch, T0 + 2, 2, identifier(6, PGN.addressClaim, 3), Uint8Array.of(2, 0, 0x40));
  const found: ClaimMessage[] = [];
  createDecoder().decode(batch, {
    signal: () => undefined,
    faults: () => undefined,
    claim: (one) => found.push(one),
  });
  assert.deepEqual(found, [
    { t_us: T0, bus: 2, sa: 0x21, frame: 0, name: A },
    { t_us: T0 + 1, bus: 2, sa: 254, frame: 1, name: B },
  ]);
});

test('[D101] a unit without a claim is identified by its address; the first NAME that claims the address takes over its unit number', () => {
  const book = new AddressBook();
  assert.equal(book.unitOf(0, 3), 3);
  assert.equal(book.claim(claim(3, A)), true);
  assert.equal(book.unitOf(0, 3), 3);
  assert.equal(book.claim(claim(3, A, T0 + S)), false, 'said again');
  assert.equal(book.unitOf(1, 3), 3, 'another bus');
  assert.equal(book.names()[0]?.claimed_us, T0 + S);
});

test('[D101] a unit keeps its unit number at another address, and frames from its old address belong to another unit', () => {
  const book = new AddressBook();
  book.claim(claim(3, A));
  book.claim(claim(0x80, A, T0 + S));
  assert.equal(book.unitOf(0, 0x80), 3);
  assert.notEqual(book.unitOf(0, 3), 3);
  assert.deepEqual(book.names()[0]?.before, [3]);
  assert.ok(book.hasBeen(3, 0, 3) && book.hasBeen(3, 0, 0x80) && !book.hasBeen(3, 0, 4));
});

test('[D101] a unit that loses its address to another NAME keeps its unit number at its next address; 254 is no address', () => {
  const book = new AddressBook();
  book.claim(claim(3, A));
  book.claim(claim(3, B));
  const other = book.unitOf(0, 3);
  assert.notEqual(other, 3);
  assert.equal(book.names().find((one) => one.name === A)?.sa, -1);
  book.claim(claim(254, A));
  assert.equal(book.names().find((one) => one.name === A)?.cannot_claim, true);
  assert.equal(book.unitOf(0, 254), 254);
  book.claim(claim(0x90, A));
  assert.equal(book.unitOf(0, 0x90), 3);
  assert.equal(book.unitOf(0, 3), other);
  assert.equal(book.names().find((one) => one.name === A)?.cannot_claim, false);
});

test('[D101] after random claims no two NAMEs share an address or a unit, a NAME keeps its unit, and a restore from JSON is equal', () => {
  const names = ['0000000000000001', '0000000000000002', '0000000000000003', '8000000000000004'];
  const one = fc.record({ sa: fc.constantFrom(0, 1, 2, 128, 254, 255), bus: fc.nat(1), of: fc.constantFrom(...names) });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 60 }), (claims) => {
      let book = new AddressBook();
      const units = new Map<string, number>();
      for (const [i, { sa, bus, of }] of claims.entries()) {
        book.claim(claim(sa, of, T0 + i, bus));
        if (i % 7 === 3) book = AddressBook.from(JSON.parse(JSON.stringify(book)));
        const taken = new Set<string>();
        for (const known of book.names()) {
          if (known.unit < 0) continue;
          const key = `${known.bus} ${known.unit}`;
          assert.ok(!taken.has(key), `unit ${key} twice`);
          taken.add(key);
          if (known.sa >= 0) {
            assert.equal(book.unitOf(known.bus, known.sa), known.unit);
            assert.ok(!taken.has(`${known.bus} at ${known.sa}`));
            taken.add(`${known.bus} at ${known.sa}`);
          }
          const id = `${known.bus}:${known.name}`;
          assert.equal(units.get(id) ?? known.unit, known.unit);
          units.set(id, known.unit);
        }
      }
    }),
  );
});

test('[D101] at the limit of 256 NAMEs, a NAME without an address is evicted first', () => {
  const book = new AddressBook();
  book.claim(claim(254, A));
  for (let i = 0; i < 5_000; i++) book.claim(claim(i % 200, i.toString(16).padStart(16, '0').toUpperCase(), T0 + i));
  const names = book.names();
  assert.equal(names.length, MAX_NAMES);
  assert.equal(names.filter((one) => one.sa >= 0).length, 200);
  assert.ok(!names.some((one) => one.name === A));
});

test('[D101] a meter is not reset when its unit moves to another address and another unit takes the old one', () => {
  const facts = createFacts();
  const events: FactEvent[] = [];
  const book = new AddressBook();
  const read = (sa: number, hours: number, at_s: number) => {
    const arrival = { device: 'dev', run_id: null, ref: null, received_us: T0 + at_s * S, events };
    const [t_us, unit] = [T0 + at_s * S, book.unitOf(0, sa)];
    applyValue(facts, arrival, sent(HOURS, hours * 20, hours, t_us, 0, sa, 0, false, unit));
  };
  book.claim(claim(0, A));
  read(0, 5_000, 0);
  // B claims its address, A goes to 0x80, and B counts hours of its own.
  book.claim(claim(0, B));
  book.claim(claim(0x80, A));
  read(0x80, 5_000.05, 180);
  const { value, source_address } = equipmentLive(facts).values['engine.hours'] ?? {};
  assert.deepEqual([value, source_address], [5_000.05, 0x80]);
  assert.equal(facts.signals['engine.hours']?.sources.length, 1);
  assert.deepEqual(events, []);
  // The same readings by address alone: a new source.
  const plain = createFacts();
  const arrival = { device: 'dev', run_id: null, ref: null, received_us: T0 + S, events };
  applyValue(plain, arrival, sent(HOURS, 100_000, 5_000, T0, 0, 0, 0));
  applyValue(plain, arrival, sent(HOURS, 100_001, 5_000.05, T0 + S, 0, 0x80, 0));
  assert.equal(plain.signals['engine.hours']?.sources.length, 2);
});

test('[D101] readings and codes of an old snapshot without units belong to the unit with their address', () => {
  const first = createFacts();
  const events: FactEvent[] = [];
  const off = { state: 'off', flash: 'steady' } as const;
  const lamps = { mil: off, red_stop: off, amber: off, protect: off };
  const dtcs = [{ spn: 100, fmi: 1, occurrence_count: 1, raw: '64000101' }];
  const say = (facts: typeof first, at_s: number) => {
    const arrival = { device: 'dev', run_id: null, ref: null, received_us: T0 + at_s * S, events };
    applyValue(facts, arrival, sent(HOURS, 100_000, 5_000, T0 + at_s * S, 0, 3, 0));
    applyFaults(facts, arrival, { t_us: T0 + at_s * S, bus: 0, sa: 3, frame: 0, lamps, dtcs });
  };
  say(first, 0);
  const old = JSON.parse(
    JSON.stringify(first, (key, value) => (key === 'unit' || key === 'meters' ? undefined : value)),
  );
  say(old, 1);
  assert.deepEqual([old.signals['engine.hours'].sources.length, old.faults.sources.length], [1, 1]);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['dtc.activated'],
  );
});

test('[D101] when a unit moves to another address, its codes neither clear nor activate, and have the new address', () => {
  const facts = createFacts();
  const events: FactEvent[] = [];
  const off = { state: 'off', flash: 'steady' } as const;
  const lamps = { mil: off, red_stop: off, amber: off, protect: off };
  const dtcs = [{ spn: 100, fmi: 1, occurrence_count: 1, raw: '64000101' }];
  for (const [i, sa] of [3, 3, 0x80, 0x80].entries()) {
    const arrival = { device: 'dev', run_id: null, ref: null, received_us: T0 + i * S, events };
    applyFaults(facts, arrival, { t_us: T0 + i * S, bus: 0, sa, frame: 0, lamps, dtcs }, false, 3);
  }
  assert.deepEqual(
    events.map(({ type }) => type),
    ['dtc.activated'],
  );
  assert.equal(equipmentLive(facts).dtcs?.[0]?.source_address, 0x80);
  assert.equal(equipmentLive(facts).dtc_counts?.active, 1);
});

test('[D100] the decoder reads the claim that the encoder wrote', () => {
  fc.assert(
    fc.property(name, fc.integer({ min: 0, max: 253 }), (of, sa) => {
      const batch = new FrameBatch();
      pushFrame(batch, T0, 0, identifier(6, PGN.addressClaim, sa), encodeName(of));
      pushFrame(batch, T0, 0, identifier(3, 61444, sa), encodeGroup(61444, { 190: 800 }));
      const book = new AddressBook();
      createDecoder().decode(batch, {
        signal: () => undefined,
        faults: () => undefined,
        claim: (one) => book.claim(one),
      });
      assert.deepEqual(
        book.names().map(({ name: key, sa: at }) => [key, at]),
        [[keyOf(of), sa]],
      );
    }),
  );
});
