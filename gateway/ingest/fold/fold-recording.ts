/**
 * Applies a part of a recorded file to the machine that the part names: to its facts (latest values, meters and trouble codes) and its
 * history ([I40]).
 */
import { NONE } from '#domain/base/none.ts';
import { decodeRecording, type RecordingMessage } from '#domain/logs/recording-message.ts';
import { countSpeed } from '#domain/machine/meter-people.ts';
import { refOf } from '#ingest/journal/position.ts';
import type { RecordReader } from '#ingest/journal/record.ts';
import { MAX_PER_MESSAGE } from './ids.ts';
import type { MachineState } from './machine-state.ts';
import { addFactEvent, FACT_BYTES, fromDevice } from './made-events.ts';
import { type MessageContext, NEVER_LIVE } from './message-context.ts';
import { applyRecorded } from './recorded-facts.ts';
import { keepSeries } from './seal.ts';

/** Decodes a part of a recorded file. If the part is unusable, reports it and returns undefined. */
export function readRecording(context: MessageContext, reader: RecordReader): RecordingMessage | undefined {
  const message = decodeRecording(reader.payload);
  if (message === undefined) context.reportUnusable('a part of a recording could not be read', 1);
  return message;
}

/** Applies the part to this machine. Without a machine it changes only the state of the device. */
export function foldRecording(
  context: MessageContext,
  message: RecordingMessage,
  machine: MachineState | undefined,
): void {
  const { device, arrival, position, shared } = context;
  const { changes } = shared;
  const { artifact, run, facts, samples, minutes, states, origins } = message;
  arrival.run_id = run;
  arrival.ref = artifact;
  arrival.rules = NEVER_LIVE;
  if (applyRecorded(device, machine?.facts, arrival, facts, position)) changes.devices.add(device.identity.device);
  if (machine === undefined) return;
  changes.equipment.add(machine.id);
  const { context: eventContext, ...origin } = fromDevice(device, run);
  const fromFile = { ...origin, context: { ...eventContext, media: [artifact] } };
  for (const event of arrival.events.slice(0, MAX_PER_MESSAGE)) {
    const id = context.nextId();
    if (context.charge('facts', FACT_BYTES)) addFactEvent(changes, machine, event, fromFile, id);
  }
  if (samples.length === 0 && minutes.length === 0 && states.length === 0) return;
  countRecorded(machine, arrival, samples);
  const file = { device: device.identity.device, run, artifact };
  const made = { series: samples, minutes, states, origins: origins.map((origin) => ({ ...origin, ...file })) };
  keepSeries(shared, machine, { ...made, raw: [refOf(position), refOf(position)] }, run);
}

/** Adds the engine speed of the recording to the engine hours that the gateway counts. */
function countRecorded(
  { facts }: MachineState,
  { received_us, ref }: MessageContext['arrival'],
  samples: RecordingMessage['samples'],
): void {
  for (const { signal, t, v } of samples) {
    if (signal !== 'engine.speed') continue;
    for (const [i, second] of t.entries())
      countSpeed(facts, { received_us, ref }, { value: v[i] as number, observed_us: second * 1e6, frame: NONE });
  }
}
