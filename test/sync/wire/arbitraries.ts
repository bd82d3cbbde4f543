/** Arbitrary commits and documents, as the code of the protocol makes them. */
import fc from 'fast-check';
import { hashId, makeId } from '#contract/base/ids.ts';
import { makeDoc, type Part } from '#domain/sync/registers/documents.ts';
import { compareValues, makeValue, type Register } from '#domain/sync/registers/registers.ts';
import type { Commit } from '#domain/sync/store.ts';

const hex = (digits: number) =>
  fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: digits, maxLength: digits }).map((all) => all.join(''));
/** Strings that messages write in another form: ids, times, hashes, bytes, and text that looks like these forms. */
const special = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.uint8Array({ minLength: 10, maxLength: 10 }), fc.boolean())
    .map(([ms, random, isFirst]) =>
      makeId('equipment', ms, isFirst ? Uint8Array.from([0, 0, ...random.slice(2)]) : random),
    ),
  hex(64).map((text) => hashId('segment', text)),
  fc.constantFrom(
    'eq_01m8cx361betrbwjmg0bgn698s',
    'evt_01m8cx3a5ke0086w2vnmv6rmg7',
    'records/eq_01m8cx361betrbwjmg0bgn698s',
  ),
  fc.constantFrom(
    '~',
    '~~',
    '~s',
    '~ieq_',
    '~r0',
    'x<eq_01m8cx361betrbwjmg0bgn698s',
    '\neq_zzzzzzzzzzzzzzzzzzzzzzzzzz',
  ),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('2026-02-30T00:00:00.000Z', '2026-11-26T24:00:00.000Z', '0000-00-00T00:00:00.000Z'),
  fc.integer({ min: 1, max: 70 }).chain((n) => hex(n)),
  fc.uint8Array({ minLength: 70, maxLength: 90 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.string(),
);
const content = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  special,
  fc.record({ id: special, list: fc.array(special, { maxLength: 3 }), ['__proto__']: special }),
);
const life = fc.constantFrom('gw_a.1.x', 'gw_a.2.y', 'gw_b.1.z', 'cloud.7.tok');
const hlc = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 47 }), fc.integer({ min: 0, max: 65_535 }))
  .map(([ms, n]) => ms.toString(16).padStart(12, '0') + n.toString(16).padStart(4, '0'));
const stamp = fc.record({ life, hlc });
const path = fc.oneof(
  fc.constantFrom('name', '!serial', '=number', '^read/x', 'labels/crew', 'widgets#order', 'steps/1.2'),
  special.map((text) => `labor/${text}`),
  fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text !== '_deleted'),
);

const register = (name: string, of: { life: string; hlc: string }): fc.Arbitrary<Register> =>
  fc
    .array(fc.tuple(content, fc.option(stamp, { nil: of }), fc.array(hex(16), { maxLength: 3 })), {
      minLength: 1,
      maxLength: 3,
    })
    .map((values) => {
      const all = values.map(([v, when, anc]) => makeValue(name, JSON.parse(JSON.stringify(v)), when, anc));
      return [...new Map(all.map((value) => [value.id, value])).values()].sort(compareValues);
    });

export const part = (of: { life: string; hlc: string }): fc.Arbitrary<Part> =>
  fc
    .tuple(
      fc
        .uniqueArray(path, { minLength: 1, maxLength: 4 })
        .chain((paths) => fc.tuple(...paths.map((name) => fc.tuple(fc.constant(name), register(name, of))))),
      fc.constantFrom('records', 'events', 'live'),
      fc.constantFrom('equipment', 'event', 'a_kind_of_a_newer_version'),
      fc.boolean(),
      fc.integer({ min: 1, max: 1_000 }),
      fc.oneof(
        fc.constant('eq_1'),
        special.filter((text) => /^[!-~]{1,200}$/.test(text)),
      ),
    )
    .map(([registers, collection, object, whole, rev, id]) => {
      const name = { collection, object, id };
      const all = new Map(registers);
      const { vid } = makeDoc(name, all, rev);
      // The mark of a document of which only some fields are sent is not sent.
      return { ...name, registers: all, whole, rev, vid: whole ? vid : '' };
    });

export const commit: fc.Arbitrary<Commit> = fc
  .tuple(stamp, hex(32), fc.integer({ min: 0, max: 5 }))
  .chain(([of, key, lane]) => fc.array(part(of), { maxLength: 3 }).map((docs) => ({ ...of, key, lane, docs })));
