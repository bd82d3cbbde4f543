/** The rows of a workspace against a real SQLite database: the same statements must give the same rows. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { MemoryRows, type RowChange } from '#store/postgres/memory-rows.ts';
import { parseStatement } from '#store/postgres/statement-parser.ts';
import { runSelect, runWrite } from '#store/postgres/statements.ts';
import { SPECS } from '#store/postgres/tables.ts';
import { rowValue, type Value } from '#store/postgres/values.ts';
import { TABLES } from '#store/sync/tables.ts';

const DOCUMENTS = ['records_0', 'telemetry_0'];
const quoted = (name: string): string => `"${name}"`;
const columnsOf = (name: string): string[] => SPECS.get(name)?.columns.map(({ memory }) => memory) ?? [];
const CREATE = [
  ...TABLES,
  ...DOCUMENTS.flatMap((name) => [
    `CREATE TABLE "${name}" (${columnsOf(name).map((column) => (column === 'id' ? '"id" TEXT NOT NULL UNIQUE' : quoted(column)))})`,
    `CREATE INDEX "${name}:feed" ON "${name}" (".project_id", part_seq)`,
  ]),
];

type Given = 'p' | 'n' | 'text' | 'bytes' | 'key' | 'null';
/** Statements of each form that the code of transactions has, with the kinds of their values. `any`: in any order. */
const FORMS: readonly { sql: string; given: readonly Given[]; any?: true }[] = [
  { sql: 'SELECT node FROM sync_projects WHERE no=?', given: ['n'] },
  { sql: 'SELECT n, chain FROM sync_projects WHERE no=?', given: ['n'] },
  { sql: 'SELECT site FROM sync_projects WHERE no=?', given: ['n'] },
  { sql: 'SELECT work FROM sync_projects WHERE no=?', given: ['n'] },
  { sql: 'SELECT no FROM sync_projects WHERE project=?', given: ['text'] },
  { sql: 'UPDATE sync_projects SET node=? WHERE no=?', given: ['text', 'n'] },
  { sql: 'UPDATE sync_projects SET site=? WHERE no=?', given: ['text', 'n'] },
  { sql: 'UPDATE sync_projects SET work=? WHERE no=?', given: ['text', 'n'] },
  { sql: 'SELECT no, word FROM sync_words', given: [], any: true },
  { sql: 'SELECT no FROM sync_words WHERE word=?', given: ['text'] },
  { sql: 'SELECT word FROM sync_words WHERE no=?', given: ['n'] },
  { sql: 'INSERT INTO sync_words (no, word) VALUES (?, ?)', given: ['n', 'text'] },
  { sql: 'SELECT no FROM sync_words WHERE word=? OR (word>=? AND word<?)', given: ['text', 'text', 'text'], any: true },
  { sql: 'INSERT OR IGNORE INTO sync_words (no, word) VALUES (?, ?)', given: ['n', 'text'] },
  {
    sql: "INSERT OR IGNORE INTO sync_projects (no, project, node, n, chain, site, work) VALUES (?, ?, ?, 0, '', '', ?)",
    given: ['n', 'text', 'text', 'text'],
  },
  { sql: 'UPDATE sync_projects SET n=?, chain=? WHERE no=?', given: ['n', 'text', 'n'] },
  { sql: 'SELECT n, sum FROM sync_held WHERE p=? AND life=?', given: ['p', 'n'] },
  { sql: 'SELECT life, n, sum FROM sync_held WHERE p=?', given: ['p'], any: true },
  {
    sql: 'INSERT INTO sync_held VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET n=excluded.n, sum=excluded.sum',
    given: ['p', 'n', 'n', 'bytes'],
  },
  { sql: 'SELECT n, sum FROM sync_leaves WHERE p=? AND scope=? AND leaf=?', given: ['p', 'n', 'n'] },
  {
    sql: 'SELECT leaf, n, sum FROM sync_leaves WHERE p=? AND scope=? AND leaf>=? ORDER BY leaf',
    given: ['p', 'n', 'n'],
  },
  {
    sql: 'INSERT INTO sync_leaves VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n=excluded.n, sum=excluded.sum',
    given: ['p', 'n', 'n', 'n', 'bytes'],
  },
  { sql: 'DELETE FROM sync_leaves WHERE p=? AND scope=? AND leaf=?', given: ['p', 'n', 'n'] },
  {
    sql: 'INSERT OR REPLACE INTO sync_docs (p, key, life, hlc, state, n, leaf, scope, hash, machine, machine_hash, dead) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    given: ['p', 'text', 'n', 'text', 'text', 'n', 'n', 'n', 'bytes', 'null', 'null', 'n'],
  },
  {
    sql: 'INSERT OR REPLACE INTO sync_docs (p, key, life, hlc, state, n, leaf, scope, hash, machine, machine_hash, dead) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    given: ['p', 'text', 'n', 'text', 'null', 'null', 'n', 'null', 'null', 'n', 'bytes', 'null'],
  },
  // Nothing equals NULL.
  { sql: 'SELECT key FROM sync_docs WHERE p=? AND machine=?', given: ['p', 'null'], any: true },
  {
    sql: 'SELECT life, hlc, state, n, leaf, scope, hash, machine FROM sync_docs WHERE p=? AND key=?',
    given: ['p', 'text'],
  },
  { sql: 'UPDATE sync_docs SET n=? WHERE p=? AND key=?', given: ['n', 'p', 'text'] },
  { sql: 'DELETE FROM sync_docs WHERE p=? AND key=?', given: ['p', 'text'] },
  {
    sql: 'SELECT key FROM sync_docs INDEXED BY sync_docs_scope WHERE p=? AND scope=? AND leaf<?',
    given: ['p', 'n', 'n'],
    any: true,
  },
  {
    sql: 'SELECT key FROM sync_docs INDEXED BY sync_docs_machine WHERE p=? AND machine=?',
    given: ['p', 'n'],
    any: true,
  },
  {
    sql: 'SELECT key, hash FROM sync_docs INDEXED BY sync_docs_scope WHERE p=? AND scope=? AND leaf=?',
    given: ['p', 'n', 'n'],
    any: true,
  },
  {
    sql: 'SELECT key, machine_hash FROM sync_docs INDEXED BY sync_docs_machine WHERE p=? AND machine=? AND leaf=?',
    given: ['p', 'n', 'n'],
    any: true,
  },
  {
    sql: 'SELECT key FROM sync_docs INDEXED BY sync_docs_dead WHERE p=? AND dead=1 AND hlc<? AND key>? ORDER BY key LIMIT ?',
    given: ['p', 'text', 'text', 'n'],
  },
  {
    sql: "DELETE FROM sync_docs WHERE p=? AND key>=? AND key<? AND leaf<? AND state IN ('gone','a')",
    given: ['p', 'text', 'text', 'n'],
  },
  {
    sql: 'INSERT INTO sync_log (p, n, key, chain, life, hlc, lane, giver, members) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    given: ['p', 'n', 'key', 'bytes', 'n', 'text', 'n', 'n', 'text'],
  },
  { sql: 'SELECT 1 FROM sync_log WHERE p=? AND key=? LIMIT 1', given: ['p', 'key'] },
  { sql: 'SELECT n, key FROM sync_log WHERE p=? AND n>? ORDER BY n LIMIT ?', given: ['p', 'n', 'n'] },
  {
    sql: 'SELECT COUNT(*) FROM sync_log INDEXED BY sync_log_lane WHERE p=? AND lane=? AND n>?',
    given: ['p', 'n', 'n'],
  },
  {
    sql: 'SELECT n, key, chain, life, hlc, lane, giver, members FROM sync_log WHERE p=? AND n=?',
    given: ['p', 'n'],
  },
  {
    sql: 'SELECT n, key FROM sync_log INDEXED BY sync_log_lane WHERE p=? AND lane=? AND n>? ORDER BY n LIMIT ?',
    given: ['p', 'n', 'n', 'n'],
  },
  { sql: 'DELETE FROM sync_log WHERE p=? AND n<=?', given: ['p', 'n'] },
  {
    sql: 'INSERT INTO sync_state VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value=excluded.value',
    given: ['p', 'text', 'text', 'text'],
  },
  { sql: 'SELECT value FROM sync_state WHERE p=? AND kind=? ORDER BY rowid', given: ['p', 'text'], any: true },
  { sql: 'SELECT value FROM sync_state WHERE p=? AND kind=? AND name=?', given: ['p', 'text', 'text'] },
  { sql: 'DELETE FROM sync_state WHERE p=? AND kind=? AND name=?', given: ['p', 'text', 'text'] },
  { sql: 'DELETE FROM sync_claims WHERE p=? AND name=?', given: ['p', 'text'] },
  { sql: 'INSERT INTO sync_claims VALUES (?, ?, ?, ?)', given: ['p', 'text', 'text', 'text'] },
  { sql: 'SELECT hlc, id FROM sync_claims WHERE p=? AND name=?', given: ['p', 'text'], any: true },
  {
    sql: 'INSERT INTO "records_0" (id, seq, rev, del, lwt, data, sum, part_seq, ".project_id") VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?)',
    given: ['text', 'n', 'text', 'n', 'text', 'n', 'n', 'text'],
  },
  { sql: 'UPDATE "records_0" SET seq=?, rev=?, ".project_id"=? WHERE id=?', given: ['n', 'text', 'text', 'text'] },
  { sql: 'UPDATE "records_0" SET seq=?, data=? WHERE id=?', given: ['n', 'text', 'text'] },
  { sql: 'DELETE FROM "records_0" WHERE id=?', given: ['text'] },
  { sql: 'SELECT rev, data, sum, NULL FROM "records_0" WHERE id=?', given: ['text'] },
  { sql: 'SELECT ".project_id" FROM "records_0" WHERE id=?', given: ['text'] },
  { sql: 'SELECT rev, del, lwt, ".project_id", ".object" FROM "records_0" WHERE id=?', given: ['text'] },
  // Two rows may have one number here, so the result has only what they have in common.
  {
    sql: `SELECT part_seq, ".project_id", NULL FROM "records_0" INDEXED BY "records_0:feed"
      WHERE ".project_id"=? AND part_seq>? ORDER BY part_seq LIMIT ?`,
    given: ['text', 'n', 'n'],
  },
  {
    sql: 'INSERT INTO "telemetry_0" (id, seq, rev, del, lwt, data, sum, body, part_seq, ".project_id") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    given: ['text', 'n', 'text', 'n', 'n', 'text', 'n', 'bytes', 'n', 'text'],
  },
  {
    sql: 'UPDATE "telemetry_0" SET seq=?, body=?, part_seq=?, del=? WHERE id=?',
    given: ['n', 'bytes', 'n', 'n', 'text'],
  },
  { sql: 'UPDATE "telemetry_0" SET seq=?, body=? WHERE id=?', given: ['n', 'null', 'text'] },
  { sql: 'SELECT rev, data, sum, body FROM "telemetry_0" WHERE id=?', given: ['text'] },
];

