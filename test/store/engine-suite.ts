/** The behaviour that every storage engine must have. `engine.test.ts` runs these tests over each implementation. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AuditLink } from '#contract/base/audit-entry.ts';
import { canonicalJson } from '#contract/base/canonical-json.ts';
import {
  type Change,
  type Condition,
  type FindQuery,
  type ProjectWrite,
  type Scalar,
  type Stored,
  WriteConflict,
} from '#contract/base/view.ts';
import type { StorageEngine } from '#store/base/engine.ts';

/** An engine with an empty database, and what a test controls around it. */
export interface Subject extends AsyncDisposable {
  readonly engine: StorageEngine;
  /** Milliseconds since 1970 of the clock of the engine. */
  time: number;
  /** Closes the engine and opens another over the same data. */
  reopen(): Promise<void>;
  /** Like `reopen`, but commits were lost, so that the engine begins a new incarnation. */
  reopenAfterLoss(): Promise<void>;
}

const P = 'prj_a';
const Q = 'prj_b';

function write(id: string, data: Record<string, unknown> = {}, more: Partial<ProjectWrite> = {}): ProjectWrite {
  return { project_id: P, collection: 'records', id, object: 'device', data, ...more };
}

const idsOf = (documents: readonly Stored[]): string[] => documents.map(({ id }) => id);

async function feedOf(engine: StorageEngine, project = P, after = 0): Promise<unknown[]> {
  const { entries, head } = await engine.changeFeed(project, 'records', after, 1000);
  return [head, ...entries.map(({ seq, document, deleted }) => [seq, document.id, deleted])];
}

/** Registers the tests for one implementation. */
export function testEngine(name: string, open: () => Promise<Subject>): void {
  const check = (title: string, run: (subject: Subject) => Promise<void>): void => {
    test(`${title} (${name})`, async () => {
      await using subject = await open();
      await run(subject);
    });
  };
  commitTests(check);
  deletionTests(check);
  feedTests(check);
  readTests(check);
}

type Check = (title: string, run: (subject: Subject) => Promise<void>) => void;

