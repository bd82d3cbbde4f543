/**
 * Runs the gateway in a child process. Starts it again after a crash. Does not start it again after a clean end, or after a start that
 * failed for a reason that a person must remove, such as a port in use.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { GATEWAY_ENVIRONMENT, gatewayFlags } from '#host/memory.ts';
import { type Config, inherited } from '#settings/config.ts';
import type { StartCause } from './start-errors.ts';

/** What the gateway reports when it is ready for requests. */
export interface Ready {
  readonly httpPort: number;
  readonly mqttPort: number;
  readonly bucketPort: number;
  readonly httpsPort: number;
  readonly mqttsPort: number;
  readonly bucketTlsPort: number;
  /** The listeners that other computers can use with TLS only: `http`, `mqtt`, `bucket`. */
  readonly encryptedOnly: readonly string[];
  /** Address of the head office to which this site sends its data; null if there is none. */
  readonly headOffice: string | null;
  /** Null when the gateway has an owner. */
  readonly claim: { readonly code: string; readonly expires_at: string } | null;
}

/** A message from the supervisor to the gateway process. */
export type ToGateway = { readonly start: Config } | { readonly stop: true };
/**
 * A message from the gateway process to the supervisor. `names`: the gateway announces these names in the local network. `waits`: the disk is too full for a start, and the process only shows this reason
 * on a page. `refused`: the start failed for this reason; `passing` is true if a later start may succeed. Both reasons are texts for
 * people.
 */
export type FromGateway =
  | { readonly ready: Ready }
  | { readonly names: readonly string[] }
  | { readonly waits: string }
  | Refusal;

/** Why a start failed. `passing` is true if a later start may succeed. */
export interface Refusal {
  /** A text for people. */
  readonly refused: string;
  readonly passing: boolean;
  readonly cause: StartCause;
}

/** Exit codes of the command and of the gateway's process. `again`: the process asks for a new start, which is no crash. */
export const EXIT = { ok: 0, fault: 1, usage: 2, refused: 3, again: 4 } as const;

export interface Crash {
  readonly code: number | null;
  readonly signal: string | null;
  readonly restart_in_ms: number;
  /** The reason that the process sent before it ended; null if it sent none. */
  readonly reason: string | null;
}

export interface SupervisorOptions {
  readonly config: Config;
  onReady(ready: Ready): void;
  onCrash(crash: Crash): void;
  /** Called with the names that the gateway announces in the local network, after each change. */
  onNames?(names: readonly string[]): void;
  /** Called when the disk is too full for a start and the gateway waits for space. */
  onWaits?(why: string): void;
  /** Called when a start failed for a known reason. */
  onRefused?(refusal: Refusal): void;
  /** The program of the child process; tests replace it. */
  readonly entry?: URL;
  /**
   * The wait before a restart, in milliseconds. It doubles after each crash, from `first_ms` up to `longest_ms`. A run of at least
   * `good_ms` resets the wait to `first_ms`.
   */
  readonly backoff?: { readonly first_ms: number; readonly longest_ms: number; readonly good_ms: number };
  /** Milliseconds after which a gateway that was asked to stop is killed; default 4,500. */
  readonly stop_ms?: number;
}

export interface Supervisor {
  /** Resolves when the gateway has ended and the supervisor will not start it again. The result is the exit code and a text for people. */
  readonly ended: Promise<{ readonly exit: number; readonly message: string | null }>;
  /** Asks the gateway to stop, and kills it after `stop_ms`. A second call does nothing. */
  stop(): void;
  /** Kills the gateway at once with SIGKILL, as in a power cut. */
  kill(): void;
}

/** If the gateway crashes this many times and was never ready, the supervisor does not start it again. */
const MOST_CRASHES = 5;

/** Starts the gateway and watches it. */
export function supervise(options: SupervisorOptions): Supervisor {
  const backoff = options.backoff ?? { first_ms: 1_000, longest_ms: 30_000, good_ms: 60_000 };
  const entry = options.entry ?? new URL('./gateway-process.ts', import.meta.url);
  const { promise: ended, resolve: end } = Promise.withResolvers<{ exit: number; message: string | null }>();
  let config = options.config;
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let wasReady = false;
  let crashes = 0;

  function run(): void {
    const startedAt = performance.now();
    let refusal: Refusal | undefined;
    const started = fork(entry, [], { execArgv: gatewayFlags(config.role), env: inherited(GATEWAY_ENVIRONMENT) });
    child = started;
    started.on('message', (message: FromGateway) => {
      if ('refused' in message) {
        refusal = message;
        options.onRefused?.(message);
      } else if ('waits' in message) options.onWaits?.(message.waits);
      else if ('names' in message) options.onNames?.(message.names);
      else {
        wasReady = true;
        // Port 0 means any free port. A restart uses the ports of the first start, so that clients find it again.
        const { claim: _, httpPort: port, ...ports } = message.ready;
        config = { ...config, port, ...ports };
        options.onReady(message.ready);
      }
    });
    started.on('error', (error) => end({ exit: EXIT.fault, message: `The gateway did not start: ${error.message}` }));
    started.on('exit', (code, signal) => {
      child = undefined;
      if (stopping || code === 0) return end({ exit: EXIT.ok, message: null });
      if (code === EXIT.again) return run();
      if (refusal !== undefined && !refusal.passing && !wasReady)
        return end({ exit: EXIT.refused, message: refusal.refused });
      crashes = performance.now() - startedAt >= backoff.good_ms ? 1 : crashes + 1;
      if (!wasReady && refusal === undefined && crashes >= MOST_CRASHES)
        return end({
          exit: EXIT.fault,
          message: `The gateway crashed ${crashes} times before it was ready. It is not started again; the log has the errors.`,
        });
      const restart_in_ms = Math.min(backoff.longest_ms, backoff.first_ms * 2 ** (crashes - 1));
      options.onCrash({ code, signal, restart_in_ms, reason: refusal?.refused ?? null });
      timer = setTimeout(run, restart_in_ms);
    });
    send(started, { start: config });
  }

  run();
  return {
    ended,
    stop() {
      if (stopping) return;
      stopping = true;
      clearTimeout(timer);
      if (child === undefined) end({ exit: EXIT.ok, message: null });
      else {
        send(child, { stop: true });
        setTimeout(() => child?.kill('SIGKILL'), options.stop_ms ?? 4_500).unref();
      }
    },
    kill() {
      stopping = true;
      clearTimeout(timer);
      child?.kill('SIGKILL');
    },
  };
}

/** Sends a message. Ignores an error, because it means that the child has ended, and the `exit` event handles that. */
function send(child: ChildProcess, message: ToGateway): void {
  child.send(message, () => {});
}
