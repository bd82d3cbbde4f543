/** The identity of the database as this process knows it now. It changes when another server takes the place of the database. */
import type { ClientBase } from 'pg';
import { type Identity, type IdentityOptions, identityAt, openIdentity } from './identity.ts';
import type { Database } from './pool.ts';

export class CurrentIdentity {
  readonly #options: IdentityOptions;
  #database: Database | undefined;
  #now: Identity | undefined;
  /** Called after another server took the place of the database. */
  onMove: () => void = () => {};

  constructor(options: IdentityOptions) {
    this.#options = options;
  }

  /** Reads the identity. Throws `StoreError`. */
  async open(database: Database): Promise<Identity> {
    this.#now = await openIdentity(database, this.#options);
    this.#database = database;
    return this.#now;
  }

  get now(): Identity {
    if (this.#now === undefined) throw new Error('the identity of the database is not known yet');
    return this.#now;
  }

  /** Notes where a connection leads. `isCertain`: another process has begun a new incarnation. */
  async look(client: ClientBase, isCertain = false): Promise<void> {
    if (this.#now === undefined || this.#database === undefined) return;
    const { name } = this.#database;
    const next = await identityAt(client, this.#now, name, this.#options, isCertain);
    if (next === undefined || next.incarnation.token === this.#now.incarnation.token) return;
    this.#now = next;
    const data = { database: name, incarnation: next.incarnation.number };
    this.#options.log?.('warn', 'another server took the place of the database; a new incarnation begins', data);
    this.onMove();
  }
}
