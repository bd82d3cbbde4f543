/** Runs the tests of `engine-suite.ts` over PostgreSQL. */
import { after, before, test } from 'node:test';
import { testEngine } from '#test/store/engine-suite.ts';
import { noPostgres, type PostgresServer, startPostgres } from '#test/support/postgres.ts';
import { openSubject } from './kit.ts';

if (noPostgres) test('the storage engine over PostgreSQL', { skip: noPostgres }, () => {});
else {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());
  testEngine('PostgreSQL', () => openSubject(server));
}
