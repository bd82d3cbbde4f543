/**
 * The lease of the background work in PostgreSQL: one row, which one process at a time holds.
 *
 *   holder    every 2 s: beats + 1 where token and holder are its own -> it holds the lease for 8 s, counted from before it asked
 *   others    every 2 s: read token and beats. The same for 10 s by the own clock: token + 1, if both are still the same
 *   a commit  of the background work changes the row, too, if token and holder are its own. Otherwise it fails with `lease_lost`
 *
 * Only the time that passes in one process counts, so clocks may differ. A process that was stopped and goes on cannot write, because
 * its commits fail since another process has the lease.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client, ClientBase } from 'pg';
import { StoreError } from '#contract/base/store-error.ts';
import type { Fence, Lease } from '#store/base/lease.ts';
import type { Database, Log } from './pool.ts';
import { BACKGROUND, SCHEMA } from './tables.ts';

const BEAT_MS = 2_000;
/** A holder that the database did not confirm for this time does nothing outside of the database. It is shorter than `LAPSE_MS`. */
const HELD_MS = 8_000;
/** A lease whose holder did nothing for this time is taken over. */
const LAPSE_MS = 10_000;
/** The answer to a statement of the lease is of no use later. */
const SOON = { query_timeout: 5_000 };

const HOLD = `UPDATE ${SCHEMA}.leases SET beats=beats+1 WHERE name='${BACKGROUND}' AND token=$1 AND holder=$2`;
const TAKE = `UPDATE ${SCHEMA}.leases SET token=token+1, beats=beats+1, holder=$1 WHERE name='${BACKGROUND}' AND token=$2 AND beats=$3`;
const GIVE_BACK = `UPDATE ${SCHEMA}.leases SET beats=beats+1, holder='' WHERE name='${BACKGROUND}' AND token=$1 AND holder=$2`;

/** Throws `lease_lost` if another process has the lease. Otherwise it keeps the lease until the end of the transaction. */
export async function checkFence(client: ClientBase, { token, holder }: Fence, name: string): Promise<void> {
  if ((await client.query(HOLD, [token, holder])).rowCount !== 1) throw new StoreError('lease_lost', name);
}

/** What this process saw of a lease that another one holds. */
interface Seen {
  readonly token: number;
  readonly beats: number;
  readonly at_ms: number;
}

/** Work that runs while the lease is held. */
interface Work {
  readonly start: () => Promise<AsyncDisposable>;
  running: AsyncDisposable | undefined;
  /** True while its start or end waits for its turn. */
  isWaiting: boolean;
}

export class PostgresLease implements Lease, AsyncDisposable {
  readonly #database: Database;
  readonly #log: Log | undefined;
  readonly #holder = randomUUID();
  readonly #stopping = new AbortController();
  readonly #works = new Set<Work>();
  #client: Client | undefined;
  #token: number | undefined;
  #confirmed = Number.NEGATIVE_INFINITY;
  #seen: Seen | undefined;
  #looping: Promise<void> = Promise.resolve();
  /** Starts and ends of works, one after another. */
  #order: Promise<void> = Promise.resolve();

  constructor(database: Database, log: Log | undefined) {
    this.#database = database;
    this.#log = log;
  }

  /** Takes the lease if nobody holds it, and keeps asking for it. */
  async start(): Promise<void> {
    await this.#beat();
    this.#looping = this.#loop();
  }

  isHeld(): boolean {
    return this.#token !== undefined && performance.now() - this.#confirmed < HELD_MS;
  }

