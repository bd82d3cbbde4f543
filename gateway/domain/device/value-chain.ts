/**
 * Diagnosis of one value of a machine. The chain of the device comes first. If the device works, the control unit that sends the value, its
 * parameter group and the value itself decide. The functions have no side effects.
 */
import type { Freshness } from '#contract/base/freshness.ts';
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

const unitName = ({ usual_name, name, source_address }: BusHeard['ecus'][number]) =>
  `${usual_name ?? name?.function_name ?? 'the control unit'} (address ${source_address})`;

/** Returns why frames with the value do not arrive, or that they arrive without the value. */
function onBus({ now, label, value, heard }: ValueFacts): Finding | undefined {
  if (value?.pgn == null || heard === undefined) return undefined;
  const isOwn = (one: { readonly bus: number; readonly source_address: number | null }) =>
    one.bus === value.bus && one.source_address === value.source_address;
  const unit = heard.ecus.find(isOwn);
  if (unit === undefined) return undefined;
  const name = unitName(unit);
  if (isSilent(unit.last_heard_at, now)) {
    const other = heard.ecus.find((one) => one !== unit && !isSilent(one.last_heard_at, now));
    const others = other === undefined ? '' : ` ${unitName(other)} still sends.`;
    const detail = `No frames from ${name} any more.${others}`;
    return ['frames', step('broken', unit.last_heard_at, detail, `Check the plug and the power of ${name}.`)];
  }
  const group = heard.groups.find((one) => isOwn(one) && one.pgn === value.pgn);
  const group_name = `PGN ${value.pgn}${group?.acronym == null ? '' : ` (${group.acronym})`}`;
  if (group !== undefined && isSilent(group.last_heard_at, now)) {
    const detail = `${name} still sends, but not ${group_name}, which contains ${label}.`;
    return ['frames', step('broken', group.last_heard_at, detail, `Check the sensor of ${label} and its cable.`)];
  }
  const detail = `${group_name} arrives, but ${name} sends no valid value of ${label} in it.`;
  return ['decoded', step('broken', value.observed_at, detail, `Check the sensor of ${label} and its cable.`)];
}

function findingOf(facts: ValueFacts): Finding {
  const { label, value } = facts;
  if (value === undefined)
    return [
      'decoded',
      step(
        'broken',
        null,
        `The machine sends other values, but never sent ${label}.`,
        'If a manufacturer frame has this value, it needs a DBC file: see the page DBC files.',
      ),
    ];
  return (
    onBus(facts) ?? [
      'decoded',
      step(
        'broken',
        value.observed_at,
        `The device still sends, but not ${label}.`,
        `Check that the device is set to send ${label}.`,
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
