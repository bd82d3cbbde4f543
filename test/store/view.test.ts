import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { INDEXES } from '#contract/base/indexes.ts';
import type { CollectionName, Condition, FindQuery, Scalar, Stored, Write } from '#contract/base/view.ts';
import { runFind } from '#store/sqlite/find.ts';
import type { SqliteInternals } from '#store/sqlite/instance.ts';
import type { Reader, Row } from '#store/sqlite/rows.ts';
import { device, temporaryStore } from './kit.ts';

let t: Awaited<ReturnType<typeof temporaryStore>>;
before(async () => {
  t = await temporaryStore();
});
after(() => t[Symbol.asyncDispose]());

let projects = 0;
const newProject = (): string => `prj_${++projects}`;

/** Pages through a list until it ends. */
async function pages(project: string, query: FindQuery): Promise<Stored[]> {
  const all: Stored[] = [];
  for (let after = query.after; ; ) {
    const page = await t.store.view(project).find('records', { ...query, ...(after && { after }) });
    all.push(...page);
    assert.ok(all.length <= 1000, 'the list does not end');
    const last = page.at(-1);
    if (!last || page.length < query.limit) return all;
    after = { created_at: last.created_at, id: last.id };
  }
}

test('[S30] a list is newest first, or oldest first with asc, and sorted by id for equal times', async () => {
  const project = newProject();
  const view = t.store.view(project);
  await view.commit([device(`${project}_b`), device(`${project}_a`)]);
  t.options.time += 1;
  await view.commit([device(`${project}_0`)]);
  const ids = (list: Stored[]): string[] => list.map(({ id }) => id.slice(project.length + 1));
  assert.deepEqual(ids(await view.find('records', { object: 'device', limit: 10 })), ['0', 'b', 'a']);
  assert.deepEqual(ids(await view.find('records', { object: 'device', limit: 10, order: 'asc' })), ['a', 'b', '0']);
  assert.deepEqual(await view.find('records', { object: 'equipment', limit: 10 }), []);
});

test('[S30] a limit is 1 to 1,000', async () => {
  for (const limit of [0, 1001, 1.5, -1, Number.NaN]) {
    await assert.rejects(t.store.node.find('records', { object: 'device', limit }), RangeError);
  }
});

test('[S30] getMany returns documents in the order of the ids, without unknown ones', async () => {
  const project = newProject();
  const view = t.store.view(project);
  const ids = Array.from({ length: 700 }, (_, i) => `${project}_${i}`);
  await view.commit(ids.slice(0, 650).map((id) => device(id)));
  const asked = [...ids].reverse();
  assert.deepEqual(
    (await view.getMany('records', asked)).map(({ id }) => id),
    asked.slice(50),
  );
  assert.deepEqual(await view.getMany('records', []), []);
});

interface Model {
  readonly record: Write;
  readonly live: Write | undefined;
  readonly project: string;
}

const scalar: fc.Arbitrary<Scalar> = fc.constantFrom<Scalar>(null, 'a', 'b', '\u{1f600}', '\uffff', 1, 2.5);
const condition: fc.Arbitrary<Condition> = fc.oneof<fc.Arbitrary<Condition>[]>(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), scalar).map(([name, value]) => ({ [name]: value })),
  fc.array(fc.constantFrom('a', 'b', '\u{1f600}', '\uffff'), { maxLength: 3 }).map((otherThan) => ({ otherThan })),
);
const conditions = (paths: readonly string[]): fc.Arbitrary<Record<string, Condition>> =>
  fc.dictionary(fc.constantFrom(...paths), condition, { maxKeys: 2, noNullPrototype: true });

function holds(value: unknown, one: Condition): boolean {
  const known = (value ?? null) as Scalar;
  if (Array.isArray(one)) return one.includes(known);
  if (one === null || typeof one !== 'object') return known === one;
  if ('otherThan' in one) return typeof known === 'string' && !one.otherThan.includes(known);
  return Object.entries(one as Record<string, Scalar>).every(([name, bound]) => {
    if (typeof known !== typeof bound || known === null || bound === null) return false;
    if (name === 'gt') return known > bound;
    if (name === 'gte') return known >= bound;
    return name === 'lt' ? known < bound : known <= bound;
  });
}

function valueAt(document: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], document);
}

function allHold(document: object | undefined, where: Readonly<Record<string, Condition>> | undefined): boolean {
  if (!where) return true;
  return document !== undefined && Object.entries(where).every(([path, one]) => holds(valueAt(document, path), one));
}

