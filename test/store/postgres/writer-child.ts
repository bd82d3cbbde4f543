/** A process that commits to a PostgreSQL database: `node writer-child.ts URL NAME COUNT BATCH PROJECTS`. Prints how long it took. */
import { randomBytes } from 'node:crypto';
import { openPostgres } from '#store/postgres/engine.ts';

const [, , url = '', name = '', count = '0', batch = '1', projects = ''] = process.argv;
const random = (n: number): Uint8Array => randomBytes(n);
await using engine = await openPostgres({ url, clock: Date.now, random });
const names = projects.split(',');
const begin = performance.now();
const commits: Promise<unknown>[] = [];
for (let from = 0; from < Number(count); from += Number(batch)) {
  const project_id = names[(from / Number(batch)) % names.length] as string;
  const writes = Array.from({ length: Math.min(Number(batch), Number(count) - from) }, (_, i) => ({
    ...({ project_id, collection: 'records', object: 'device' } as const),
    id: `${name}_${from + i}`,
    data: { n: from + i },
  }));
  commits.push(engine.commit(writes));
  if (commits.length >= 20) await Promise.all(commits.splice(0));
}
await Promise.all(commits);
process.stdout.write(`${JSON.stringify({ ms: performance.now() - begin, ...engine.stats() })}\n`);