function commitTests(check: Check): void {
  check('[S10] a commit stamps each document, and a later write keeps created_at', async (t) => {
    const [first] = await t.engine.commit([write('a', { n: 1 })]);
    t.time += 5000;
    const [second] = await t.engine.commit([write('a', { n: 2 })]);
    const at = new Date(t.time - 5000).toISOString();
    assert.deepEqual([first?.created_at, first?.updated_at, first?.revision], [at, at, 1]);
    assert.deepEqual([second?.created_at, second?.revision, second?.data], [at, 2, { n: 2 }]);
    assert.equal(second?.updated_at, new Date(t.time).toISOString());
    assert.equal(second?.origin, t.engine.nodeId);
    assert.ok((second?.origin_seq ?? 0) > (first?.origin_seq ?? 0));
    assert.deepEqual(await t.engine.get(P, 'records', 'a'), second);
  });

  check('[S10] the time of a write replaces wall time in created_at and updated_at', async (t) => {
    const at = '2020-02-02T02:02:02.000Z';
    const [stored] = await t.engine.commit([write('a', {}, { at })]);
    assert.deepEqual([stored?.created_at, stored?.updated_at], [at, at]);
  });

  check('[S17] telemetry keeps bytes, which every read returns as bytes', async (t) => {
    const body = Uint8Array.from({ length: 300 }, (_, i) => i);
    const segment = (id: string, of: Uint8Array): ProjectWrite =>
      write(id, { n: 1, body: of }, { collection: 'telemetry', object: 'segment' });
    const heard: Change[] = [];
    t.engine.changes((changes) => heard.push(...changes));
    const [stored] = await t.engine.commit([segment('a', body), segment('b', new Uint8Array())]);
    const expected = [
      { n: 1, body },
      { n: 1, body: new Uint8Array() },
    ];
    const found = await t.engine.find(P, 'telemetry', { object: 'segment', order: 'asc', limit: 10 });
    const { entries } = await t.engine.changeFeed(P, 'telemetry', 0, 10);
    assert.deepEqual(stored?.data, expected[0]);
    for (const documents of [
      found,
      await t.engine.getMany(P, 'telemetry', ['a', 'b']),
      entries.map(({ document }) => document),
      heard.map(({ document }) => document),
    ])
      assert.deepEqual(
        documents.map(({ data }) => data),
        expected,
      );
    await t.engine.commit([segment('a', body.subarray(7))]);
    assert.deepEqual((await t.engine.get(P, 'telemetry', 'a'))?.data, { n: 1, body: body.slice(7) });
  });

  check(
    '[S80] each audit entry names the hash of the entry before, in every project, also after a reopen',
    async (t) => {
      const entry = (id: string, project_id = P): ProjectWrite =>
        write(id, { type: 'created', n: 1 }, { collection: 'events', object: 'audit', project_id });
      const stored = await t.engine.commit([entry('a'), write('x'), entry('b', Q)]);
      await assert.rejects(t.engine.commit([entry('c'), write('x', {}, { expected: 0 })]), WriteConflict);
      await t.reopen();
      stored.push(...(await t.engine.commit([entry('d')])));
      const links = stored.flatMap(({ data }) => ('chain' in data ? [data.chain as AuditLink] : []));
      const first = links[0]?.number ?? 0;
      assert.deepEqual(
        links.map(({ number, gateway_id, life }) => [number, gateway_id, life]),
        [first, first + 1, first + 2].map((number) => [number, t.engine.nodeId, 1]),
      );
      assert.deepEqual(
        links.slice(1).map(({ previous }) => previous),
        links.slice(0, 2).map(({ hash }) => hash),
      );
      const [document] = stored;
      assert.ok(document);
      const { hash, ...link } = (document.data as { chain: AuditLink }).chain;
      const { created_at: occurred_at, data } = document;
      const content = { object: 'audit', id: 'a', project_id: P, occurred_at, ...data, chain: link };
      assert.equal(hash, createHash('sha256').update(canonicalJson(content)).digest('hex'));
    },
  );

  check('[S80] a commit that would change or delete an audit entry is refused', async (t) => {
    const entry = write('a', { type: 'created' }, { collection: 'events', object: 'audit' });
    await t.engine.commit([entry]);
    await assert.rejects(async () => t.engine.commit([entry]), RangeError);
    await assert.rejects(async () => t.engine.commit([{ ...entry, deleted: true }]), RangeError);
    assert.ok(await t.engine.get(P, 'events', 'a'));
  });

  check('[S10] a stored document is a copy of its JSON', async (t) => {
    const data = { list: [1], absent: undefined };
    const [stored] = await t.engine.commit([write('a', data)]);
    data.list.push(2);
    assert.deepEqual(stored?.data, { list: [1] });
    assert.deepEqual((await t.engine.get(P, 'records', 'a'))?.data, { list: [1] });
  });

  check('[S10] a commit refuses more than 1,000 documents, a bad id and a missing project', async (t) => {
    const many = Array.from({ length: 1001 }, (_, i) => write(`d_${i}`));
    for (const writes of [many, [write('')], [write('x'.repeat(201))], [write('a', {}, { project_id: '' })]]) {
      await assert.rejects(async () => t.engine.commit(writes), RangeError);
    }
    assert.deepEqual(await t.engine.commit([]), []);
    assert.equal((await t.engine.commit(many.slice(1))).length, 1000);
  });

  check('[S11] a conflict stores nothing, emits nothing and reports the current document', async (t) => {
    await t.engine.commit([write('a', { n: 1 })]);
    const changes: Change[] = [];
    t.engine.changes((some) => changes.push(...some));
    const refused = t.engine.commit([write('b'), write('a', { n: 2 }, { expected: 7 })]);
    await assert.rejects(refused, (error) => error instanceof WriteConflict && error.current?.revision === 1);
    assert.equal(await t.engine.get(P, 'records', 'b'), undefined);
    assert.deepEqual((await t.engine.get(P, 'records', 'a'))?.data, { n: 1 });
    assert.deepEqual(changes, []);
  });

  check('[S11] a write sees the earlier writes of its commit', async (t) => {
    const [, second] = await t.engine.commit([
      write('a', { n: 1 }, { expected: 0 }),
      write('a', { n: 2 }, { expected: 1 }),
    ]);
    assert.equal(second?.revision, 2);
    await assert.rejects(t.engine.commit([write('a', {}, { expected: 0 })]), WriteConflict);
  });

  check('[S14] a document of another project is invisible and cannot be overwritten', async (t) => {
    await t.engine.commit([write('a', { secret: 1 }), write('b', {}, { project_id: Q })]);
    assert.equal(await t.engine.get(Q, 'records', 'a'), undefined);
    assert.deepEqual(idsOf(await t.engine.getMany(Q, 'records', ['a', 'b'])), ['b']);
    const refused = t.engine.commit([write('a', {}, { project_id: Q })]);
    await assert.rejects(refused, (error) => error instanceof WriteConflict && error.current === undefined);
  });

  check('[S14] listeners are called once per commit, before its promise resolves', async (t) => {
    const order: string[] = [];
    const stop = t.engine.changes((changes) => order.push(changes.map(({ operation }) => operation).join()));
    await t.engine.commit([write('a'), write('b')]).then(() => order.push('resolved'));
    await t.engine.commit([write('a'), write('b', {}, { deleted: true })]).then(() => order.push('resolved'));
    stop();
    await t.engine.commit([write('c')]);
    assert.deepEqual(order, ['INSERT,INSERT', 'resolved', 'UPDATE,DELETE', 'resolved']);
  });

  check('[S16] the hybrid time never goes back, although the clock does, also after a reopen', async (t) => {
    let last = '';
    for (const step of [0, 0, -86_400_000, 10, 172_800_000, -1]) {
      t.time += step;
      const [stored] = await t.engine.commit([write('a')]);
      assert.ok((stored?.hlc ?? '') > last, `${stored?.hlc} after ${last}`);
      assert.match(stored?.hlc ?? '', new RegExp(`^[0-9a-f]{16}-${t.engine.nodeId}$`));
      last = stored?.hlc ?? '';
      await t.reopen();
    }
  });

  check('[S1] the node id and the incarnation stay the same after a reopen', async (t) => {
    const { nodeId, incarnation } = t.engine;
    assert.equal(incarnation.number, 1);
    await t.reopen();
    assert.deepEqual([t.engine.nodeId, t.engine.incarnation], [nodeId, incarnation]);
  });
}

