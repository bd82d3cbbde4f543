/** Keeps the gateway running in a child process: started again after a crash, left alone after a clean end or a refused start. */
import { type ChildProcess, fork } from 'node:child_process';
import { GATEWAY_ENVIRONMENT, gatewayFlags } from '#host/memory.ts';
import { type Config, inherited } from '#settings/config.ts';

/** What the gateway says once it serves. */
export interface Ready {
  readonly httpPort: number;
  readonly mqttPort: number;
  readonly bucketPort: number;
  /** Null when the gateway has an owner. */
  readonly claim: { readonly code: string; readonly expires_at: string } | null;
}

/** From the supervisor to the gateway. */
export type ToGateway = { readonly start: Config } | { readonly stop: true };
/** From the gateway to the supervisor; `waits` is why it serves nothing but that reason, `refused` is a sentence for people; starting again helps only where the cause may pass. */
export type FromGateway =
  | { readonly ready: Ready }
  | { readonly waits: string }
  | { readonly refused: string; readonly passing: boolean };

/** Exit codes of the command and of the gateway's process. */
export const EXIT = { ok: 0, fault: 1, usage: 2, refused: 3 } as const;

export interface Crash {
  readonly code: number | null;
  readonly signal: string | null;
  readonly restart_in_ms: number;
  /** What it said before it ended; null when it could not. */
  readonly reason: string | null;
}

export interface SupervisorOptions {
  readonly config: Config;
  onReady(ready: Ready): void;
  onCrash(crash: Crash): void;
  /** The gateway has no room to start and waits for it. */
  onWaits?(why: string): void;
  /** The gateway's program; another in tests. */
  readonly entry?: URL;
  /** First and longest wait before a restart, and how long a run must last to count as a good one. */
  readonly backoff?: { readonly first_ms: number; readonly longest_ms: number; readonly good_ms: number };
  /** What a clean stop may take; 4.5 s when absent. */
  readonly stop_ms?: number;
}

export interface Supervisor {
  /** Resolves when there is no gateway any more and none will be started; `message` is a sentence for people. */
  readonly ended: Promise<{ readonly exit: number; readonly message: string | null }>;
  /** Asks the gateway to stop; killed when it takes too long. Harmless twice. */
  stop(): void;
  /** Ends the gateway at once, as a power cut would. */
  kill(): void;
}

/** Crashes before the first readiness after which there is no sense in trying again. */
const HOPELESS = 5;

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
    let refusal: { readonly refused: string; readonly passing: boolean } | undefined;
    const started = fork(entry, [], { execArgv: gatewayFlags(), env: inherited(GATEWAY_ENVIRONMENT) });
    child = started;
    started.on('message', (message: FromGateway) => {
      if ('refused' in message) refusal = message;
      else if ('waits' in message) options.onWaits?.(message.waits);
      else {
        wasReady = true;
        // A restart must be found where the first start was, also when the port was 0.
        config = {
          ...config,
          port: message.ready.httpPort,
          mqttPort: message.ready.mqttPort,
          bucketPort: message.ready.bucketPort,
        };
        options.onReady(message.ready);
      }
    });
    started.on('error', (error) => end({ exit: EXIT.fault, message: `The gateway did not start: ${error.message}` }));
    started.on('exit', (code, signal) => {
      child = undefined;
      if (stopping || code === 0) return end({ exit: EXIT.ok, message: null });
      if (refusal !== undefined && !refusal.passing && !wasReady)
        return end({ exit: EXIT.refused, message: refusal.refused });
      crashes = performance.now() - startedAt >= backoff.good_ms ? 1 : crashes + 1;
      if (!wasReady && refusal === undefined && crashes >= HOPELESS)
        return end({
          exit: EXIT.fault,
          message: `The gateway crashed ${crashes} times before it was ready; giving up.`,
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

/** A child that is gone already has its `exit` event coming; there is nobody else to tell. */
function send(child: ChildProcess, message: ToGateway): void {
  child.send(message, () => {});
}
