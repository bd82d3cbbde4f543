import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fillWithDefaultSettings, type RxDocumentData, type RxJsonSchema } from 'rxdb/plugins/core';
import type { IndexSpec } from '#store/sqlite/columns.ts';
import { createSqliteStorage, type SqliteStorage } from '#store/sqlite/storage.ts';
import { temporaryFolder } from './kit.ts';

interface Note {
  Id: string;
  /** Named like a fixed column, on purpose. */
  data?: string;
  Data?: string;
}

const SCHEMA: RxJsonSchema<RxDocumentData<Note>> = fillWithDefaultSettings<Note>({
  version: 0,
  primaryKey: 'Id',
  type: 'object',
  properties: { Id: { type: 'string', maxLength: 40 }, data: { type: 'string' }, Data: { type: 'string' } },
  required: ['Id'],
  attachments: {},
});

function storageIn(folder: string, indexes: readonly IndexSpec[] = []): SqliteStorage {
  return createSqliteStorage({ file: (name) => `${folder}/${name}.db`, clock: Date.now, indexes: () => indexes });
}

const open = (storage: SqliteStorage, schema = SCHEMA, collectionName = 'notes') =>
  storage.createStorageInstance<Note>({
    databaseInstanceToken: 'token',
    databaseName: 'database',
    collectionName,
    schema,
    options: {},
    multiInstance: false,
    devMode: false,
  });

let height = 0;
const note = (Id: string, fields: Partial<RxDocumentData<Note>> = {}): RxDocumentData<Note> => ({
  Id,
  _deleted: false,
  _attachments: {},
  _rev: `${++height}-x`,
  _meta: { lwt: height },
  ...fields,
});

/** Gives its bytes late, as one from a disk does. */
class SlowBlob extends Blob {
  override async arrayBuffer(): Promise<ArrayBuffer> {
    await wait(20);
    return super.arrayBuffer();
  }
}

test('[S26] an attachment is returned unchanged, and is deleted with its document', async () => {
  using folder = temporaryFolder();
  const instance = await open(storageIn(folder.path));
  const attach = (text: string) => ({
    length: text.length,
    type: 'text/plain',
    digest: `d-${text}`,
    data: new SlowBlob([text], { type: 'text/plain' }),
  });
  const first = note('a', { _attachments: { file: attach('hello') } as never });
  // called at once: the attachment's bytes must not let the second overtake the first
  const [one, two] = await Promise.all([
    instance.bulkWrite([{ document: first }], 'test'),
    instance.bulkWrite([{ document: note('a') }], 'test'),
  ]);
  assert.deepEqual(one.error, []);
  assert.equal(two.error[0]?.status, 409);
  const [stored] = await instance.findDocumentsById(['a'], false);
  assert.ok(stored);
  assert.deepEqual({ ...stored._attachments.file }, { length: 5, type: 'text/plain', digest: 'd-hello' });
  const blob = await instance.getAttachmentData('a', 'file', 'd-hello');
  assert.equal(await blob.text(), 'hello');
  assert.equal(blob.type, 'text/plain');
  await assert.rejects(instance.getAttachmentData('a', 'file', 'd-other'));
  await assert.rejects(instance.getAttachmentData('a', 'other', 'd-hello'));
  const second = note('a', { _attachments: { file: attach('bye') } as never });
  await instance.bulkWrite([{ previous: stored, document: second }], 'test');
  assert.equal(await (await instance.getAttachmentData('a', 'file', 'd-bye')).text(), 'bye');
  const [changed] = await instance.findDocumentsById(['a'], false);
  assert.ok(changed);
  await instance.bulkWrite([{ previous: changed, document: note('a', { _deleted: true }) }], 'test');
  await assert.rejects(instance.getAttachmentData('a', 'file', 'd-bye'));
  await instance.close();
});

test('[S26] calls of one instance take effect in call order', async () => {
  using folder = temporaryFolder();
  const instance = await open(storageIn(folder.path));
  const bulks: string[][] = [];
  instance
    .changeStream()
    .subscribe(({ events }) => bulks.push(events.map(({ operation, documentId }) => operation + documentId)));
  const a = note('a');
  const results = await Promise.all([
    instance.bulkWrite([{ document: a }, { document: note('b') }], 'one'),
    instance.bulkWrite([{ document: note('a') }, { document: note('c') }], 'two'),
    instance.bulkWrite([{ previous: a, document: note('a', { _deleted: true }) }], 'three'),
  ]);
  assert.deepEqual(
    results.map(({ error }) => error.map(({ documentId, status }) => `${documentId} ${status}`)),
    [[], ['a 409'], []],
  );
  assert.deepEqual(bulks, [['INSERTa', 'INSERTb'], ['INSERTc'], ['DELETEa']]);
  await instance.close();
});

