/** The two outputs of a simulation: the running gateway, where each simulated logger is a device, or a log file. */

import { openPublisher, type Publisher } from '#bridge/publisher.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import type { LoggerMessage } from '#simulator/logger.ts';
import type { RosterRow } from '#simulator/machines.ts';
import { CommandError } from './command-line.ts';
import { asSentences, runningGateway } from './control.ts';
import { openFrameSink, type SinkFormat } from './frame-sink.ts';
import { setUpSite } from './site-setup.ts';

export interface Sink extends AsyncDisposable {
  /** The device_id of each machine; an empty list when the output is a log. */
  readonly devices: readonly string[];
  readonly project_id: string | null;
  /** Number of messages that were passed to `send`. The next field counts how many of them were accepted. */
  readonly messages: number;
  readonly taken: number;
  /** True when the reader of the output pipe has closed it. */
  readonly closed: boolean;
  readonly send: (machine: number, message: LoggerMessage) => void;
  /** Resolves when more can be sent; rejects when sending has failed. */
  room(): Promise<void>;
  /** Resolves when every message is accepted or dropped. */
  end(): Promise<void>;
}

/** The header of a simulated log. It has no logger, because no real logger recorded the log. */
const NOBODY = {
  comment: 'Simulated',
  device_type: null,
  serial_number: null,
  firmware: null,
  session: null,
  split: null,
  buses: [],
};

/** Creates the output to the gateway that runs on the data folder; rejects with a `CommandError` when no gateway runs there. */
export async function openGatewaySink(config: Config, roster: readonly RosterRow[], seed: number): Promise<Sink> {
  const control = await runningGateway(config);
  // Each seed has separate devices. If two seeds shared a device, its meters would jump when the seed changes.
  const site = { project: `Simulated site ${seed}`, timezone: 'UTC', devices: `sim-${seed}-` };
  const { machines, project_id } = await asSentences(() => setUpSite(control, roster, site));
  await using opened = new AsyncDisposableStack();
  const publishers: Publisher[] = [];
  for (const { host, device_id, key } of machines) {
    const publisher = await openPublisher({ url: `mqtt://${host}:${control.mqtt}`, device_id, key }).catch((cause) => {
      throw new CommandError(`The broker refuses the device ${device_id}: ${cause.message}.`, EXIT.fault, { cause });
    });
    publishers.push(opened.use(publisher));
  }
  const connections = opened.move();
  const sum = (of: 'messages' | 'acked') => publishers.reduce((all, { counters }) => all + counters[of], 0);
  return {
    devices: machines.map((machine) => machine.device_id),
    project_id,
    get messages() {
      return sum('messages');
    },
    get taken() {
      return sum('acked');
    },
    closed: false,
    send: (machine, { frames, seq }) => publishers[machine]?.publish(frames, seq),
    async room() {
      await Promise.all(publishers.map((publisher) => publisher.room()));
    },
    async end() {
      await Promise.all(publishers.map((publisher) => publisher.drained()));
    },
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

/** Creates the output to a log file (`-` for standard output). Frames have the times of the simulated loggers; machine k is bus k. */
export async function openFileSink(format: SinkFormat, path: string, start_ms: number): Promise<Sink> {
  // Use the start of the log as its time of writing, so that a seed always gives the same bytes.
  const info = { ...NOBODY, started_us: start_ms * 1000 };
  const out = await openFrameSink(format, path, true, { info, written_ms: start_ms });
  let messages = 0;
  return {
    devices: [],
    project_id: null,
    get messages() {
      return messages;
    },
    get taken() {
      return out.whole ? messages : 0;
    },
    get closed() {
      return out.closed;
    },
    send(machine, { frames }) {
      if (out.closed) return;
      messages++;
      frames.bus.fill(machine, 0, frames.count);
      out.write(frames);
    },
    room: out.room,
    end: out.end,
    [Symbol.asyncDispose]: () => out[Symbol.asyncDispose](),
  };
}
