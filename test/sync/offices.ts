/** Two processes of head office with one PostgreSQL database, behind a load balancer. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Balancer, startBalancer } from '#test/support/balancer.ts';
import type { PostgresServer } from '#test/support/postgres.ts';
import { End } from './ends.ts';

export interface TwoOffices extends AsyncDisposable {
  readonly one: End;
  readonly other: End;
  readonly balancer: Balancer;
}

/** Starts two processes with one database. The second one has the key file of the first, as docs/scale.md says. */
export async function startOffices(
  server: PostgresServer,
  more: Readonly<Record<string, string>> = {},
): Promise<TwoOffices> {
  const settings = { HEADFRAME_ROLE: 'cloud', HEADFRAME_DATABASE: await server.database(), ...more };
  await using opened = new AsyncDisposableStack();
  const one = opened.use(await new End(settings).start());
  const other = opened.use(new End(settings));
  copyFileSync(join(one.folder, 'secret.key'), join(other.folder, 'secret.key'));
  await other.start();
  const balancer = opened.use(await startBalancer([one.port, other.port]));
  const ends = opened.move();
  return { one, other, balancer, [Symbol.asyncDispose]: () => ends.disposeAsync() };
}
