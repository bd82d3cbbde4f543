/** `headframe replay`: publishes a recorded log over MQTT to the running gateway, as one of its devices. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openPublisher } from '#bridge/publisher.ts';
import { type ReplayResult, replayLog } from '#bridge/replay.ts';
import type { Client } from '#contract/client.ts';
import { DeviceId } from '#contract/fleet/device.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import type { Control } from '#settings/control-file.ts';
import { CommandError } from './command-line.ts';
import { asSentences, controlClient, runningGateway } from './control.ts';
import { assumptions, type LogArgs, openLogInput, shortcomings } from './log-input.ts';

interface ReplayArgs extends LogArgs {
  readonly file: string;
  readonly device: string;
  readonly speed?: string | undefined;
  readonly now?: boolean | undefined;
  readonly project?: string | undefined;
  readonly json?: boolean | undefined;
}

const PROGRESS_MS = 1_000;
/**
 * Values that are older than this number of milliseconds do not change the live status of a machine. So the command warns about an older
 * log.
 */
const OLD_MS = 300_000;

/** Runs the replay; resolves to the exit code, which is `EXIT.fault` when the gateway did not acknowledge a frame. */
export async function runReplay(config: Config, args: ReplayArgs): Promise<number> {
  const speed = Number(args.speed ?? '1');
  if (!(speed >= 0 && speed <= 100_000))
    throw new CommandError('--speed must be a number from 0 (as fast as acknowledged) to 100000.', EXIT.usage);
  const named = DeviceId.safeParse(args.device);
  if (!named.success)
    throw new CommandError(`--device must be a device_id: ${named.error.issues[0]?.message}.`, EXIT.usage);
  const now = args.now === true;
  if (now && speed === 0) throw new CommandError('--now needs a --speed above 0.', EXIT.usage);
  await using input = await openLogInput(args.file, args);
  const control = await runningGateway(config);
  await asSentences(() => ensureDevice(control, args.device, args.project));
  await using publisher = await openPublisher({
    url: `mqtt://${new URL(control.http).hostname}:${control.mqtt}`,
    device_id: args.device,
    // The token of the control file is valid for every device, so the replay does not need the key of the device.
    key: control.token,
  }).catch((cause) => {
    throw new CommandError(`The broker refuses the device ${args.device}: ${cause.message}.`, EXIT.fault, { cause });
  });

  const person = process.stdout.isTTY === true && args.json !== true;
  let stopped = false;
  process.once('SIGINT', () => {
    stopped = true;
  });
  let shown = 0;
  const started = performance.now();
  const result = await replayLog({
    log: { batches: input.batches, counters: input.log.counters },
    publisher,
    speed,
    now,
    clock: Date.now,
    sleep: (ms) => sleep(ms),
    stopped: () => stopped,
    onProgress(so_far) {
      if (!person || performance.now() - shown < PROGRESS_MS) return;
      shown = performance.now();
      process.stdout.write(
        `\r${so_far.frames} frames sent, ${so_far.acked} of ${so_far.messages} messages acknowledged `,
      );
    },
  }).catch((cause) => {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`${args.file} cannot be replayed: ${cause.message}.`, EXIT.fault, { cause });
  });
  const seconds = (performance.now() - started) / 1000;
  if (person) process.stdout.write('\r\u001b[K');
  const text = [
    summary(args, result, seconds, Date.now()),
    ...(now ? [] : assumptions(input.log)),
    ...shortcomings(input.log),
  ].join('\n');
  process.stdout.write(
    args.json
      ? `${JSON.stringify({ object: 'replay', ...result, timezone: input.log.info.zone, seconds })}\n`
      : `${text}\n`,
  );
  return result.acked === result.messages && result.frames > 0 ? EXIT.ok : EXIT.fault;
}

function summary(args: ReplayArgs, result: ReplayResult, seconds: number, now_ms: number): string {
  const { frames, messages, acked, first_us, last_us } = result;
  const day = (us: number) => new Date(us / 1000).toISOString();
  return [
    `${args.file} as ${args.device}: ${frames} frames in ${messages} messages, ${acked} acknowledged, in ${seconds.toFixed(1)} s.`,
    first_us === null || last_us === null
      ? 'Recorded without a date.'
      : `Recorded ${day(first_us)} to ${day(last_us)}${args.now ? ', sent with the present time' : ''}.`,
    ...(args.now || last_us === null || now_ms - last_us / 1000 < OLD_MS
      ? []
      : [
          'The data keeps its recorded times: screens show levels and meters with these times, and nothing becomes live. Add --now to play it as if it were now.',
        ]),
  ].join('\n');
}

/** Creates the device if it does not exist: in the given project, or in the only project of the gateway. */
async function ensureDevice(control: Control, device_id: string, project: string | undefined): Promise<void> {
  const node = controlClient(control);
  const { data: projects } = await node.call('projects_list', { limit: 200 });
  for (const { id } of projects) if (await hasDevice(controlClient(control, id), device_id)) return;
  const [only, second] = projects;
  const into = project ?? (second === undefined ? only?.id : undefined);
  if (into === undefined)
    throw new CommandError(
      only === undefined
        ? `There is no device ${device_id}, and no project in which to create it. Open ${control.http} and set up the site first.`
        : `There is no device ${device_id}. Name its project with --project ID to create it: ${projects.map((each) => `${each.id} (${each.name})`).join(', ')}.`,
      EXIT.usage,
    );
  await controlClient(control, into).call('devices_create', { device_id, kind: 'can_logger' });
}

async function hasDevice(client: Client, device_id: string): Promise<boolean> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.call('devices_list', { limit: 200, ...(cursor ? { cursor } : {}) });
    if (page.data.some((device) => device.device_id === device_id)) return true;
    cursor = page.next_cursor;
  }
  return false;
}