test('[S26] fields may have any name, also one of the fixed columns or one that differs by case', async () => {
  using folder = temporaryFolder();
  const specs = [{ name: 'all', paths: ['data', 'Data', '_deleted', '_meta.lwt', 'Id'] }];
  const instance = await open(storageIn(folder.path, specs));
  await instance.bulkWrite([{ document: note('a', { data: 'lower', Data: 'upper' }) }], 'test');
  const find = (selector: object): Promise<{ documents: { Id: string }[] }> =>
    instance.query({
      query: { selector, sort: [{ Id: 'asc' }], skip: 0 },
      queryPlan: undefined,
    } as never);
  assert.equal((await find({ data: { $eq: 'lower' }, Data: { $eq: 'upper' } })).documents.length, 1);
  assert.equal((await find({ data: { $eq: 'upper' } })).documents.length, 0);
  await instance.close();
});

test('[S27] an added index covers the stored documents, and an index that is not wanted any more is dropped', async () => {
  using folder = temporaryFolder();
  let count = 0;
  const indexes = async (specs: readonly IndexSpec[], write: readonly string[]): Promise<string[]> => {
    count += write.length;
    const instance = await open(storageIn(folder.path, specs));
    await instance.bulkWrite(
      write.map((Id) => ({ document: note(Id, { data: `of ${Id}` }) })),
      'test',
    );
    const { connection, table } = instance.internals;
    const found = await connection.read((read) => {
      if (specs.length > 0) {
        const sql = `SELECT count(*) FROM ${table.name} INDEXED BY ${table.index('data')} WHERE del=0 AND ${table.column('data')} LIKE 'of %'`;
        assert.equal(read.get(sql)?.[0], count);
      }
      return read.all("SELECT name FROM sqlite_schema WHERE type='index' AND sql IS NOT NULL ORDER BY name");
    });
    await instance.close();
    return found.map(([name]) => String(name));
  };
  const many = Array.from({ length: 1501 }, (_, i) => `n${i}`);
  const plain = ['notes_0:seq', 'notes_0:tombstones'];
  assert.deepEqual(await indexes([], many), plain);
  assert.deepEqual(await indexes([{ name: 'data', paths: ['data'] }], ['last']), ['notes_0:data', ...plain]);
  assert.deepEqual(await indexes([], ['between']), plain);
  // what was written while nobody kept the column is in it when it comes again
  assert.deepEqual(await indexes([{ name: 'data', paths: ['data'] }], ['again']), ['notes_0:data', ...plain]);
});

test('[S29] changes are numbered for each value of the partBy field, also if no index contains it', async () => {
  using folder = temporaryFolder();
  const file = (name: string) => `${folder.path}/${name}.db`;
  const instance = await open(createSqliteStorage({ file, clock: Date.now, indexes: () => [], partBy: () => 'data' }));
  const written = [note('a', { data: 'x' }), note('b', { data: 'y' }), note('c', { data: 'x' })];
  await instance.bulkWrite(
    written.map((document) => ({ document })),
    'test',
  );
  const { connection, table } = instance.internals;
  const numbered = async (part: string) =>
    (await connection.read((read) => table.feed(read, part, 0, 10))).map(([seq, data]) => [
      seq,
      JSON.parse(String(data)).Id,
    ]);
  assert.deepEqual(await numbered('x'), [
    [1, 'a'],
    [2, 'c'],
  ]);
  assert.deepEqual(await numbered('y'), [[1, 'b']]);
  await instance.close();
});

test('[S28] a closed or removed instance rejects calls, and a removed one leaves no data', async () => {
  using folder = temporaryFolder();
  const storage = storageIn(folder.path);
  const [instance, other] = [await open(storage), await open(storage, SCHEMA, 'others')];
  await instance.bulkWrite([{ document: note('a') }], 'test');
  await instance.remove();
  await assert.rejects(instance.findDocumentsById(['a'], true));
  await assert.rejects(instance.bulkWrite([{ document: note('b') }], 'test'));
  await assert.rejects(instance.remove());
  await instance.close();
  const left = await other.internals.connection.read((read) => [
    ...read.all("SELECT name FROM sqlite_schema WHERE name LIKE '%notes%'"),
    ...read.all("SELECT key FROM rx_meta WHERE key LIKE '%notes%'"),
  ]);
  assert.deepEqual(left, []);
  await other.bulkWrite([{ document: note('a') }], 'test');
  const again = await open(storage);
  assert.deepEqual(await again.findDocumentsById(['a'], true), []);
  await Promise.all([other.close(), again.close()]);
});
