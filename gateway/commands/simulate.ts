/**
 * `headframe simulate`: simulates a site from a seed, as a log or over MQTT into the running gateway. At the end it prints the true
 * values of the machines.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { table } from '#commands/inspection/text-table.ts';
import { ClientError } from '#contract/client.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { fleetOf } from '#simulator/fleet.ts';
import type { LoggerClock } from '#simulator/logger.ts';
import { createSimulation, type Simulation } from '#simulator/simulation.ts';
import { createSite } from '#simulator/site.ts';
import { CommandError } from './command-line.ts';
import { type SinkFormat, sinkFormat } from './frame-sink.ts';
import { openFileSink, openGatewaySink, type Sink } from './simulate-sinks.ts';

/** The arguments of `headframe simulate`, as text. */
export interface SimulateArgs {
  readonly seed?: string | undefined;
  readonly speed?: string | undefined;
  readonly machines?: string | undefined;
  readonly for?: string | undefined;
  readonly start?: string | undefined;
  readonly out?: string | undefined;
  readonly to?: string | undefined;
  readonly json?: boolean | undefined;
}

const STEP_MS = 1_000;
const PROGRESS_MS = 1_000;
const LONGEST_MS = 31 * 86_400_000;
/** Default start of a simulated log: a Monday, half an hour after the day shift begins. It is fixed, so that a seed gives equal files. */
const FILE_STARTS_MS = Date.UTC(2026, 5, 1, 6, 30);
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

interface Plan {
  readonly seed: number;
  readonly speed: number;
  readonly machines: number;
  readonly length_ms: number;
  readonly start_ms: number;
  /** The format of the log; absent when the output is the gateway. */
  readonly format: SinkFormat;
}

/** Runs the simulation; resolves to the exit code, which is `EXIT.fault` when a message was not accepted. */
export async function runSimulate(config: Config, args: SimulateArgs): Promise<number> {
  const plan = planOf(args, Date.now());
  const { seed, start_ms } = plan;
  const simulation = createSimulation(createSite({ seed, start_ms, roster: fleetOf(seed, plan.machines) }), seed);
  const { roster } = simulation.site;
  const sink =
    args.out === undefined
      ? await openGatewaySink(config, roster, seed)
      : await openFileSink(plan.format, args.out, start_ms);
  const out = args.out === '-' ? process.stderr : process.stdout;
  const progress = out.isTTY === true && args.json !== true;

  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const started = performance.now();
  try {
    await live(simulation, plan, sink, stop.signal, progress ? (text) => out.write(text) : undefined);
    await sink.end();
  } catch (cause) {
    if (cause instanceof CommandError || cause instanceof ClientError) throw cause;
    throw new CommandError(`The simulation ended: ${(cause as Error).message}.`, EXIT.fault, { cause });
  } finally {
    await sink[Symbol.asyncDispose]();
  }
  const seconds = (performance.now() - started) / 1000;
  out.write(
    args.json
      ? `${JSON.stringify(report(simulation, plan, sink, seconds))}\n`
      : summary(simulation, plan, sink, seconds),
  );
  return sink.taken === sink.messages ? EXIT.ok : EXIT.fault;
}

/** Advances the simulated site second by second at the given speed, but waits while too many messages are unacknowledged. */
async function live(
  simulation: Simulation,
  { start_ms, length_ms, speed }: Plan,
  sink: Sink,
  stop: AbortSignal,
  tell?: (text: string) => void,
): Promise<void> {
  const { site } = simulation;
  const began = performance.now();
  let shown = began;
  const end_ms = start_ms + length_ms;
  while (site.now_ms < end_ms && !stop.aborted && !sink.closed) {
    simulation.advance(Math.min(site.now_ms + STEP_MS, end_ms), sink.send);
    await sink.room();
    const wait = speed === 0 ? 0 : began + (site.now_ms - start_ms) / speed - performance.now();
    if (wait > 0) await sleep(wait, undefined, { signal: stop }).catch(() => {});
    if (tell === undefined || performance.now() - shown < PROGRESS_MS) continue;
    shown = performance.now();
    tell(`\r${new Date(site.now_ms).toISOString().slice(0, 19)} ${site.shift.name} shift, ${sink.messages} messages `);
  }
  simulation.finish(sink.send);
  tell?.('\r\u001b[K');
}

