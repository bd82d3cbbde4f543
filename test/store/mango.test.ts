import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import {
  fillWithDefaultSettings,
  getQueryMatcher,
  getSortComparator,
  type MangoQuery,
  normalizeMangoQuery,
  prepareQuery,
  type RxDocumentData,
  type RxJsonSchema,
  type RxStorage,
  type RxStorageInstance,
} from 'rxdb/plugins/core';
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory';
import { createSqliteStorage } from '#store/sqlite/storage.ts';
import { textKey } from '#store/sqlite/text-key.ts';
import { temporaryFolder } from './kit.ts';

interface Thing {
  id: string;
  name: string;
  count: number;
  flag: boolean;
  /** May be absent. */
  note?: string;
  /** May be null. */
  level: number | null;
  /** May be both. */
  loose?: string | null;
  nested: { deep?: number };
  tags: string[];
}

const SCHEMA: RxJsonSchema<Thing> = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: {
    id: { type: 'string', maxLength: 20 },
    name: { type: 'string', maxLength: 30 },
    count: { type: 'number', minimum: -10, maximum: 10, multipleOf: 0.25 },
    flag: { type: 'boolean' },
    note: { type: 'string', maxLength: 30 },
    level: { type: ['number', 'null'] as never },
    loose: { type: ['string', 'null'] as never },
    nested: { type: 'object', properties: { deep: { type: 'number', minimum: -10, maximum: 10, multipleOf: 0.25 } } },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['id', 'name', 'count', 'flag', 'level', 'nested', 'tags'],
  indexes: ['name', ['flag', 'count'], 'nested.deep'],
};
/** The same with every scalar as a column, so that more of a selector becomes SQL. */
const INDEXED = ['note', 'level', 'loose', 'count', 'flag', 'nested.deep', 'tags', 'nested'];

const FULL = fillWithDefaultSettings(SCHEMA);
const folder = temporaryFolder();
let databases = 0;

type Instance = RxStorageInstance<Thing, unknown, unknown>;

const sqlite = createSqliteStorage({
  file: (name) => `${folder.path}/${name}.db`,
  clock: Date.now,
  indexes: () => [{ name: 'more', paths: INDEXED }],
});

async function open(storage: RxStorage<unknown, unknown>, name: string): Promise<Instance> {
  return storage.createStorageInstance<Thing>({
    databaseInstanceToken: name,
    databaseName: name,
    collectionName: 'things',
    schema: FULL,
    options: {},
    multiInstance: false,
    devMode: false,
  });
}

let ours: Instance;
let memory: Instance;
before(async () => {
  const name = `mango${++databases}`;
  ours = await open(sqlite as RxStorage<unknown, unknown>, name);
  memory = await open(getRxStorageMemory() as RxStorage<unknown, unknown>, name);
});
after(async () => {
  await ours.close();
  await memory.close();
  folder[Symbol.dispose]();
});

// few and awkward values, so that documents and conditions meet; the last ones sort differently as UTF-8 and UTF-16
const text = fc.constantFrom(
  '',
  'a',
  'A',
  'ab',
  'b',
  'é',
  'z',
  '\u0000',
  "o'b",
  '"',
  '\uffff',
  '\ue000',
  '\u{1f600}',
  '\ud7ff',
);
const number = fc.constantFrom(-10, -1.25, -0.25, 0, 0.25, 1, 2.5, 10);
const thing: fc.Arbitrary<Thing> = fc.record(
  {
    id: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '\uffff', '\u{1f600}'),
    name: text,
    count: number,
    flag: fc.boolean(),
    note: text,
    level: fc.option(number),
    loose: fc.option(text),
    nested: fc.record({ deep: number }, { requiredKeys: [], noNullPrototype: true }),
    tags: fc.array(text, { maxLength: 2 }),
  },
  { requiredKeys: ['id', 'name', 'count', 'flag', 'level', 'nested', 'tags'], noNullPrototype: true },
);

const operand = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const path = fc.constantFrom('id', 'name', 'count', 'flag', 'note', 'level', 'loose', 'nested.deep', 'tags');
const operator: fc.Arbitrary<object> = fc.oneof(
  fc
    .tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), operand)
    .map(([name, value]) => ({ [name]: value })),
  fc
    .tuple(fc.constantFrom('$in', '$nin'), fc.array(operand, { maxLength: 3 }))
    .map(([name, value]) => ({ [name]: value })),
  fc.boolean().map((value) => ({ $exists: value })),
  fc.constantFrom({ $regex: '^a' }, { $type: 'string' }, { $size: 1 }, { $mod: [2, 1] }),
);
const field = fc
  .tuple(
    path,
    fc.oneof(
      operator,
      fc.tuple(operator, operator).map(([a, b]) => ({ ...a, ...b })),
      operator.map((one) => ({ $not: one })),
    ),
  )
  .map(([name, matcher]) => ({ [name]: matcher }));
