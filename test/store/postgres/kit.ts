/** Engines over a PostgreSQL server of the test. */
import { randomBytes } from 'node:crypto';
import { openPostgres, type PostgresEngine } from '#store/postgres/engine.ts';
import type { Subject } from '#test/store/engine-suite.ts';
import { settings } from '#test/store/kit.ts';
import type { PostgresServer } from '#test/support/postgres.ts';

/** Opens an engine on a database with the clock of this computer. */
export const openAt = (url: string): Promise<PostgresEngine> =>
  openPostgres({ url, clock: Date.now, random: (n) => randomBytes(n) });

/** An engine over a new database. `through` changes the address, such as to the one of a proxy. */
export async function openSubject(
  server: PostgresServer,
  through: (url: string) => string = (url) => url,
): Promise<Subject> {
  const options = settings('');
  let url = await server.database();
  const open = (): Promise<PostgresEngine> =>
    openPostgres({ ...options, clock: () => options.time, url: through(url) });
  let engine = await open();
  const close = () => engine[Symbol.asyncDispose]();
  return {
    get engine() {
      return engine;
    },
    get time() {
      return options.time;
    },
    set time(ms) {
      options.time = ms;
    },
    async reopen() {
      await close();
      engine = await open();
    },
    async reopenAfterLoss() {
      await close();
      // A copy of the database is what a backup is: it does not have what was written later.
      const copy = await server.database(url);
      engine = await open();
      await engine.commit([{ project_id: 'prj_a', collection: 'records', id: 'lost', object: 'device', data: {} }]);
      await close();
      url = copy;
      engine = await open();
    },
    [Symbol.asyncDispose]: close,
  };
}
