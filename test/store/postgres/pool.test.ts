/** The connections to a real PostgreSQL server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPool } from '#store/postgres/pool.ts';
import { noPostgres, startPostgres } from '#test/support/postgres.ts';

test('[S170] the server compiles no statement of a connection, whatever it thinks the statement costs', {
  skip: noPostgres,
}, async () => {
  await using server = await startPostgres();
  const greeted: unknown[] = [];
  const url = await server.database();
  await using database = openPool(url, async (client) => {
    greeted.push((await client.query('SHOW jit')).rows[0]);
  });
  await server.query(url, 'ALTER SYSTEM SET jit_above_cost = 0');
  await server.query(url, 'SELECT pg_reload_conf()');
  const explain = 'EXPLAIN (ANALYZE, FORMAT TEXT) SELECT count(*) FROM generate_series(1, 10)';
  assert.equal((await database.read('SHOW jit', []))[0]?.[0], 'off');
  const ours = (await database.read(explain, [])).flat().join('\n');
  assert.doesNotMatch(ours, /JIT/);
  assert.deepEqual(greeted, [{ jit: 'off' }]);
});