function planOf(args: SimulateArgs, now_ms: number): Plan {
  const refuse = (why: string): never => {
    throw new CommandError(why, EXIT.usage);
  };
  const number = (
    flag: string,
    text: string | undefined,
    fallback: number,
    [least, most]: readonly [number, number],
  ) => {
    const value = Number(text ?? fallback);
    if (!(Number.isInteger(value) && value >= least && value <= most))
      refuse(`--${flag} must be a whole number from ${least} to ${most}.`);
    return value;
  };
  const seed = number('seed', args.seed, 1, [0, 999_999]);
  const machines = number('machines', args.machines, 6, [1, 200]);
  const speed = Number(args.speed ?? (args.out === undefined ? 1 : 0));
  if (!(speed >= 0 && speed <= 100_000)) refuse('--speed must be a number from 0 (as fast as acknowledged) to 100000.');
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd])$/.exec(args.for ?? '1h') ?? [];
  const length_ms = Math.round(Number(count) * (UNIT_MS[unit ?? ''] ?? 0));
  if (!(length_ms >= STEP_MS && length_ms <= LONGEST_MS))
    refuse('--for must be a length of time from 1s to 31d, such as 90s, 30m, 8h or 2d.');
  const given = args.start === undefined ? undefined : Date.parse(args.start);
  if (given !== undefined && !(given >= Date.UTC(2002, 0) && given < Date.UTC(2100, 0)))
    refuse('--start must be a time such as 2026-06-01T06:30:00Z.');
  // At any speed the simulated time stops at the present, because a gateway does not accept times in the future.
  const lead_ms = speed === 0 ? length_ms : Math.max(0, length_ms - length_ms / speed);
  const start_ms = given ?? (args.out === undefined ? Math.floor(now_ms - lead_ms) : FILE_STARTS_MS);
  if (args.to !== undefined && args.out === undefined)
    refuse('--to is for a log; give the file of the log with --out.');
  const format = sinkFormat(args.to, args.out, 'candump');
  if (format === 'slcan' && machines > 1)
    refuse('A log in the format slcan has only one bus, because it has the frames of one adapter; add --machines 1.');
  return { seed, machines, speed, length_ms, start_ms, format };
}

function report(simulation: Simulation, { seed, start_ms }: Plan, sink: Sink, seconds: number): object {
  const { site, loggers } = simulation;
  return {
    object: 'simulation',
    seed,
    from: new Date(start_ms).toISOString(),
    to: new Date(site.now_ms).toISOString(),
    project_id: sink.project_id,
    messages: sink.messages,
    taken: sink.taken,
    seconds,
    machines: site.roster.map((row, i) => ({
      unit: row.unit,
      device_id: sink.devices[i] ?? null,
      clock: row.logger.clock,
      ...loggers[i]?.counters,
      truth: site.truth(i),
    })),
  };
}

function summary(simulation: Simulation, { seed, start_ms }: Plan, sink: Sink, seconds: number): string {
  const { site, loggers } = simulation;
  const frames = loggers.reduce((sum, { counters }) => sum + counters.frames, 0);
  const rows = site.roster.map((row, i) => {
    const { status, engine_hours, fuel_used_l, codes, operator } = site.truth(i);
    const { messages = 0, repeats = 0, outages = 0 } = loggers[i]?.counters ?? {};
    return [
      sink.devices[i] ?? `can${i}`,
      row.unit,
      status,
      engine_hours.toFixed(2),
      fuel_used_l.toFixed(1),
      codes.map(({ spn, fmi }) => `${spn}/${fmi}`).join(' ') || '-',
      operator?.id ?? '-',
      clockName(row.logger.clock),
      String(messages),
      String(repeats),
      String(outages),
    ];
  });
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  const titles = [
    'as',
    'unit',
    'is',
    'engine h',
    'fuel L',
    'codes',
    'operator',
    'clock',
    'messages',
    'twice',
    'outages',
  ];
  return [
    `Seed ${seed}, ${day(start_ms)} to ${day(site.now_ms)} UTC: ${frames} frames in ${sink.messages} messages, ${sink.taken} taken, in ${seconds.toFixed(1)} s.`,
    'True values of the machines at the end:',
    table(titles, rows),
    '',
  ].join('\n');
}

function clockName(clock: LoggerClock): string {
  switch (clock.kind) {
    case 'offset':
      return `${clock.by_ms > 0 ? '+' : ''}${clock.by_ms / 1000} s`;
    case 'zone':
      return `${clock.hours > 0 ? '+' : ''}${clock.hours} h`;
    case 'drift':
      return `drifts ${clock.ppm} ppm`;
    case 'reset':
      return clock.set_after_s === null ? '1970' : `1970 for ${clock.set_after_s} s`;
    default:
      return clock.kind;
  }
}
