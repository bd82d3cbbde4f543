/** A site and head office as processes of their own, which a test connects, cuts and kills. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, createClient } from '#contract/client.ts';
import type { SyncStatus } from '#contract/site/sync.ts';
import { lastingPort, OWNER_KEY } from '#test/support/gateway.ts';
import { createDatabase } from '#test/support/postgres.ts';
import { soon, until } from '#test/support/until.ts';

const CHILD = join(import.meta.dirname, '..', 'support', 'gateway-child.ts');

/** Time between two questions to an end that may be busy for many seconds. */
export const ASK_MS = 50;

/** One end. It keeps its folder and its port when its process is killed and started again. */
export class End implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'headframe-ends-'));
  readonly #settings: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  port = 0;
  mqtt = 0;
  #database: string | undefined;

  constructor(settings: Readonly<Record<string, string>>) {
    this.#settings = settings;
  }

  /** Head office has its documents in a database of this server, if the variable names one. */
  async #newDatabase(): Promise<string> {
    const server = process.env.TEST_POSTGRES;
    if (server === undefined || this.#settings.HEADFRAME_ROLE !== 'cloud') return '';
    return await createDatabase(server);
  }

  async start(more: Readonly<Record<string, string>> = {}): Promise<this> {
    if (this.port === 0) this.port = await lastingPort();
    this.#database ??= await this.#newDatabase();
    if (this.#database !== '') more = { HEADFRAME_DATABASE: this.#database, ...more };
    const env = { ...process.env, ...this.#settings, ...more, HEADFRAME_PORT: String(this.port) };
    const child = spawn(process.execPath, [CHILD, this.folder], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    const lines = createInterface({ input: child.stdout });
    const ready = new Promise<void>((resolve, reject) => {
      lines.once('line', (line) => {
        this.mqtt = Number((JSON.parse(line) as { mqtt: unknown }).mqtt);
        resolve();
      });
      child.once('exit', (code) => reject(new Error(`the process ended with code ${code}`)));
    });
    await soon(ready, 'the ready line of an end');
    return this;
  }

  /** Ends the process as a power cut does. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** The key of the owner. */
  readonly key = OWNER_KEY;

  /** Address of the database in PostgreSQL, if there is one. */
  get database(): string | undefined {
    return this.#database || this.#settings.HEADFRAME_DATABASE;
  }

  /** Number of the process that runs now. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  client(project_id?: string): Client {
    const base_url = `http://127.0.0.1:${this.port}`;
    return createClient({ base_url, key: OWNER_KEY, ...(project_id !== undefined && { project_id }) });
  }

  status(): Promise<SyncStatus> {
    return this.client().call('sync_status', {});
  }

  /** Waits until this site is in step with head office. */
  inStep(): Promise<void> {
    return this.reaches('in_step');
  }

  /** Waits until the link of this site, which has a project, is in this state. A failure names the last status. */
  async reaches(state: SyncStatus['state']): Promise<void> {
    let last = '';
    await until(
      async () => {
        const status = await this.status();
        last = JSON.stringify(status);
        return status.state === state && status.projects.length > 0;
      },
      `the link is ${state}`,
      ASK_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${last}`);
    });
  }

  /** Another computer with a copy of the disk of this one, which must not run now. */
  clone(): End {
    const other = new End(this.#settings);
    cpSync(this.folder, other.folder, { recursive: true });
    return other;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Starts head office and a site with one project, and enrols the site at an address. */
export async function enrol(cloud: End, site: End, cloud_url: string): Promise<string> {
  const { project } = await site.client().call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  const { code } = await cloud.client().call('sync_enrolments_create', { name: 'Quarry North' });
  await site.client().call('sync_link_set', { cloud_url, code });
  return project.id;
}

export interface TwoEnds extends AsyncDisposable {
  readonly cloud: End;
  readonly site: End;
  readonly project: string;
  /** Clients of the project at the site and at head office. */
  readonly here: Client;
  readonly there: Client;
}

/** Starts a site and head office, and waits until they are in step. */
export async function twoEnds(): Promise<TwoEnds> {
  const cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  const site = await new End({}).start();
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  await site.inStep();
  return {
    ...{ cloud, site, project },
    here: site.client(project),
    there: cloud.client(project),
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await cloud[Symbol.asyncDispose]();
    },
  };
}

/** Writes at the site, and then at head office, while neither hears the other, and waits until they are in step again. */
export async function apart(
  { cloud, site }: Pick<TwoEnds, 'cloud' | 'site'>,
  atSite: () => Promise<unknown>,
  atOffice: () => Promise<unknown>,
): Promise<void> {
  await cloud.kill();
  await atSite();
  await site.kill();
  await cloud.start();
  await atOffice();
  await site.start();
  await site.inStep();
}