  /** Returns the proof for a commit. Throws `lease_lost` if this process does not hold the lease. */
  fence(): Fence {
    if (this.#token === undefined) throw new StoreError('lease_lost', this.#database.name);
    return { token: this.#token, holder: this.#holder };
  }

  async whileHeld(start: () => Promise<AsyncDisposable>): Promise<AsyncDisposable> {
    const work: Work = { start, running: undefined, isWaiting: false };
    this.#works.add(work);
    await this.#inOrder(() => this.#follow(work));
    return {
      [Symbol.asyncDispose]: () => {
        this.#works.delete(work);
        return this.#inOrder(() => this.#end(work));
      },
    };
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await wait(BEAT_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await this.#beat();
    }
  }

  /** Asks the database once, and starts or ends the works if the lease has changed. */
  async #beat(): Promise<void> {
    const before = this.#token;
    try {
      this.#client ??= await this.#connect();
      await (this.#token === undefined ? this.#ask(this.#client) : this.#hold(this.#client, this.#token));
    } catch (error) {
      this.#log?.('warn', 'the lease of the background work could not be read', { error: String(error) });
      void this.#client?.end().catch(() => {});
      this.#client = undefined;
    }
    const isOurs = this.#token !== undefined;
    if (this.#token !== before)
      this.#log?.('info', isOurs ? BEGINS : ENDS, { database: this.#database.name, token: this.#token ?? before });
    // A work that could not start is tried again.
    for (const work of this.#works) if ((work.running !== undefined) !== isOurs) this.#plan(work);
  }

  #plan(work: Work): void {
    if (work.isWaiting) return;
    work.isWaiting = true;
    this.#inOrder(() => {
      work.isWaiting = false;
      return this.#follow(work);
    }).catch(() => {});
  }

  async #connect(): Promise<Client> {
    const client = await this.#database.connect();
    client.on('end', () => {
      if (this.#client === client) this.#client = undefined;
    });
    return client;
  }

  async #hold(client: ClientBase, token: number): Promise<void> {
    const asked = performance.now();
    const { rowCount } = await client.query({ text: HOLD, values: [token, this.#holder], ...SOON });
    if (rowCount === 1) this.#confirmed = asked;
    else this.#token = undefined;
  }

  async #ask(client: ClientBase): Promise<void> {
    const text = `SELECT token, beats, holder FROM ${SCHEMA}.leases WHERE name='${BACKGROUND}'`;
    const { rows } = await client.query({ text, ...SOON });
    const [row] = rows as { token: number; beats: number; holder: string }[];
    if (row === undefined) return;
    const { token, beats, holder } = row;
    const now = performance.now();
    // The answer to the statement that took the lease was lost.
    if (holder === this.#holder) {
      this.#token = token;
      return;
    }
    if (this.#seen?.token !== token || this.#seen.beats !== beats) this.#seen = { token, beats, at_ms: now };
    if (holder !== '' && now - this.#seen.at_ms < LAPSE_MS) return;
    const values = [this.#holder, token, beats];
    const taken = await client.query({ text: TAKE, values, ...SOON });
    this.#seen = undefined;
    if (taken.rowCount !== 1) return;
    this.#token = token + 1;
    this.#confirmed = now;
  }

  /** Starts or ends a work, as the lease says. */
  async #follow(work: Work): Promise<void> {
    if (this.#token === undefined || !this.#works.has(work)) return this.#end(work);
    work.running ??= await work.start();
  }

  async #end(work: Work): Promise<void> {
    const { running } = work;
    work.running = undefined;
    await running?.[Symbol.asyncDispose]();
  }

  #inOrder(run: () => Promise<void>): Promise<void> {
    const done = this.#order.then(run);
    this.#order = done.catch((error: unknown) => {
      if (!(error instanceof StoreError && error.code === 'lease_lost'))
        this.#log?.('error', 'background work could not start or end', { error: String(error) });
    });
    return done;
  }

  /** Gives the lease back, so that another process takes it at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#looping;
    await this.#order;
    const values = [this.#token, this.#holder];
    if (this.#token !== undefined) await this.#client?.query({ text: GIVE_BACK, values, ...SOON }).catch(() => {});
    this.#token = undefined;
    await this.#client?.end().catch(() => {});
  }
}

const BEGINS = 'this process does the background work';
const ENDS = 'another process does the background work';