function deletionTests(check: Check): void {
  check('[S13] readers do not see a tombstone, and a new document continues its revision', async (t) => {
    await t.engine.commit([write('a', { n: 1 })]);
    await t.engine.commit([write('a', {}, { deleted: true })]);
    assert.equal(await t.engine.get(P, 'records', 'a'), undefined);
    assert.deepEqual(await t.engine.getMany(P, 'records', ['a']), []);
    assert.deepEqual(await t.engine.find(P, 'records', { object: 'device', limit: 10 }), []);
    t.time += 1000;
    const [stored] = await t.engine.commit([write('a', { n: 2 }, { expected: 0 })]);
    assert.deepEqual([stored?.revision, stored?.created_at], [3, new Date(t.time).toISOString()]);
  });

  check('[S25] purge removes tombstones that are old enough, and their numbers are not used again', async (t) => {
    await t.engine.commit([write('a'), write('b')]);
    await t.engine.commit([write('a', {}, { deleted: true })]);
    t.time += 10_000;
    await t.engine.commit([write('b', {}, { deleted: true })]);
    assert.equal(await t.engine.purge(5000), true);
    assert.deepEqual(await feedOf(t.engine), [4, [4, 'b', true]]);
    t.time += 10_000;
    assert.equal(await t.engine.purge(5000), true);
    await t.engine.commit([write('c')]);
    assert.deepEqual(await feedOf(t.engine), [5, [5, 'c', false]]);
  });

  check('[S74] erase removes documents without a tombstone and without calling listeners', async (t) => {
    const event = { collection: 'events', object: 'event' } as const;
    await t.engine.commit([write('e1', {}, event), write('e2', {}, event)]);
    const changes: Change[] = [];
    t.engine.changes((some) => changes.push(...some));
    await t.engine.erase('events', ['e1', 'unknown']);
    assert.deepEqual(idsOf(await t.engine.find(P, 'events', { object: 'event', limit: 10 })), ['e2']);
    const { entries } = await t.engine.changeFeed(P, 'events', 0, 10);
    assert.deepEqual([entries.map(({ document }) => document.id), changes], [['e2'], []]);
  });

  check('[S74] erase commits the records of the deletion with it, and deletes nothing if they conflict', async (t) => {
    const event = { collection: 'events', object: 'event' } as const;
    await t.engine.commit([write('e1', {}, event), write('e2', {}, event), write('count', { n: 0 })]);
    const left = async () => idsOf(await t.engine.find(P, 'events', { object: 'event', limit: 10 })).sort();
    const changes: Change[] = [];
    t.engine.changes((some) => changes.push(...some));
    await assert.rejects(t.engine.erase('events', ['e1'], [write('count', { n: 1 }, { expected: 7 })]), WriteConflict);
    assert.deepEqual([await left(), changes], [['e1', 'e2'], []]);
    await t.engine.erase('events', ['e1'], [write('count', { n: 1 }, { expected: 1 })]);
    assert.deepEqual(await left(), ['e2']);
    assert.deepEqual((await t.engine.get(P, 'records', 'count'))?.data, { n: 1 });
    assert.deepEqual(
      changes.map(({ document }) => document.id),
      ['count'],
    );
  });
}

