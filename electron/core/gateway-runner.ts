/**
 * Runs `headframe start` in a process of its own and starts it again when it ends by itself. That process is the supervisor of the gateway; it
 * starts the gateway again when only the gateway ends.
 *
 *   desktop app ── IPC channel ──▶ headframe start (supervisor) ── IPC channel ──▶ gateway
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type Ready, type Refused, readEvent } from './gateway-events.ts';

/** How to start `headframe start`. */
export interface GatewayProgram {
  /** The Node.js program that runs the gateway. */
  readonly node: string;
  /** `gateway/bin/headframe.js`. */
  readonly launcher: string;
  /** Folder for compiled code; the folder of the program may be read-only. */
  readonly cache: string;
  /** The file for the log of the gateway. */
  readonly log: string;
}

export type GatewayState =
  | { readonly is: 'starting' }
  | { readonly is: 'running'; readonly ready: Ready }
  /** The gateway has ended by itself and is started again. */
  | { readonly is: 'restarting'; readonly why: string; readonly wait_ms: number }
  /** The disk is too full; the gateway starts by itself when there is space. */
  | { readonly is: 'waiting'; readonly why: string }
  /** Only a person can remove the cause. */
  | { readonly is: 'refused'; readonly why: string; readonly cause: Refused['cause'] }
  | { readonly is: 'stopped' };

export interface GatewayRunner {
  readonly state: GatewayState;
  /** How often the process or the gateway was started again since `start`. */
  readonly restarts: number;
  /** Starts the gateway with these arguments of `headframe start`. If it runs already, stops it first. */
  start(args: readonly string[]): Promise<void>;
  /** Stops the gateway; resolves when its process has ended. */
  stop(): Promise<void>;
}

interface Backoff {
  readonly first_ms: number;
  readonly longest_ms: number;
  /** A run of this length resets the wait. */
  readonly good_ms: number;
}

const BACKOFF: Backoff = { first_ms: 1_000, longest_ms: 30_000, good_ms: 60_000 };
/** Milliseconds after which a process that was asked to stop is killed. The supervisor itself kills a gateway after 4,500 ms. */
const STOP_MS = 10_000;
/** If the process ends this many times and the gateway was never ready, it is not started again. */
const MOST_ENDS = 5;
/**
 * After the process was killed, the earlier gateway may use its ports and its folder for some more moments. So these causes are tried again
 * this many times if the gateway ran before.
 */
const MOST_BUSY = 10;
const BUSY: ReadonlySet<string> = new Set(['EADDRINUSE', 'in_use']);
/** The log is begun anew at a start when it is larger. The gateway's own data has everything that matters for longer. */
const LOG_BYTES = 8 << 20;
const LAST_WORDS = 2_000;

/** Variables that would change what Node.js or Electron does in the process of the gateway. */
const NOT_FOR_GATEWAY = ['NODE_OPTIONS', 'ELECTRON_RUN_AS_NODE', 'NODE_CHANNEL_FD', 'npm_lifecycle_event'];

export function createGatewayRunner(options: {
  readonly program: GatewayProgram;
  readonly onState: (state: GatewayState) => void;
  readonly backoff?: Backoff;
}): GatewayRunner {
  const { program, onState } = options;
  const backoff = options.backoff ?? BACKOFF;
  let state: GatewayState = { is: 'stopped' };
  let args: readonly string[] = [];
  let child: ChildProcess | undefined;
  let log: WriteStream | undefined;
  let timer: NodeJS.Timeout | undefined;
  let restarts = 0;
  let ends = 0;
  let busy = 0;
  let wasReady = false;
  let stopping = false;

  function enter(next: GatewayState): void {
    state = next;
    onState(next);
  }

  function refuse(why: string, code: string): void {
    enter({ is: 'refused', why, cause: { code, port: null } });
  }

  function run(): void {
    const startedAt = performance.now();
    let refused: Refused | undefined;
    let lastWords = '';
    const started = spawn(program.node, [program.launcher, 'start', ...args], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: environment(program),
      windowsHide: true,
    });
    child = started;
    started.on('message', (message) => {
      const event = readEvent(message);
      if (stopping || event === undefined) return;
      if (event.event === 'ready') {
        wasReady = true;
        busy = 0;
        refused = undefined;
        enter({ is: 'running', ready: event });
      } else if (event.event === 'gateway_refused') refused = event;
      else if (event.event === 'gateway_waits') enter({ is: 'waiting', why: event.reason });
      else if (event.event === 'gateway_crashed') {
        restarts++;
        const why = refused?.reason ?? 'The gateway ended by itself.';
        enter({ is: 'restarting', why, wait_ms: event.restart_in_ms });
      }
    });
    started.stdout?.on('data', (chunk: Buffer) => log?.write(chunk));
    started.stderr?.on('data', (chunk: Buffer) => {
      log?.write(chunk);
      lastWords = `${lastWords}${chunk}`.slice(-LAST_WORDS);
    });
    let failed: NodeJS.ErrnoException | undefined;
    const ended = () => {
      if (child !== started) return;
      child = undefined;
      if (stopping) return enter({ is: 'stopped' });
      if (started.pid === undefined) return refuse(String(failed?.message), 'node_missing');
      const inUse = BUSY.has(refused?.cause.code ?? '') && wasReady && ++busy <= MOST_BUSY;
      if (refused !== undefined && !inUse) return enter({ is: 'refused', why: refused.reason, cause: refused.cause });
      ends = performance.now() - startedAt >= backoff.good_ms ? 1 : ends + 1;
      if (!wasReady && ends >= MOST_ENDS) return refuse(lastWords.trim(), 'crashes');
      restarts++;
      const wait_ms = Math.min(backoff.longest_ms, backoff.first_ms * 2 ** (ends - 1));
      const why = refused?.reason ?? 'The process of the gateway ended by itself.';
      enter({ is: 'restarting', why, wait_ms });
      timer = setTimeout(run, wait_ms);
    };
    started.on('error', (error) => {
      failed = error;
      // A program that cannot be started has no `close` event.
      if (started.pid === undefined) ended();
    });
    started.on('close', ended);
  }

  async function stop(): Promise<void> {
    stopping = true;
    clearTimeout(timer);
    const last = child;
    if (last !== undefined) {
      const closed = new Promise<void>((resolve) => last.once('close', () => resolve()));
      last.send('stop', () => {});
      const late = setTimeout(() => last.kill('SIGKILL'), STOP_MS);
      await closed;
      clearTimeout(late);
    } else if (state.is !== 'stopped') enter({ is: 'stopped' });
    log?.end();
  }

  return {
    get state() {
      return state;
    },
    get restarts() {
      return restarts;
    },
    async start(given) {
      await stop();
      args = given;
      [restarts, ends, busy, wasReady, stopping] = [0, 0, 0, false, false];
      log = await openLog(program.log);
      enter({ is: 'starting' });
      run();
    },
    stop,
  };
}

/** Returns the environment of the gateway's process. */
function environment(program: GatewayProgram): NodeJS.ProcessEnv {
  const own: NodeJS.ProcessEnv = { ...process.env, NODE_COMPILE_CACHE: program.cache };
  for (const name of NOT_FOR_GATEWAY) delete own[name];
  return own;
}

/** Opens the log file; begins it anew if it is large. */
async function openLog(path: string): Promise<WriteStream> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  const stream = createWriteStream(path, { flags: size > LOG_BYTES ? 'w' : 'a', mode: 0o600 });
  // On a full disk the gateway still has to run, and it reports the full disk itself.
  stream.on('error', () => {});
  return stream;
}
