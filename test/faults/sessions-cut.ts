/**
 * Power cuts at every moment in the life of MQTT sessions: each state that the disk may be left in is opened as a broker would, and
 * must hold every promise: what waits, what of QoS 2 was received and what was released, subscriptions, what is retained.
 *
 *   child under strace (opens, promises, closes, opens ...) -> log -> states -> openSessions -> checks -> one more promise -> again
 *
 * `node test/faults/sessions-cut.ts [STATES] [SEED]` prints the count and `N lost, N back, N refused`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SESSION_LIMITS } from '#servers/mqtt/sessions/session-limits.ts';
import { openSessions } from '#servers/mqtt/sessions/sessions.ts';
import { CrashDisk, type Mode, randomFrom, readOperations, STRACE } from './crash-disk.ts';

const STEPS = 45;
const MODES: readonly Mode[] = ['none', 'all', 'some', 'some', 'some'];
const client = { id: 'truck/unit' };

const states = Number(process.argv[2] ?? 2_000);
const random = randomFrom(Number(process.argv[3] ?? 1));

/** Numbers by what was said of them. */
type Promised = ReadonlyMap<string, ReadonlySet<number>>;

const open = (folder: string) =>
  openSessions({
    folder: join(folder, 'mqtt'),
    limits: { ...SESSION_LIMITS, messages: 1_000, subscriptions: 1_000 },
    maySubscribe: () => true,
    onDropped: () => {},
    closeConnection: () => {},
    warn: () => {},
  });

/** What a state lacks, and what is back in it that was gone for good. */
async function judge(folder: string, promised: Promised): Promise<string | undefined> {
  const said = (kind: string): ReadonlySet<number> => promised.get(kind) ?? new Set();
  const sessions = await open(folder);
  const waiting = new Set<number>();
  for (const { payload } of await sessions.outgoingStream(client).toArray())
    waiting.add(Number.parseInt(String(payload), 10));
  // Of one that is released only its number is left, which is that of its packet.
  for (const { cmd, messageId } of await sessions.outgoingStream(client).toArray())
    if (cmd === 'pubrel') waiting.add(messageId ?? 0);
  const subscriptions = new Set((await sessions.subscriptionsByClient(client)).map(({ topic }) => topic));
  const [kept] = await sessions.createRetainedStream('kept').toArray();
  const newest = Math.max(0, ...said('kept'));
  for (const n of said('queued')) if (!waiting.has(n) && !said('clearing').has(n)) return `lost: message ${n}`;
  for (const n of said('received'))
    if (!sessions.isReceived(client, n) && !said('completing').has(n)) return `lost: received ${n}`;
  for (const n of said('completed')) if (sessions.isReceived(client, n)) return `back: received ${n}`;
  for (const n of said('subscribed')) if (!subscriptions.has(`t/${n}`)) return `lost: subscription ${n}`;
  // Three are retained at once; any of them may be the last.
  if (newest > 0 && Number(String(kept?.payload)) < newest - 3)
    return `lost: retained ${newest}, found ${kept?.payload}`;
  await sessions.addSubscriptions(client, [{ topic: 'more', qos: 1 }]);
  const again = await open(folder);
  if (!(await again.subscriptionsByClient(client)).some(({ topic }) => topic === 'more'))
    return 'lost: what came after';
  await again.destroy();
  await sessions.destroy();
  return undefined;
}

// memory where there is some: the states are many and none needs to last
const base = realpathSync(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'headframe-cut-')));
try {
  const run = join(base, 'run');
  mkdirSync(run);
  const child = [join(import.meta.dirname, 'sessions-cut-child.ts'), run, String(STEPS)];
  const { status, stderr } = spawnSync('strace', [...STRACE, '-o', join(base, 'log'), process.execPath, ...child], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the traced sessions ended with ${status}: ${stderr}`);
  const operations = await readOperations(join(base, 'log'), run);
  const disk = new CrashDisk();
  const promised = new Map<string, Set<number>>();
  const failures: string[] = [];
  let done = 0;
  for (const [index, operation] of operations.entries()) {
    if (operation.path === join(run, 'acknowledged')) {
      const [kind = '', n = ''] = operation.kind === 'write' ? String(operation.data).trim().split(' ') : [];
      promised.set(kind, (promised.get(kind) ?? new Set()).add(Number(n)));
    } else disk.apply(operation);
    for (; done < Math.floor((states * (index + 1)) / operations.length); done++) {
      const mode = MODES[done % MODES.length] ?? 'some';
      const folder = mkdtempSync(join(base, 'state-'));
      for (const [path, content] of disk.cut(mode, random)) {
        if (path === join(run, 'acknowledged')) continue;
        const copy = join(folder, path.slice(run.length));
        mkdirSync(dirname(copy), { recursive: true });
        writeFileSync(copy, content);
      }
      const failure = await judge(folder, promised).catch((error: Error) => `refused: ${error.message}`);
      if (failure !== undefined) failures.push(`${failure} (cut ${index}, ${mode})`);
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const count = (kind: string): number => failures.filter((one) => one.startsWith(kind)).length;
  for (const failure of failures.slice(0, 20)) process.stdout.write(`${failure}\n`);
  process.stdout.write(
    `${operations.length} operations, ${states} states: ${count('lost')} lost, ${count('back')} back, ${count('refused')} refused\n`,
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
