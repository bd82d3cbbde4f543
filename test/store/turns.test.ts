import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { setImmediate as breathe } from 'node:timers/promises';
import { WINDOW } from '#store/sqlite/find.ts';
import { MAX_COST_PER_TURN } from '#store/sqlite/turn-budget.ts';
import { device, temporaryStore } from './kit.ts';

const P = 'prj_a';
/** Three windows and a bit. */
const COUNT = 3 * WINDOW + 100;

let t: Awaited<ReturnType<typeof temporaryStore>>;

before(async () => {
  t = await temporaryStore();
  for (let from = 0; from < COUNT; from += 1000) {
    const size = Math.min(1000, COUNT - from);
    const writes = Array.from({ length: size }, (_, i) => device(`dev_${from + i}`, { n: from + i }));
    // one time for all would leave the id alone to order them
    t.options.time += 1000;
    await t.store.view(P).commit(writes);
  }
});

after(() => t[Symbol.asyncDispose]());

/** What `work` gives, and how many turns of the event loop others had meanwhile. */
async function countTurns<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let done = false;
  const others = (async () => {
    while (!done) {
      await breathe();
      turns++;
    }
  })();
  const result = await work();
  done = true;
  await others;
  return { result, turns };
}

test('[S40] a filter with few matches reads one window in a turn, and returns what one statement would', async () => {
  const view = t.store.view(P);
  const where = { 'data.n': [3, COUNT >> 1, COUNT - 2] };
  const { result, turns } = await countTurns(() => view.find('records', { object: 'device', where, limit: 10 }));
  assert.deepEqual(
    result.map(({ data }) => data.n),
    [COUNT - 2, COUNT >> 1, 3],
  );
  assert.ok(turns >= 3, `${turns} turns`);
  const oldest = await view.find('records', { object: 'device', where, order: 'asc', limit: 2 });
  assert.deepEqual(
    oldest.map(({ data }) => data.n),
    [3, COUNT >> 1],
  );
  const statements = t.store.stats().statements;
  await view.find('records', { object: 'device', where: { 'data.n': { gte: 0 } }, limit: 50 });
  // where the window holds enough: its edge and the rows
  assert.equal(t.store.stats().statements - statements, 2);
});

test('[S40] a long query of RxDB yields every 500 documents, and its result is complete', async () => {
  const { storageInstance } = t.store.database.records;
  const query = t.store.database.records.find({ sort: [{ id: 'desc' }] }).getPreparedQuery();
  const { result, turns } = await countTurns(() => storageInstance.query(query));
  assert.ok(turns >= COUNT / 1000, `${turns} turns`);
  const ids = result.documents.map(({ id }) => id);
  assert.deepEqual(
    ids,
    Array.from({ length: COUNT }, (_, i) => `dev_${i}`)
      .sort()
      .reverse(),
  );
});

test('[S40] a long write of RxDB is split into transactions of 250 rows, with turns between them', async () => {
  const [template] = await t.store.view(P).find('records', { object: 'device', limit: 1 });
  assert.ok(template);
  const before = t.store.stats().commits;
  const rows = Array.from({ length: 1000 }, (_, i) => ({ ...template, object: 'other', id: `oth_${i}` }));
  const { result, turns } = await countTurns(() => t.store.database.records.bulkInsert(rows));
  assert.equal(result.error.length, 0);
  assert.equal(t.store.stats().commits - before, 4);
  assert.ok(turns >= 3, `${turns} turns`);
  const again = await t.store.database.records.bulkInsert(rows);
  assert.equal(again.error.length, 1000);
});

test('[S41] a read in pieces does not block checkpoints: one between two pieces empties the WAL', async () => {
  const { storageInstance } = t.store.database.records;
  const query = t.store.database.records.find({ selector: { object: 'device' } }).getPreparedQuery();
  let done = false;
  const reading = storageInstance.query(query).then((result) => {
    done = true;
    return result;
  });
  using other = new DatabaseSync(`${t.options.folder}/store/headframe.db`, { returnArrays: true });
  await breathe();
  assert.equal(done, false);
  await t.store.view(P).commit([device('dev_0', { n: -1 })]);
  assert.equal(done, false);
  assert.deepEqual(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(), [0, 0, 0]);
  assert.equal((await reading).documents.length, COUNT);
});

test('[S41] a document that stops matching during a read is not returned', async () => {
  const { storageInstance } = t.store.database.records;
  const query = t.store.database.records.find({ selector: { object: 'device' } }).getPreparedQuery();
  const reading = storageInstance.query(query);
  await breathe();
  const last = `dev_${COUNT - 1}`;
  await t.store.view(P).commit([{ ...device(last), deleted: true }]);
  const { documents } = await reading;
  assert.equal(
    documents.some(({ id, _deleted }) => id === last && _deleted),
    false,
  );
});

test('[S41] a document that is erased during a read is not returned', async () => {
  const view = t.store.view(P);
  const ids = Array.from({ length: 4 * MAX_COST_PER_TURN }, (_, i) => `evt_${i}`);
  for (let from = 0; from < ids.length; from += 1000)
    await view.commit(
      ids.slice(from, from + 1000).map((id) => ({ collection: 'events', id, object: 'event', data: {} })),
    );
  const query = t.store.database.events.find({ selector: { object: 'event' } }).getPreparedQuery();
  const reading = t.store.database.events.storageInstance.query(query);
  await breathe();
  await t.store.erase('events', ids.slice(1));
  const { documents } = await reading;
  assert.ok(documents.length > 0 && documents.length < ids.length, `${documents.length} of ${ids.length}`);
});
