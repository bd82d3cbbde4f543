/**
 * Calls the listeners of this process for the commits of all processes of the database, each project and collection in the order of its
 * change feed.
 *
 *   own commit: 41, 42      known: 40 -> its changes are emitted
 *                           known: 38 -> 39 and 40 are read from the database and emitted before it
 *   poll, or a notification of another process -> changes after the known number are read and emitted
 *
 * A notification only saves waiting for the next poll. It may be lost, and without LISTEN everything works, only later.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type Change, COLLECTIONS, type CollectionName } from '#contract/base/view.ts';
import type { ChangeFeedEntry } from '#store/base/engine.ts';
import type { Database, Log } from './pool.ts';
import type { ProjectState } from './project-state.ts';
import { DOCUMENT_TABLES, PROJECT, SCHEMA } from './tables.ts';
import type { Committed } from './transactions.ts';
import { fromText } from './values.ts';

const POLL_MS = 1_000;
/** A process that could not ask for this time does not know what the others wrote. */
const CURRENT_MS = 10_000;
/** Notifications of this time are sent as one. */
const NOTIFY_MS = 10;
const CHANNEL = 'headframe';
const PAGE = 500;

export interface PublisherOptions {
  readonly database: Database;
  readonly emit: (changes: readonly Change[]) => void;
  /** Reads changes of a project in a collection after a number. */
  readonly feed: (
    project: string,
    collection: CollectionName,
    after: number,
    limit: number,
  ) => Promise<readonly ChangeFeedEntry[]>;
  readonly log: Log | undefined;
  /** Called with a project that takes part in the replication. */
  readonly joined: (project: string) => void;
}

/** The changes of one call of a shared transaction. */
export type Emission = readonly Change[];

const feedName = (collection: CollectionName): string => DOCUMENT_TABLES[collection].plainName;

export class Publisher implements AsyncDisposable {
  readonly #options: PublisherOptions;
  /** The last emitted number by project and collection. */
  readonly #known = new Map<string, number>();
  /** The version of each row of `projects` that was read. */
  readonly #versions = new Map<string, number>();
  #order: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #notifyTimer: NodeJS.Timeout | undefined;
  #listener: pg.Client | undefined;
  #stopped = false;
  /** True if there are commits of which the other processes were not told. */
  #isNew = false;
  #isHeard = false;
  /** When the last poll that succeeded began. */
  #asked = Number.NEGATIVE_INFINITY;
  /** Tells the notifications of this process from those of others. */
  readonly #token = randomUUID();
  /** Number of changes of other processes that were emitted. */
  foreign = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Begins at the present state of the database. */
  async start(): Promise<void> {
    const asked = performance.now();
    for (const [project, v, state] of await this.#changed()) {
      this.#versions.set(project, v);
      this.#meet(project, state);
      for (const collection of COLLECTIONS) this.#known.set(keyOf(project, collection), headOf(state, collection));
    }
    this.#asked = asked;
    await this.#listen();
    this.#plan();
  }

  /** Returns true if the listeners know all commits of other processes that are older than 10 s. */
  isCurrent(): boolean {
    return performance.now() - this.#asked < CURRENT_MS;
  }

