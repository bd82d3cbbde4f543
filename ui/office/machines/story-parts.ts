/** The rows of the story of a machine: signals by system, the words of states, and positions on the time axis. No side effects. */

import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import type { TelemetrySeries } from '#contract/fleet/telemetry.ts';
import type { Output } from '#contract/operations.ts';
import type { Word } from '#ui/languages/texts.ts';

export type Story = Output<'equipment_story'>;
type Part = Story['states'][number]['state'];

/** What the address of a story says besides the machine: the range, and the value about which a person asked. */
export interface StoryPlace {
  readonly range: string;
  readonly why: SignalName | null;
}

/** Returns the machine and the place in an address such as `eq_1/day/engine.speed`. */
export function storyPlace(at: string): StoryPlace & { readonly id: string } {
  const [id = '', range = 'shift', signal] = at.split('/');
  return { id, range, why: SIGNAL_NAMES.find((name) => name === signal) ?? null };
}

/** Returns the address of a story. */
export function storyHash(id: string, { range, why }: StoryPlace): string {
  if (why !== null) return `#story/${id}/${range}/${why}`;
  return range === 'shift' ? `#story/${id}` : `#story/${id}/${range}`;
}

/** The signals that a story shows, by system. The story leaves out the signals that the machine has never sent. At most ten. */
export const SYSTEMS: readonly (readonly [system: Word, signals: readonly SignalName[]])[] = [
  ['Cooling', ['engine.coolant_temperature', 'engine.coolant_level']],
  ['Engine', ['engine.speed', 'engine.load', 'engine.oil_pressure']],
  ['Hydraulics', ['vehicle.hydraulic_temperature']],
  ['Fuel', ['fuel.level', 'engine.fuel_rate']],
  ['Electric', ['electrical.battery']],
  ['Motion', ['vehicle.speed']],
];

/** The word of each state, and its height in the ribbon as a part of the row. */
export const STATES: Readonly<Record<Part, { readonly text: Word; readonly height: number }>> = {
  working: { text: 'Running', height: 0.8 },
  idle: { text: 'Idle', height: 0.4 },
  off: { text: 'Off', height: 0.12 },
  standby: { text: 'Standby', height: 0.12 },
  down: { text: 'Down', height: 1 },
  service: { text: 'Service', height: 0.8 },
  unknown: { text: 'No data', height: 0.8 },
};

/** A range of time in milliseconds since 1970. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns where a time is in a range, in percent from its start. */
export function percentAt({ from, to }: Range, t: number): number {
  return Math.min(100, Math.max(0, ((t - from) / (to - from)) * 100));
}

/** Returns the CSS position of a time on the axis. */
export const leftAt = (range: Range, t: number) => ({ left: `${percentAt(range, t)}%` });

/** Returns the place of an item on the axis. An item without a known start or end reaches to the edge. */
export function placeOf(range: Range, item: { readonly since: string | null; readonly until: string | null }) {
  const left = item.since === null ? 0 : percentAt(range, Date.parse(item.since));
  const right = item.until === null ? 100 : percentAt(range, Date.parse(item.until));
  return { left, width: Math.max(0.4, right - left) };
}

/** Returns the state of the machine at a time; undefined if the story does not have that time. */
export function stateAt(states: Story['states'], t: number): Story['states'][number] | undefined {
  return states.find(({ from, to }) => Date.parse(from) <= t && t <= Date.parse(to));
}

/** Returns the place of the machine at a time; undefined if it is not known. */
export function placeAt(places: Story['places'], t: number): Story['places'][number] | undefined {
  return places.find(({ from, to }) => Date.parse(from) <= t && t <= Date.parse(to));
}

/** A limit that a signal crossed in the time of a story. `open`: the alert is not over. */
export interface Limit {
  readonly value: number;
  readonly severity: Story['alerts'][number]['severity'];
  readonly open: boolean;
}

/** The most limits that the line of a signal has room for. */
const MOST_LIMITS = 1;

