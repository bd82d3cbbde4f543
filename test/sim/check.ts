/** Compares what the gateway says with what the model expects; each difference is a sentence. */

import type { EventData } from '#contract/base/event.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { Stored } from '#contract/base/view.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import type { Expected, MachineFacts, Value } from './model.ts';

/** What is asked: `LiveReader`, or the store's documents. */
export interface Told {
  equipment(id: string): EquipmentLive | undefined;
  device(id: string): DeviceLive | undefined;
}

const CLOSE = 1e-6;
const iso = (t_us: number) => new Date(Math.floor(t_us / 1000)).toISOString();

function sameValue(expected: Value, told: { value: number; observed_at: string } | undefined): boolean {
  return told !== undefined && Math.abs(told.value - expected.value) < CLOSE && told.observed_at === iso(expected.t_us);
}

/** The value as its source sent it: the reading of a meter without its offset. */
function readingOf(given: LiveValue | undefined): LiveValue | undefined {
  return given?.meter === undefined ? given : { ...given, value: given.meter.reading };
}

const show = (value: Value | undefined) => (value === undefined ? 'nothing' : `${value.value} of ${iso(value.t_us)}`);

function compareDevice(id: string, expected: Expected, told: DeviceLive | undefined): string[] {
  const facts = expected.devices.get(id);
  if (facts === undefined) return [];
  if (told === undefined) return [`${id} is not known`];
  const { metrics } = told;
  const numbers: [string, number, number][] = [
    ['messages', facts.messages, metrics.messages_total],
    ['bytes', facts.bytes, metrics.bytes_total],
    ['broken', facts.broken, metrics.decode_errors_total],
  ];
  if (!expected.loose.has(id)) {
    numbers.push(
      ['frames', facts.frames, metrics.frames_total],
      ['duplicates', facts.duplicates, metrics.duplicates_total],
    );
  }
  const wrong = numbers
    .filter(([, wanted, given]) => wanted !== given)
    .map(([what, wanted, given]) => `${id} has ${given} ${what} instead of ${wanted}`);
  for (const [signal, value] of facts.values) {
    const given = told.observation?.signals[signal];
    if (!sameValue(value, given)) {
      wrong.push(`${id} ${signal} is ${given?.value} of ${given?.observed_at} instead of ${show(value)}`);
    }
  }
  return wrong;
}

function compareMachine(id: string, facts: MachineFacts | undefined, told: EquipmentLive | undefined): string[] {
  const wrong: string[] = [];
  const names = new Set([...(facts?.values.keys() ?? []), ...(Object.keys(told?.values ?? {}) as SignalName[])]);
  for (const signal of names) {
    const value = facts?.values.get(signal);
    const given = readingOf(told?.values[signal]);
    // The gateway counts engine hours itself where no device sends them; the tests of the domain check the count.
    if (value === undefined && told?.values[signal]?.meter?.basis === 'counted') continue;
    if (value === undefined || !sameValue(value, given) || given?.device_id !== value.device) {
      wrong.push(
        `${id} ${signal} is ${given?.value} of ${given?.observed_at} by ${given?.device_id} instead of ${show(value)}`,
      );
    }
  }
  const codes = (told?.dtcs ?? []).map(({ spn }) => spn).join();
  const wanted = facts?.faults == null || facts.faults.spn === 0 ? '' : String(facts.faults.spn);
  if (codes !== wanted) wrong.push(`${id} has codes [${codes}] instead of [${wanted}]`);
  return wrong;
}

/** Everything about these devices and machines that is not as expected. */
export function compare(
  expected: Expected,
  told: Told,
  devices: readonly string[],
  machines: readonly string[],
): string[] {
  return [
    ...devices.flatMap((id) => compareDevice(id, expected, told.device(id))),
    ...machines.flatMap((id) => compareMachine(id, expected.machines.get(id), told.equipment(id))),
  ];
}

/** What a signal's history has too much, too little, or wrong. */
export function compareHistory(
  name: string,
  wanted: ReadonlyMap<number, ReadonlySet<number>>,
  { t, v }: { readonly t: readonly number[]; readonly v: readonly number[] },
): string[] {
  const wrong: string[] = [];
  const given = new Set(t);
  if (given.size !== t.length) wrong.push(`${name} has a second twice`);
  t.forEach((second, i) => {
    const values = wanted.get(second);
    if (values === undefined) wrong.push(`${name} has a sample at ${second} that nobody sent`);
    else if (![...values].some((value) => Math.abs(value - (v[i] as number)) < CLOSE)) {
      wrong.push(`${name} is ${v[i]} at ${second} instead of ${[...values].join(' or ')}`);
    }
  });
  for (const second of wanted.keys()) if (!given.has(second)) wrong.push(`${name} has no sample at ${second}`);
  return wrong;
}

type Log = readonly Stored<EventData>[];

/** What the log has too much or too little, of events that devices told and of falls of meters. */
export function compareLog(expected: Expected, log: Log): string[] {
  const told = log.filter(({ data }) => data.type === 'x.sim');
  const named = told.filter(({ data }) => data.source_event_id !== null);
  const names = new Set(named.map(({ data }) => `${data.context.device_id}\n${data.source_event_id}`));
  const resets = [...expected.machines.values()].reduce((sum, machine) => sum + machine.resets, 0);
  const plain = told.length - named.length;
  const surplus = expected.loose.size > 0 ? Math.max(0, plain - expected.plainEvents) : 0;
  const numbers: [string, number, number][] = [
    ['events named by devices', expected.events.size, names.size],
    ['events named by devices, with repeats', expected.events.size, named.length],
    ['events without a name', expected.plainEvents + surplus, plain],
    ['falls and jumps of meters', resets, log.filter(({ data }) => data.type === 'meter.reset').length],
  ];
  return numbers
    .filter(([, wanted, given]) => wanted !== given)
    .map(([what, wanted, given]) => `the log has ${given} ${what} instead of ${wanted}`);
}

/** Codes of a machine come and go in turn, and those that came last are those that are shown. */
export function compareCodes(machine: string, log: Log, live: EquipmentLive | undefined): string[] {
  const wrong: string[] = [];
  const active = new Set<unknown>();
  const own = log.filter(({ data }) => data.subject?.id === machine).sort((a, b) => a.origin_seq - b.origin_seq);
  for (const { data } of own) {
    const { spn } = data.data as { spn?: number };
    if (data.type === 'dtc.activated') {
      if (active.has(spn)) wrong.push(`${machine} ${spn} became active twice`);
      active.add(spn);
    } else if (data.type === 'dtc.cleared' && !active.delete(spn)) wrong.push(`${machine} ${spn} was cleared twice`);
  }
  const shown = (live?.dtcs ?? []).map(({ spn }) => spn).join();
  if (shown !== [...active].join())
    wrong.push(`${machine} shows codes [${shown}], its log ends with [${[...active].join()}]`);
  return wrong;
}