const selector: fc.Arbitrary<object> = fc.letrec<{ any: object }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    field,
    fc.tuple(field, field).map(([a, b]) => ({ ...a, ...b })),
    fc
      .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(tie('any'), { minLength: 1, maxLength: 3 }))
      .map(([name, parts]) => ({ [name]: parts })),
  ),
})).any;
const sort = fc.array(
  fc
    .tuple(
      fc.constantFrom('id', 'name', 'count', 'flag', 'note', 'level', 'loose', 'nested.deep', '_deleted'),
      fc.constantFrom('asc', 'desc'),
    )
    .map(([name, direction]) => ({ [name]: direction })),
  { minLength: 1, maxLength: 3 },
);

const stored = new Map<string, RxDocumentData<Thing>>();
let time = Date.now();

async function write(things: readonly (Thing & { gone: boolean })[]): Promise<void> {
  const rows = [...new Map(things.map((one) => [one.id, one])).values()].map(({ gone, ...one }) => {
    const previous = stored.get(one.id);
    const document: RxDocumentData<Thing> = {
      ...one,
      _deleted: gone,
      _attachments: {},
      _meta: { lwt: ++time },
      _rev: `${Number(previous?._rev.split('-')[0] ?? 0) + 1}-x`,
    };
    return previous ? { previous, document } : { document };
  });
  const [a, b] = [await ours.bulkWrite(rows, 'test'), await memory.bulkWrite(rows, 'test')];
  assert.deepEqual(a.error, b.error);
  for (const { document } of rows) stored.set(document.id, document);
}

test('[S20] every selector and sort returns exactly what the matcher and comparator of RxDB return', async () => {
  const query = fc.record({
    selector: fc.oneof(
      selector,
      selector.map((one) => ({ ...one, _deleted: { $eq: false } })),
    ),
    sort,
    skip: fc.nat(2),
    limit: fc.option(fc.nat(5), { nil: undefined }),
  });
  const batch = fc.array(
    fc.tuple(thing, fc.boolean()).map(([one, gone]) => ({ ...one, gone })),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(batch, fc.array(query, { minLength: 5, maxLength: 10 }), async (things, queries) => {
      await write(things);
      for (const mango of queries) {
        const filled = normalizeMangoQuery(FULL, mango as unknown as MangoQuery<RxDocumentData<Thing>>);
        const prepared = prepareQuery<RxDocumentData<Thing>>(FULL as never, structuredClone(filled));
        const matches = getQueryMatcher(FULL, filled as never);
        const compare = getSortComparator(FULL, filled as never) as unknown as (a: unknown, b: unknown) => number;
        const end = filled.limit === undefined ? undefined : filled.skip + filled.limit;
        const expected = [...stored.values()]
          .filter((one) => matches(one))
          .sort(compare)
          .slice(filled.skip, end);
        const found = await ours.query(prepared as never);
        assert.deepEqual(
          found.documents.map(({ id }) => id),
          expected.map(({ id }) => id),
          JSON.stringify(mango),
        );
        assert.deepEqual(found.documents, expected);
        assert.equal((await ours.count(prepared as never)).count, expected.length);
      }
    }),
    { numRuns: 300 },
  );
});

test('[S20] a query that the memory storage serves from an index gives the same documents in the same order', async () => {
  const indexed = fc.constantFrom<MangoQuery<Thing>>(
    { selector: { name: { $gte: 'a' } }, sort: [{ name: 'asc' }] },
    { selector: { flag: true, count: { $gt: 0 } }, sort: [{ flag: 'desc' }, { count: 'desc' }] },
    { selector: { 'nested.deep': { $lte: 1 } }, sort: [{ 'nested.deep': 'asc' }], limit: 4 } as MangoQuery<Thing>,
    { selector: { id: { $in: ['1', '2', '3'] } }, sort: [{ id: 'desc' }], skip: 1 },
  );
  const plain = thing.map((one) => ({
    ...one,
    name: one.name.replaceAll(/[^a-z]/gi, 'q'),
    id: one.id.slice(0, 1),
    gone: false,
  }));
  await fc.assert(
    fc.asyncProperty(fc.array(plain, { maxLength: 5 }), indexed, async (things, mango) => {
      await write(things.filter(({ id }) => /\d/.test(id)));
      const alive = {
        ...mango,
        selector: { ...mango.selector, _deleted: { $eq: false }, id: { $gte: '0', $lte: '9' } },
      };
      const filled = normalizeMangoQuery(FULL, alive as unknown as MangoQuery<RxDocumentData<Thing>>);
      const prepared = prepareQuery<RxDocumentData<Thing>>(FULL as never, filled);
      const [a, b] = [await ours.query(prepared as never), await memory.query(prepared as never)];
      const ids = (documents: readonly { id: string }[]): string[] => documents.map(({ id }) => id);
      assert.deepEqual(ids(a.documents), ids(b.documents));
    }),
    { numRuns: 60 },
  );
});

test('[S21] text sorts in a column as JavaScript sorts it', () => {
  const well = fc.string({ unit: 'binary' }).map((one) => one.toWellFormed());
  fc.assert(
    fc.property(well, well, (a, b) => {
      const bytes = Buffer.compare(Buffer.from(textKey(a)), Buffer.from(textKey(b)));
      assert.equal(Math.sign(bytes), a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});