function feedTests(check: Check): void {
  check('[S29] each project numbers its own changes, and a later write takes a new number', async (t) => {
    await t.engine.commit([write('a'), write('x', {}, { project_id: Q }), write('b')]);
    await t.engine.commit([write('a'), write('b', {}, { deleted: true })]);
    assert.deepEqual(await feedOf(t.engine), [4, [3, 'a', false], [4, 'b', true]]);
    assert.deepEqual(await feedOf(t.engine, Q), [1, [1, 'x', false]]);
    assert.deepEqual(await feedOf(t.engine, 'prj_none'), [0]);
    const { entries } = await t.engine.changeFeed(P, 'records', 0, 1);
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      [3],
    );
  });

  check('[S29] the limit of the change feed is 1 to 1,000', async (t) => {
    for (const limit of [0, 1001, 1.5]) {
      await assert.rejects(async () => t.engine.changeFeed(P, 'records', 0, limit), RangeError);
    }
  });

  check('[S29] numbers continue after a reopen', async (t) => {
    await t.engine.commit([write('a')]);
    await t.reopen();
    await t.engine.commit([write('b')]);
    assert.deepEqual(await feedOf(t.engine, P, 1), [2, [2, 'b', false]]);
  });

  check('[S50] after lost commits a new incarnation uses numbers from a new range', async (t) => {
    const [before] = await t.engine.commit([write('a')]);
    const { incarnation } = t.engine;
    await t.reopenAfterLoss();
    assert.equal(t.engine.incarnation.number, incarnation.number + 1);
    assert.notEqual(t.engine.incarnation.token, incarnation.token);
    const [stored] = await t.engine.commit([write('b')]);
    assert.ok((stored?.origin_seq ?? 0) > 2 ** 40);
    assert.ok((stored?.hlc ?? '') > (before?.hlc ?? ''));
    const { entries, head } = await t.engine.changeFeed(P, 'records', 2 ** 40, 10);
    assert.deepEqual([entries.map(({ seq }) => seq), head], [[2 ** 40 + 1], 2 ** 40 + 1]);
  });

  check('[S29] a reader that keeps its last number reaches the current state', async (t) => {
    const step = fc.record({ id: fc.nat(5), deleted: fc.boolean(), read: fc.boolean() });
    let after = 0;
    const known = new Map<string, unknown>();
    const follow = async (): Promise<void> => {
      for (;;) {
        const { entries } = await t.engine.changeFeed(P, 'records', after, 2);
        for (const { seq, deleted, document } of entries) {
          assert.ok(seq > after);
          after = seq;
          if (deleted) known.delete(document.id);
          else known.set(document.id, document.data);
        }
        if (entries.length === 0) return;
      }
    };
    for (const [i, { id, deleted, read }] of fc.sample(step, { numRuns: 60, seed: 7 }).entries()) {
      await t.engine.commit([write(`d_${id}`, { i }, deleted ? { deleted: true } : {})]);
      if (read) await follow();
    }
    await follow();
    const all = await t.engine.find(P, 'records', { object: 'device', limit: 1000 });
    assert.deepEqual(known, new Map(all.map(({ id, data }) => [id, data])));
  });
}