/** Returns the limits that alerts on a signal had, those of open alerts first, then by severity. */
export function limitsOf({ alerts }: Pick<Story, 'alerts'>, signal: SignalName): readonly Limit[] {
  const grave = { unknown: 0, critical: 0, warning: 1, info: 2 };
  const found = alerts
    .flatMap(({ signal: of, limit, severity, until }) =>
      of === signal && limit !== null ? [{ value: limit, severity, open: until === null }] : [],
    )
    .sort((a, b) => Number(b.open) - Number(a.open) || grave[a.severity] - grave[b.severity]);
  return found.filter((one, i) => found.findIndex(({ value }) => value === one.value) === i).slice(0, MOST_LIMITS);
}

type Code = Story['codes'][number];

/** A trouble code of a story: all times at which it was active. */
export interface CodeTimes extends Pick<Code, 'spn' | 'fmi' | 'text'> {
  readonly key: string;
  /** When it was first seen; null if that was before the story. */
  readonly since: string | null;
  /** When it was last seen; null if it is active. */
  readonly until: string | null;
  /** The times, the oldest first. */
  readonly times: readonly Pick<Code, 'since' | 'until'>[];
}

/** Returns the trouble codes of a story, each once: the active ones first, then the one that was seen last. */
export function codeTimes(codes: Story['codes']): readonly CodeTimes[] {
  const found = new Map<string, Code[]>();
  for (const code of codes) {
    const key = `${code.spn} ${code.fmi} ${code.text}`;
    found.set(key, [...(found.get(key) ?? []), code]);
  }
  const start = ({ since }: Pick<Code, 'since'>) => (since === null ? 0 : Date.parse(since));
  const end = ({ until }: Pick<Code, 'until'>) => (until === null ? Number.MAX_SAFE_INTEGER : Date.parse(until));
  return [...found]
    .flatMap(([key, all]) => {
      const times = all.sort((a, b) => start(a) - start(b));
      const [first] = times;
      if (first === undefined) return [];
      const last = times.reduce((a, b) => (end(b) > end(a) ? b : a));
      return [{ key, spn: first.spn, fmi: first.fmi, text: first.text, since: first.since, until: last.until, times }];
    })
    .sort((a, b) => end(b) - end(a) || start(b) - start(a));
}

/** A story and the signals of its time, as the page read them. */
export interface Read {
  readonly story: Story;
  readonly series: readonly TelemetrySeries[];
  readonly step_ms: number;
  readonly range: Range;
}

/** Where a text of a row stands, as CSS. */
interface TextPlace {
  readonly left?: string;
  readonly right?: string;
  readonly maxWidth: string;
}

/** The least width of a text in a row, and the most, in percent of the axis. A text that begins later than `most` stands before its start. */
const TEXT = { least: 24, most: 60 };

/**
 * Returns where the texts of a row stand: each after the start of its item, or before it near the right end. It never leaves the row, and
 * no text covers another. An item beside which there is no room gets null. `lefts` has the places of the items in percent.
 */
export function textPlaces(lefts: readonly number[]): readonly (TextPlace | null)[] {
  const taken: { from: number; to: number; before: boolean }[] = [];
  const own = lefts.map((left) => {
    const before = left > TEXT.most;
    const one = before ? { from: left - TEXT.least, to: left, before } : { from: left, to: left + TEXT.least, before };
    if (taken.some(({ from, to }) => from < one.to && one.from < to)) return null;
    taken.push(one);
    return one;
  });
  return own.map((one) => {
    if (one === null) return null;
    if (!one.before) {
      const next = Math.min(100, ...taken.filter(({ from }) => from > one.from).map(({ from }) => from));
      return { left: `${one.from}%`, maxWidth: `${Math.min(TEXT.most, next - one.from)}%` };
    }
    // A text that stands after its start takes all the room up to this one.
    const last = taken.filter(({ to }) => to < one.to).sort((a, b) => b.to - a.to)[0];
    const free = last === undefined ? TEXT.most : last.before ? one.to - last.to : TEXT.least;
    return { right: `${100 - one.to}%`, maxWidth: `${Math.min(TEXT.most, free)}%` };
  });
}
