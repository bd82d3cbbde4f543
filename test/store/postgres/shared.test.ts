/** Calls of several projects that share a transaction. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AuditLink } from '#contract/base/audit-entry.ts';
import { WriteConflict } from '#contract/base/view.ts';
import { noPostgres, type PostgresServer, startPostgres } from '#test/support/postgres.ts';
import { openAt } from './kit.ts';

const PROJECTS = Array.from({ length: 40 }, (_, i) => `prj_${i}`);

let server: PostgresServer;

const record = (project_id: string, id: string, data: object = {}, expected?: number) => ({
  ...{ project_id, collection: 'records' as const, id, object: 'device', data: { ...data } },
  ...(expected !== undefined && { expected }),
});

if (noPostgres) test('calls of several projects share a transaction', { skip: noPostgres }, () => {});
else {
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test('[S120] calls of 40 projects that wait at the same time need few transactions, and each project has its own numbers', async () => {
    await using engine = await openAt(await server.database());
    const heard: string[] = [];
    engine.changes((changes) => heard.push(...changes.map(({ document }) => document.id)));
    const all = PROJECTS.flatMap((project) => [0, 1, 2].map((n) => record(project, `${project}_${n}`, { n })));
    const stored = await Promise.all(all.map((one) => engine.commit([one])));
    assert.deepEqual(
      stored.map(([document]) => [document?.id, document?.project_id]),
      all.map(({ id, project_id }) => [id, project_id]),
    );
    const { commits } = engine.stats();
    assert.ok(commits < 30, `${commits} transactions`);
    for (const project of PROJECTS) {
      const { entries, head } = await engine.changeFeed(project, 'records', 0, 100);
      assert.deepEqual([entries.map(({ seq }) => seq), head], [[1, 2, 3], 3]);
      assert.deepEqual(
        entries.map(({ document }) => document.id),
        [0, 1, 2].map((n) => `${project}_${n}`),
      );
    }
    assert.deepEqual(heard.toSorted(), all.map(({ id }) => id).toSorted());
  });

  test('[S120] a call that fails changes nothing for the others, and an id that another project has is refused in any transaction', async () => {
    await using engine = await openAt(await server.database());
    await engine.commit([record('prj_other', 'taken')]);
    const calls = PROJECTS.map((project, i) =>
      engine
        .commit(
          i % 3 === 0
            ? [record(project, `half_${i}`), record(project, 'absent', {}, 7)]
            : i % 3 === 1
              ? [record(project, 'taken')]
              : [record(project, `good_${i}`)],
        )
        .then(
          () => 'stored',
          (error: unknown) => (error instanceof WriteConflict ? 'conflict' : String(error)),
        ),
    );
    const ends = await Promise.all(calls);
    for (const [i, end] of ends.entries()) {
      const project = PROJECTS[i] as string;
      if (i % 3 === 2) assert.equal(end, 'stored');
      else assert.notEqual(end, 'stored', project);
      const ids = [`half_${i}`, 'taken', `good_${i}`];
      const here = (await engine.getMany(project, 'records', ids)).map(({ id }) => id);
      assert.deepEqual(here, i % 3 === 2 ? [`good_${i}`] : [], project);
    }
  });

  test('[S120] entries of the audit log of many projects at the same time make one chain', async () => {
    await using engine = await openAt(await server.database());
    const stored = await Promise.all(
      PROJECTS.map((project, i) =>
        engine.commit([
          record(project, `m_${i}`),
          {
            project_id: project,
            collection: 'events',
            id: `aud_${i}`,
            object: 'audit',
            data: { type: 'created', n: i },
          },
        ]),
      ),
    );
    const links = stored.flatMap((documents) =>
      documents.flatMap(({ data }) => ('chain' in data ? [data.chain as AuditLink] : [])),
    );
    links.sort((a, b) => a.number - b.number);
    assert.equal(links.length, PROJECTS.length);
    for (const [i, link] of links.entries()) {
      const before = links[i - 1];
      if (before !== undefined) assert.deepEqual([link.number, link.previous], [before.number + 1, before.hash]);
    }
  });
}