const small = fc.integer({ min: 0, max: 3 });
const text = fc.constantFrom('', 'a', 'gone', 'b', 'ä', '\u{10000}', '\uffee', '\ud800', '\ufffd');
const bytes = fc.constantFrom(...[[], [1], [1, 2]].map((list) => new Uint8Array(list)));
const VALUES: Readonly<Record<Given, fc.Arbitrary<Value>>> = {
  ...{ p: fc.constantFrom(1, 2), n: small, text, bytes, null: fc.constant(null) },
  key: fc.oneof(text, bytes),
};

const stepOf = (forms: typeof FORMS) =>
  fc.constantFrom(...forms).chain(({ sql, given, any }) =>
    fc.record({
      sql: fc.constant(sql),
      any: fc.constant(any === true),
      values: fc.tuple(...given.map((kind) => VALUES[kind])),
    }),
  );
const steps = fc
  .constantFrom(...Map.groupBy(FORMS, ({ sql }) => /(?:FROM|INTO|UPDATE) "?(\w+)/.exec(sql)?.[1]).values())
  .map(stepOf)
  .chain((step) => fc.tuple(fc.array(step, { maxLength: 30 }), fc.array(step, { maxLength: 30 })));

const plain = (rows: readonly unknown[]): unknown[] =>
  rows.map((row) =>
    (row as Value[]).map((value) => (value instanceof Uint8Array ? `x${Buffer.from(value).toString('hex')}` : value)),
  );
const sorted = (rows: unknown[]): unknown[] => rows.map((row) => JSON.stringify(row)).sort();

/** Runs a statement on both. Returns their results; a statement that fails gives `failed`. */
function runBoth(database: DatabaseSync, rows: MemoryRows, sql: string, values: readonly Value[]): [unknown, unknown] {
  const attempt = (run: () => unknown): unknown => {
    try {
      return run();
    } catch {
      return 'failed';
    }
  };
  const statement = parseStatement(sql);
  const prepared = database.prepare(sql);
  const given = values.map(rowValue);
  if (statement.kind === 'select') {
    prepared.setReturnArrays(true);
    return [attempt(() => plain(prepared.all(...values))), attempt(() => plain(runSelect(rows, statement, given)))];
  }
  return [attempt(() => prepared.run(...values).changes), attempt(() => runWrite(rows, statement, given))];
}

const TABLES_HERE = [
  'sync_projects',
  'sync_words',
  'sync_docs',
  'sync_held',
  'sync_leaves',
  'sync_log',
  'sync_state',
  'sync_claims',
];

/** All rows of the tables, by table. */
function allRows(rows: MemoryRows): Map<string, unknown[]> {
  const names = [...TABLES_HERE, ...DOCUMENTS];
  return new Map(
    names.map((name) => {
      const sql = `SELECT ${columnsOf(name).map(quoted).join(', ')} FROM ${quoted(name)}`;
      const statement = parseStatement(sql);
      return [name, statement.kind === 'select' ? sorted(plain(runSelect(rows, statement, []))) : []];
    }),
  );
}

/** Returns the rows after these changes, as PostgreSQL has them after a transaction. */
function afterChanges(before: MemoryRows, changes: readonly RowChange[]): MemoryRows {
  for (const { table: name, operation, values } of changes) {
    const table = before.table(name);
    const key = table.keyOf(values.map((value) => value ?? null));
    const old = table.get(key) ?? [];
    if (operation === 'delete') table.set(key, undefined);
    else
      table.set(
        key,
        values.map((value, place) => (value === undefined ? (old[place] ?? null) : value)),
      );
  }
  return before;
}

test('[S180][S182] each statement on the rows of a workspace gives what SQLite gives, and its changes can be undone and repeated', () => {
  fc.assert(
    fc.property(steps, ([first, then]) => {
      using database = new DatabaseSync(':memory:');
      for (const sql of CREATE) database.exec(sql);
      const rows = new MemoryRows();
      const run = (steps: typeof first): void => {
        for (const { sql, any, values } of steps) {
          // Unique texts beside the key are kept by the code of transactions: a word has one number, and a project too.
          const unique = /^INSERT .*INTO sync_(?:words|projects)/.test(sql);
          const text = String(values[1]).toWellFormed();
          const given = unique ? [Number(text.codePointAt(0) ?? 0), ...values.slice(1)] : values;
          const [expected, found] = runBoth(database, rows, sql, given as Value[]);
          if (any && Array.isArray(expected)) assert.deepEqual(sorted(found as unknown[]), sorted(expected), sql);
          else assert.deepEqual(found, typeof expected === 'bigint' ? Number(expected) : expected, sql);
        }
      };
      run(first);
      const before = allRows(rows);
      // What was there at the begin is loaded, and not a change of the transaction.
      const loaded = new MemoryRows();
      afterChanges(loaded, rows.changes());
      const mark = rows.mark();
      run(then);
      const after = allRows(rows);
      const copy = new MemoryRows();
      assert.deepEqual(allRows(afterChanges(copy, rows.changes())), after, 'the changes make the same rows');
      rows.undo(mark);
      assert.deepEqual(allRows(rows), before, 'an undone change leaves nothing');
      assert.deepEqual(allRows(loaded), before);
    }),
    { numRuns: 300 },
  );
});

test('[S180] a row that was loaded is changed with only the values that differ, and a document that moves is another row', () => {
  const rows = new MemoryRows();
  const table = rows.table('records_0');
  const row = (more: Record<string, Value>): Value[] => table.spec.columns.map(({ memory }) => more[memory] ?? null);
  const loaded = row({ id: 'a', seq: 1, rev: '1-x', '.project_id': 'one' });
  table.set(table.keyOf(loaded), loaded);
  const write = (sql: string, ...values: Value[]): number => {
    const statement = parseStatement(sql);
    assert.notEqual(statement.kind, 'select');
    return statement.kind === 'select' ? 0 : runWrite(rows, statement, values);
  };
  const kept = (change: RowChange | undefined): Record<string, Value> =>
    Object.fromEntries(
      table.spec.columns.flatMap(({ memory }, place) => {
        const value = change?.values[place];
        return value === undefined ? [] : [[memory, value]];
      }),
    );
  assert.equal(write('UPDATE "records_0" SET seq=?, rev=? WHERE id=?', 2, '1-x', 'a'), 1);
  assert.deepEqual(kept(rows.changes()[0]), { id: 'a', seq: 2, '.project_id': 'one' });
  write('UPDATE "records_0" SET seq=?, rev=? WHERE id=?', 1, '1-x', 'a');
  assert.deepEqual(rows.changes(), []);
  write('UPDATE "records_0" SET ".project_id"=? WHERE id=?', 'two', 'a');
  assert.deepEqual(
    rows.changes().map(({ operation }) => operation),
    ['delete', 'insert'],
  );
});

test('[S180] a row that is written again keeps its place among the rows of its index', () => {
  const rows = new MemoryRows();
  const table = rows.table('sync_state');
  const row = (name: string, value: string): Value[] => [1, 'kind', name, value];
  const write = (one: Value[]): void => table.set(table.keyOf(one), one);
  const found = (): unknown[] => [...table.where([0, 1], [1, 'kind'])].map(([, [, , name, value]]) => [name, value]);
  for (const name of ['c', 'a', 'b']) write(row(name, 'old'));
  assert.equal(found().length, 3);
  write(row('c', 'new'));
  assert.deepEqual(found(), [
    ['c', 'new'],
    ['a', 'old'],
    ['b', 'old'],
  ]);
  const moved = table.keyOf(row('a', 'old'));
  table.set(moved, [1, 'other', 'a', 'old']);
  assert.deepEqual(found(), [
    ['c', 'new'],
    ['b', 'old'],
  ]);
  table.set(moved, undefined);
  assert.deepEqual(found().length, 2);
});

test('[S180][S185] a statement of another form is refused by name', () => {
  const refused = [
    'SELECT n FROM sync_docs JOIN sync_log',
    'SELECT n FROM sync_docs WHERE key LIKE ?',
    'SELECT n FROM sync_docs WHERE n + 1=?',
    'SELECT max(n) FROM sync_docs',
    'SELECT n FROM other',
    'SELECT other FROM sync_docs',
    'SELECT n FROM sync_docs ORDER BY n DESC',
    'UPDATE sync_docs SET n=n+1 WHERE key=?',
    'INSERT INTO sync_words (no, word) VALUES (?, ?, ?)',
    'INSERT INTO sync_words (no, word) VALUES (?, ?) ON CONFLICT DO NOTHING',
    'SELECT n FROM sync_docs WHERE n=-1',
    'DROP TABLE sync_docs',
    'DELETE FROM sync_docs',
    'UPDATE sync_docs SET n=?',
    'UPDATE sync_docs SET key=? WHERE p=? AND key=?',
    'UPDATE sync_docs SET p=? WHERE p=? AND key=?',
    'UPDATE "records_0" SET id=? WHERE id=?',
    "INSERT INTO sync_state VALUES (?, 'kind', ?, ?) ON CONFLICT DO UPDATE SET value=excluded.value",
    "INSERT OR REPLACE INTO sync_state VALUES (?, 'kind', ?, ?)",
    'INSERT INTO sync_state VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET name=excluded.name',
    'INSERT OR REPLACE INTO sync_docs (p, life) VALUES (?, ?)',
    'INSERT OR REPLACE INTO sync_words (no, word) VALUES (?, ?)',
    'SELECT n FROM sync_docs WHERE p=? AND state IN (?)',
    "DELETE FROM sync_docs WHERE p=? AND state IN ('gone', ?)",
  ];
  for (const sql of refused) assert.throws(() => parseStatement(sql), { message: /cannot run this/ }, sql);
});