test('[S31] [S175] conditions, live conditions, order and paging return what a filter and sort in memory return', async () => {
  const [first, second] = [newProject(), newProject()];
  const models: Model[] = [];
  const data = fc.record(
    { unit_number: scalar, kind: scalar, live_status: scalar, plain: scalar },
    { noNullPrototype: true },
  );
  const rows = fc.sample(fc.tuple(data, fc.option(data), fc.nat(3), fc.boolean()), { numRuns: 120, seed: 1939 });
  for (const [i, [fields, live, wait, other]] of rows.entries()) {
    t.options.time += wait === 0 ? 1 : 0;
    const id = `m_${String((i * 37) % 120).padStart(3, '0')}`;
    const project = other ? second : first;
    const record = { ...device(id, fields), object: 'equipment' };
    const side: Write | undefined = live ? { ...record, data: live, collection: 'live' } : undefined;
    await t.store.view(project).commit(side ? [record, side] : [record]);
    models.push({ record, live: side, project });
  }
  const created = new Map(
    (await t.store.find('records', { object: 'equipment', limit: 1000 })).map((one) => [one.id, one]),
  );
  const query = fc.record({
    where: fc.option(
      conditions(['data.unit_number', 'data.kind', 'data.plain', 'data.absent', 'created_at', 'revision']),
      {
        nil: undefined,
      },
    ),
    live: fc.option(conditions(['data.live_status', 'data.plain']), { nil: undefined }),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 30 }),
    project: fc.constantFrom(first, second, null),
  });
  await fc.assert(
    fc.asyncProperty(query, async ({ where, live, order, limit, project }) => {
      const expected = models
        .filter((one) => project === null || one.project === project)
        .filter(
          ({ record, live: side }) =>
            allHold(created.get(record.id), where) && (!live || (side !== undefined && allHold(side, live))),
        )
        .map(({ record }) => created.get(record.id))
        .filter((one) => one !== undefined)
        .sort((a, b) => {
          const sign = `${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? -1 : 1;
          return order === 'asc' ? sign : -sign;
        })
        .map(({ id }) => id);
      const asked = { object: 'equipment', order, limit, ...(where && { where }), ...(live && { live }) };
      const found = project === null ? await t.store.find('records', asked) : await pages(project, asked);
      assert.deepEqual(
        found.map(({ id }) => id),
        project === null ? expected.slice(0, limit) : expected,
      );
    }),
    { numRuns: 250 },
  );
});

/** The plans of all statements that a find runs, with the statement count. */
async function explain(
  collection: CollectionName,
  query: FindQuery,
  project: string | null = 'prj_1',
): Promise<string[]> {
  const database = new DatabaseSync(join(t.options.folder, 'store/headframe.db'), {
    readOnly: true,
    returnArrays: true,
  });
  const plans: string[] = [];
  const run = (sql: string, values: readonly (string | number | null)[]): Row[] => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as unknown as Row[];
    plans.push(plan.map((row) => row[3]).join(' | '));
    return database.prepare(sql).all(...values) as unknown as Row[];
  };
  const reader = {
    all: (sql: string, ...values: (string | number | null)[]) => run(sql, values),
    get: (sql: string, ...values: (string | number | null)[]) => run(sql, values)[0],
  } as unknown as Reader;
  const tableOf = (name: CollectionName): SqliteInternals['table'] =>
    (t.store.database.collections[name].storageInstance.internals as SqliteInternals).table;
  const read = async <T>(one: (read: Reader) => T): Promise<T> => one(reader);
  await runFind({ read, collection, table: tableOf(collection), live: tableOf('live'), project }, query);
  database.close();
  return plans;
}

test('[S32] a list without conditions reads the list index without a sort', async () => {
  const after = { created_at: '2026-01-01T00:00:00.000Z', id: 'x' };
  for (const query of [{}, { after }, { order: 'asc' as const, after }]) {
    const [plan, ...others] = await explain('records', { object: 'device', limit: 50, ...query });
    assert.match(plan ?? '', /^SEARCH r USING INDEX records_0:list \(\.project_id=\? AND \.object=\?/);
    assert.doesNotMatch(plan ?? '', /TEMP B-TREE|SCAN/);
    assert.equal(others.length, 0);
  }
});

test('[S32] every field in INDEXES uses its own index, in one project and in all projects', async () => {
  for (const [collection, objects] of Object.entries(INDEXES)) {
    for (const [object, paths] of Object.entries(objects)) {
      for (const path of paths) {
        for (const value of ['x', null, { gte: 1 }]) {
          const query = { object, where: { [path]: value }, limit: 50 };
          const [plan = ''] = await explain(collection as CollectionName, query);
          assert.ok(plan.includes(`USING INDEX ${collection}_0:${object}:${path} (`), plan);
          assert.doesNotMatch(plan, /SCAN/);
          // in list order already, except for a range
          if (typeof value !== 'object') assert.doesNotMatch(plan, /TEMP B-TREE/);
          assert.doesNotMatch((await explain(collection as CollectionName, query, null)).join(), /SCAN/);
        }
      }
    }
  }
});

test('[S32] a list of values is one indexed search per value', async () => {
  const plans = await explain('records', { object: 'equipment', where: { 'data.status': ['a', 'b', 'c'] }, limit: 50 });
  assert.equal(plans.length, 3);
  for (const plan of plans) {
    assert.match(plan, /SEARCH r USING INDEX records_0:equipment:data\.status/);
    assert.doesNotMatch(plan, /TEMP B-TREE|SCAN/);
  }
});

test('[S175] a text other than some: one search in the index for each different text, and then one for each that matches', async () => {
  const texts = ['closed', 'fixed', 'waiting', 'asleep'];
  const view = t.store.view(newProject());
  const data = (i: number) => ({ status: texts[i % 4], title: String(i) });
  await view.commit(
    Array.from({ length: 40 }, (_, i) => ({ ...device(`${view.project_id}_${i}`, data(i)), object: 'repair_ticket' })),
  );
  for (const project of [view.project_id, null]) {
    const where = { 'data.status': { otherThan: ['closed', 'fixed', 'canceled'] } };
    const plans = await explain('records', { object: 'repair_ticket', where, limit: 5 }, project);
    // Five for the texts, of which the last finds nothing.
    assert.equal(plans.length, 5 + 2);
    for (const plan of plans) {
      assert.match(plan, /SEARCH r USING (COVERING )?INDEX records_0:repair_ticket:data\.status \(/);
      assert.doesNotMatch(plan, project === null ? /SCAN/ : /SCAN|TEMP B-TREE/);
    }
  }
});

test('[S32] a list by a field with a range reads the index of the field without a sort; without a range it is refused', async () => {
  const where = { 'data.path': { gt: 'b', lt: 'd' } };
  const query = { object: 'bucket_object', by: 'data.path', where, limit: 50 };
  const [plan = ''] = await explain('local', query);
  assert.ok(plan.includes('USING INDEX local_0:bucket_object:data.path ('), plan);
  assert.doesNotMatch(plan, /TEMP B-TREE|SCAN/);
  const project = newProject();
  const view = t.store.view(project);
  // in the order of the field, whenever they came
  const paths = ['c', 'ca', 'b', 'bb', 'd', 'c\u00ff'];
  for (const [i, path] of paths.entries())
    await view.commit([{ collection: 'local', id: `${project}_${i}`, object: 'bucket_object', data: { path } }]);
  const found = await view.find<{ path: string }>('local', query);
  assert.deepEqual(
    found.map(({ data }) => data.path),
    ['bb', 'c', 'ca', 'c\u00ff'],
  );
  assert.equal((await view.find('local', { ...query, limit: 2 })).length, 2);
  await assert.rejects(view.find('local', { ...query, where: {} }), RangeError);
  await assert.rejects(view.find('local', { ...query, by: 'data.etag', where: { 'data.etag': 'x' } }), RangeError);
});

test('[S33] a condition on live is one indexed join, which starts from the side with fewer rows', async () => {
  const project = newProject();
  const view = t.store.view(project);
  const query = { object: 'equipment', live: { 'data.live_status': 'working' }, limit: 50 };
  const fill = (from: number, to: number): Promise<unknown> =>
    view.commit(
      Array.from({ length: to - from }, (_, i): Write[] => {
        const id = `${project}_${from + i}`;
        return [
          { ...device(id), object: 'equipment' },
          { ...device(id, { live_status: 'working' }), object: 'equipment', collection: 'live' },
        ];
      }).flat(),
    );
  await fill(0, 400);
  const few = await explain('records', query, project);
  assert.equal(few.length, 2);
  assert.match(
    few[1] ?? '',
    /^SEARCH l USING INDEX live_0:equipment:data\.live_status .* \| SEARCH r USING INDEX sqlite_autoindex_records_0_1 \(id=\?\)/,
  );
  await fill(400, 800);
  await fill(800, 1200);
  const many = await explain('records', query, project);
  assert.match(
    many[2] ?? '',
    /^SEARCH r USING INDEX records_0:list .* \| SEARCH l USING INDEX sqlite_autoindex_live_0_1 \(id=\?\)$/,
  );
  assert.equal((await view.find('records', query)).length, 50);
});