  /**
   * Emits the changes of an own transaction, after all earlier changes of its projects. If those cannot be read now, all of them are emitted
   * by a later poll. The transaction is committed in any case, so this never rejects.
   */
  publish(committed: Committed, emissions: readonly Emission[]): Promise<void> {
    return this.#inOrder(() => this.#publish(committed, emissions)).catch((error: unknown) =>
      this.#warn('the changes of a commit are told to listeners later', error),
    );
  }

  async #publish({ before, after }: Committed, emissions: readonly Emission[]): Promise<void> {
    const stale = new Set<string>();
    const fresh = new Map<string, number>();
    for (const [project, { state }] of before) {
      const now = after.get(project) as ProjectState;
      for (const collection of COLLECTIONS) {
        const [from, to] = [headOf(state, collection), headOf(now, collection)];
        if (to === from) continue;
        const key = keyOf(project, collection);
        if ((this.#known.get(key) ?? 0) >= to) stale.add(key);
        else {
          await this.#catchUp(project, collection, from);
          fresh.set(key, to);
        }
      }
    }
    for (const [key, to] of fresh) this.#known.set(key, to);
    for (const changes of emissions) {
      const some = changes.filter(({ collection, document }) => !stale.has(keyOf(document.project_id, collection)));
      if (some.length > 0) this.#options.emit(some);
    }
    this.#notify();
  }

  /** Reads what other processes wrote, and emits it. */
  poll(): Promise<void> {
    return this.#inOrder(async () => {
      const asked = performance.now();
      for (const [project, v, state] of await this.#changed()) {
        this.#meet(project, state);
        for (const collection of COLLECTIONS) await this.#catchUp(project, collection, headOf(state, collection));
        this.#versions.set(project, v);
      }
      this.#asked = asked;
    });
  }

  /** Returns the first project of which the database has less than this process knows; undefined if there is none. */
  findLoss(): Promise<string | undefined> {
    let lost: string | undefined;
    return this.#inOrder(async () => {
      const sql = `SELECT ${PROJECT}, v, state FROM ${SCHEMA}.projects`;
      const rows = (await this.#options.database.read(sql, [])) as [string, number, string][];
      const stored = new Map(rows.map(([project, v, state]) => [fromText(project), { v, state }]));
      const known = [...this.#versions].find(([project, v]) => (stored.get(project)?.v ?? 0) < v)?.[0];
      lost = known ?? [...stored].find(([project, { state }]) => this.#knowsMore(project, JSON.parse(state)))?.[0];
    }).then(() => lost);
  }

  #knowsMore(project: string, state: ProjectState): boolean {
    return COLLECTIONS.some((one) => (this.#known.get(keyOf(project, one)) ?? 0) > headOf(state, one));
  }

  #meet(project: string, { joined }: ProjectState): void {
    if (joined === true) this.#options.joined(project);
  }

  /** Emits the changes of other processes up to a number. */
  async #catchUp(project: string, collection: CollectionName, to: number): Promise<void> {
    const key = keyOf(project, collection);
    let known = this.#known.get(key) ?? 0;
    // A number that is missing belongs to a document that was written again later.
    while (known < to) {
      const entries = await this.#options.feed(project, collection, known, PAGE);
      const some = entries.filter(({ seq }) => seq <= to);
      if (some.length > 0) this.#options.emit(some.map((entry) => changeOf(collection, entry)));
      this.foreign += some.length;
      known = some.length < PAGE ? to : (some.at(-1)?.seq ?? to);
      this.#known.set(key, known);
    }
  }

  /** Returns the projects whose rows changed since they were read. Most rows did not, so their states are not read. */
  async #changed(): Promise<[project: string, v: number, state: ProjectState][]> {
    const { database } = this.#options;
    const versions = await database.read(`SELECT ${PROJECT}, v FROM ${SCHEMA}.projects`, []);
    const changed = (versions as [string, number][]).flatMap(([project, v]) =>
      this.#versions.get(fromText(project)) === v ? [] : [project],
    );
    if (changed.length === 0) return [];
    const sql = `SELECT ${PROJECT}, v, state FROM ${SCHEMA}.projects WHERE ${PROJECT} = ANY($1)`;
    const rows = await database.read(sql, [changed]);
    return (rows as [string, number, string][]).map(([project, v, state]) => [
      fromText(project),
      v,
      JSON.parse(state) as ProjectState,
    ]);
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#order.then(work);
    this.#order = done.catch(() => {});
    return done;
  }

  #plan(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(async () => {
      await this.poll().catch((error: unknown) => this.#warn('changes of other processes could not be read', error));
      if (this.#listener === undefined) await this.#listen();
      this.#plan();
    }, POLL_MS).unref();
  }

  async #listen(): Promise<void> {
    try {
      const client = await this.#options.database.connect();
      let isOpen = true;
      client.on('end', () => {
        isOpen = false;
        if (this.#listener === client) this.#listener = undefined;
      });
      client.on('notification', ({ payload }) => {
        if (payload !== this.#token) this.#hear();
      });
      await client.query(`LISTEN ${CHANNEL}`);
      if (this.#stopped) await client.end();
      else if (isOpen) this.#listener = client;
    } catch (error) {
      this.#warn('notifications of other processes are not available; changes arrive within a second', error);
    }
  }

  /** Another process committed. Notifications that arrive before the next poll begins need no poll of their own. */
  #hear(): void {
    if (this.#isHeard) return;
    this.#isHeard = true;
    void this.#inOrder(async () => {
      this.#isHeard = false;
    })
      .then(() => this.poll())
      .catch(() => {});
  }

  /** Tells the other processes that this one committed. */
  #notify(): void {
    this.#isNew = true;
    this.#notifyTimer ??= setTimeout(async () => {
      this.#isNew = false;
      await this.#listener?.query(`NOTIFY ${CHANNEL}, '${this.#token}'`).catch(() => {});
      this.#notifyTimer = undefined;
      if (this.#isNew && !this.#stopped) this.#notify();
    }, NOTIFY_MS).unref();
  }

  #warn(message: string, error: unknown): void {
    this.#options.log?.('warn', message, { error: String(error) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#notifyTimer);
    await this.#order;
    await this.#listener?.end().catch(() => {});
  }
}

const keyOf = (project: string, collection: string): string => `${collection} ${project}`;

const headOf = ({ feeds }: ProjectState, collection: CollectionName): number => feeds[feedName(collection)] ?? 0;

/** What a listener learns of a change of another process. */
function changeOf(collection: CollectionName, { deleted, document }: ChangeFeedEntry): Change {
  if (deleted) return { collection, operation: 'DELETE', document };
  return { collection, operation: document.revision === 1 ? 'INSERT' : 'UPDATE', document };
}