function readTests(check: Check): void {
  check('[S30] a list is ordered by created_at and id, newest first unless asc', async (t) => {
    await t.engine.commit([write('b'), write('a')]);
    t.time += 1;
    const [last] = await t.engine.commit([write('0')]);
    const list = async (more: Partial<FindQuery>) =>
      idsOf(await t.engine.find(P, 'records', { object: 'device', limit: 10, ...more }));
    assert.deepEqual(await list({}), ['0', 'b', 'a']);
    assert.deepEqual(await list({ order: 'asc' }), ['a', 'b', '0']);
    assert.deepEqual(await list({ limit: 1 }), ['0']);
    assert.deepEqual(await list({ after: { created_at: last?.created_at ?? '', id: '0' } }), ['b', 'a']);
  });

  check('[S30] the limit of a list is 1 to 1,000, and getMany keeps the order of the ids', async (t) => {
    for (const limit of [0, 1001, 1.5, -1, Number.NaN]) {
      await assert.rejects(async () => t.engine.find(P, 'records', { object: 'device', limit }), RangeError);
    }
    await t.engine.commit([write('a'), write('b'), write('c')]);
    assert.deepEqual(idsOf(await t.engine.getMany(P, 'records', ['c', 'unknown', 'a'])), ['c', 'a']);
  });

  check('[S32] a list by an indexed field is in ascending order of that field', async (t) => {
    const object = { collection: 'local', object: 'bucket_object' } as const;
    for (const path of ['c', 'ca', 'b', 'bb', 'd']) await t.engine.commit([write(`o_${path}`, { path }, object)]);
    const where = { 'data.path': { gt: 'b', lt: 'd' } };
    const found = await t.engine.find<{ path: string }>(P, 'local', {
      object: 'bucket_object',
      by: 'data.path',
      where,
      limit: 9,
    });
    assert.deepEqual(
      found.map(({ data }) => data.path),
      ['bb', 'c', 'ca'],
    );
    const unbounded = { object: 'bucket_object', by: 'data.path', limit: 9 };
    await assert.rejects(async () => t.engine.find(P, 'local', unbounded), RangeError);
  });

  check('[S175] a text other than some is found in list order, whatever texts the field has', async (t) => {
    const status = async (id: string, is: unknown, object = 'repair_ticket', project_id = P) => {
      t.time += 1;
      await t.engine.commit([write(id, { status: is, equipment_id: 'eq_1' }, { object, project_id })]);
    };
    for (const [id, is] of Object.entries({ a: 'closed', b: 'waiting', c: 'flagged', d: 7, e: null, f: '\u{1f600}' }))
      await status(id, is);
    await status('other', 'parked', 'equipment');
    await status('there', 'sleeping', 'repair_ticket', Q);
    const where = { 'data.status': { otherThan: ['closed', 'fixed', ''] } };
    const found = async (project: string | null, more: Partial<FindQuery> = {}) =>
      idsOf(
        await t.engine.find(project, 'records', { object: 'repair_ticket', where, order: 'asc', limit: 100, ...more }),
      );
    assert.deepEqual(await found(P), ['b', 'c', 'f']);
    assert.deepEqual(await found(null), ['b', 'c', 'f', 'there']);
    assert.deepEqual(await found(P, { where: { ...where, 'data.equipment_id': 'eq_1' } }), ['b', 'c', 'f']);
    assert.deepEqual(await found(P, { where: { ...where, 'data.equipment_id': 'eq_2' } }), []);
    assert.deepEqual(await found(P, { where: { 'data.status': { otherThan: ['waiting', 'flagged'] } }, limit: 1 }), [
      'a',
    ]);
    // With so many texts, the condition filters rows.
    const many = Array.from({ length: 50 }, (_, i) => `x${String(i).padStart(2, '0')}`);
    for (const one of many) await status(one, one);
    assert.deepEqual(await found(P), ['b', 'c', 'f', ...many]);
    assert.deepEqual(await found(null), ['b', 'c', 'f', 'there', ...many]);
  });

  check('[S31] [S175] conditions, live conditions, order and paging agree with a plain filter', async (t) => {
    const scalar = fc.constantFrom<Scalar>(null, 'a', 'b', '\u{1f600}', '\uffff', 1, 2.5);
    const values = fc.record({ unit_number: scalar, kind: scalar, plain: scalar }, { noNullPrototype: true });
    const rows = fc.sample(fc.tuple(values, fc.option(scalar), fc.boolean()), { numRuns: 60, seed: 31 });
    for (const [i, [data, live, other]] of rows.entries()) {
      t.time += i % 3;
      const more = { object: 'equipment', project_id: other ? Q : P };
      const record = write(`m_${(i * 37) % 60}`, data, more);
      const side = write(record.id, { live_status: live }, { ...more, collection: 'live' });
      await t.engine.commit(live === null ? [record] : [record, side]);
    }
    const all = await t.engine.find(null, 'records', { object: 'equipment', limit: 1000 });
    const lives = await t.engine.find(null, 'live', { object: 'equipment', limit: 1000 });
    assert.equal(all.length, 60);
    const condition = fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 3 }),
      fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), scalar).map(([name, bound]) => ({ [name]: bound })),
      fc.subarray(['a', 'b', '\u{1f600}', '\uffff']).map((otherThan) => ({ otherThan })),
    ) as fc.Arbitrary<Condition>;
    const query = fc.record({
      path: fc.constantFrom('unit_number', 'kind', 'plain', 'absent'),
      where: condition,
      live: fc.option(condition, { nil: undefined }),
      order: fc.constantFrom('asc' as const, 'desc' as const),
      limit: fc.integer({ min: 1, max: 20 }),
      project: fc.constantFrom(P, null),
    });
    for (const { path, where, live, order, limit, project } of fc.sample(query, { numRuns: 150, seed: 32 })) {
      const expected = all
        .filter((one) => project === null || one.project_id === project)
        .filter((one) => holds(one.data[path] as Scalar, where))
        .filter(({ id }) => {
          const side = lives.find((one) => one.id === id);
          return live === undefined || (side !== undefined && holds(side.data.live_status as Scalar, live));
        })
        .map(({ id }) => id);
      const asked: FindQuery = {
        object: 'equipment',
        where: { [`data.${path}`]: where },
        ...(live === undefined ? {} : { live: { 'data.live_status': live } }),
        order,
        limit,
      };
      const found = await t.engine.find(project, 'records', asked);
      assert.deepEqual(idsOf(found), (order === 'asc' ? expected.reverse() : expected).slice(0, limit));
    }
  });
}

function holds(value: Scalar | undefined, condition: Condition): boolean {
  const known = value ?? null;
  if (Array.isArray(condition)) return condition.includes(known);
  if (condition === null || typeof condition !== 'object') return known === condition;
  if ('otherThan' in condition) return typeof known === 'string' && !condition.otherThan.includes(known);
  return Object.entries(condition as Record<string, Scalar>).every(([name, bound]) => {
    if (typeof known !== typeof bound || known === null || bound === null) return false;
    if (name === 'gt') return known > bound;
    if (name === 'gte') return known >= bound;
    return name === 'lt' ? known < bound : known <= bound;
  });
}
