/**
 * Diagnosis of one value of a machine. The chain of the device comes first. If the device works, the control unit that sends the value, its
 * parameter group and the value itself decide. The functions have no side effects.
 */
import type { Freshness } from '#contract/base/freshness.ts';
import { part, say, type ToldPart } from '#contract/base/told.ts';
import type { BusHeard } from '#contract/fleet/bus.ts';
import type { ChainStep, ChainStepName } from '#contract/fleet/device-diagnosis.ts';
import type { LiveValue } from '#contract/fleet/equipment.ts';
import type { Chain } from './chain.ts';
import { type Judged, step } from './chain-facts.ts';

/** Everything that the diagnosis needs to know about one value. */
export interface ValueFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly label: string;
  readonly freshness: Freshness;
  /** The newest value; undefined if the machine never sent one. */
  readonly value: Pick<LiveValue, 'observed_at' | 'bus' | 'source_address' | 'pgn'> | undefined;
  /** What the device hears on its buses; undefined if it is not on a bus. */
  readonly heard: BusHeard | undefined;
}

type Finding = readonly [at: ChainStepName, judged: Judged];

/** A control unit or a parameter group without a frame for this time does not send any more. */
const SILENT_MS = 30_000;
const isSilent = (last: string | null, now: number) => last === null || now - Date.parse(last) > SILENT_MS;

/** The name of a control unit. The names of J1939 are in English in every language. */
function unitName({ usual_name, name, source_address }: BusHeard['ecus'][number]): ToldPart {
  const known = usual_name ?? name?.function_name;
  const address = source_address ?? '?';
  return known == null
    ? part('the control unit (address {address})', { address })
    : part('{name} (address {address})', { name: known, address });
}

/** Returns why frames with the value do not arrive, or that they arrive without the value. */
function onBus({ now, label: signal, value, heard }: ValueFacts): Finding | undefined {
  const label = part(signal);
  if (value?.pgn == null || heard === undefined) return undefined;
  const isOwn = (one: { readonly bus: number; readonly source_address: number | null }) =>
    one.bus === value.bus && one.source_address === value.source_address;
  const unit = heard.ecus.find(isOwn);
  if (unit === undefined) return undefined;
  const name = unitName(unit);
  if (isSilent(unit.last_heard_at, now)) {
    const other = heard.ecus.find((one) => one !== unit && !isSilent(one.last_heard_at, now));
    const detail = [
      say('No frames from {name} any more.', { name }),
      ...(other === undefined ? [] : [say('{name} still sends.', { name: unitName(other) })]),
    ];
    const remedy = say('Check the plug and the power of {name}.', { name });
    return ['frames', step('broken', unit.last_heard_at, detail, remedy)];
  }
  const remedy = say('Check the sensor of {label} and its cable.', { label });
  const group = heard.groups.find((one) => isOwn(one) && one.pgn === value.pgn);
  const frames = `PGN ${value.pgn}${group?.acronym == null ? '' : ` (${group.acronym})`}`;
  if (group !== undefined && isSilent(group.last_heard_at, now)) {
    const detail = say('{name} still sends, but not {frames}, which contains {label}.', { name, frames, label });
    return ['frames', step('broken', group.last_heard_at, detail, remedy)];
  }
  const detail = say('{frames} arrives, but {name} sends no valid value of {label} in it.', { frames, name, label });
  return ['decoded', step('broken', value.observed_at, detail, remedy)];
}

function findingOf(facts: ValueFacts): Finding {
  const { value } = facts;
  const label = part(facts.label);
  if (value === undefined)
    return [
      'decoded',
      step(
        'broken',
        null,
        say('The machine sends other values, but never sent {label}.', { label }),
        'If a manufacturer frame has this value, it needs a DBC file: see the page DBC files.',
      ),
    ];
  return (
    onBus(facts) ?? [
      'decoded',
      step(
        'broken',
        value.observed_at,
        say('The device still sends, but not {label}.', { label }),
        say('Check that the device is set to send {label}.', { label }),
      ),
    ]
  );
}

/** Computes the chain of one value from the chain of its device. */
export function valueChain(device: Chain, facts: ValueFacts): Chain {
  const isCurrent = facts.freshness === 'fresh' || facts.freshness === 'ageing';
  if (device.stopped_at !== null || isCurrent) return device;
  const [at, judged] = findingOf(facts);
  const broken = device.steps.findIndex((one) => one.step === at);
  const steps = device.steps.map((one, i): ChainStep => {
    if (i === broken) return { step: one.step, title: one.title, ...judged };
    if (i > broken && one.step === 'decoded')
      return { ...one, ...step('unknown', null, 'Not known before these frames arrive again.') };
    return one;
  });
  return { stopped_at: at, summary: judged.detail, steps };
}

/** The chain of a machine without a device. */
export const NO_DEVICE: Chain = {
  stopped_at: 'link',
  summary: 'No device is linked to this machine.',
  steps: [
    {
      step: 'link',
      title: 'Machine',
      ...step('broken', null, 'No device is linked to this machine.', 'Connect a logger on the page of the machine.'),
    },
  ],
};
