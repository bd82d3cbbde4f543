/** `headframe database-backup` beside a head office on PostgreSQL, with a real `pg_dump`. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabaseStore } from '#store/open-store.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { headframe } from '#test/support/command.ts';
import { noPostgres, programs, startPostgres } from '#test/support/postgres.ts';
import { End, enrol } from './ends.ts';

test('[Y172] a backup of the database counts when its command succeeds, beside a head office that runs', {
  skip: noPostgres,
}, async () => {
  await using server = await startPostgres();
  const database = await server.database();
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud', HEADFRAME_DATABASE: database }).start();
  await using site = await new End({}).start();
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  await site.inStep();
  const { gateway_id = '' } = (await cloud.status()).gateways[0] ?? {};
  using folder = temporaryFolder();
  const backups = async (): Promise<readonly { readonly place: number }[]> => {
    const options = {
      folder: join(folder.path, 'reader'),
      role: 'cloud',
      clock: Date.now,
      random: randomBytes,
    } as const;
    await using store = await openDatabaseStore({ ...options, database });
    return (await store.sync.run(project, (tx) => tx.cloudChannel(gateway_id).backups)) ?? [];
  };
  const run = (command: string) => headframe(['database-backup', command, '--role', 'cloud', '--database', database]);

  const failed = await run('exit 3');
  assert.deepEqual(
    [failed.code, /exit code 3\. This backup does not count/.test(failed.stderr)],
    [1, true],
    failed.stderr,
  );
  assert.deepEqual(await backups(), []);
  const file = join(folder.path, 'dump');
  const dump = `${join(programs() ?? '', 'pg_dump')} --format=custom --file=${file} ${database}`;
  for (const count of [1, 2]) {
    const made = await run(dump);
    assert.match(made.stdout.toString(), /The backup counts for 1 of 1 projects/, made.stderr);
    assert.equal(made.code, 0);
    assert.equal((await backups()).length, count);
  }
  assert.ok(statSync(file).size > 1_000);
  assert.ok((await backups()).every(({ place }) => place > 0));
  const onFile = await headframe(['database-backup', 'true', '--role', 'cloud']);
  assert.deepEqual([onFile.code, /for a head office on PostgreSQL/.test(onFile.stderr)], [2, true], onFile.stderr);
});
