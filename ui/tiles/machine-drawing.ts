/**
 * Computes the texts and marks with which a tile draws a machine. A tile draws the status set by people, the live status and the freshness
 * as separate elements.
 */

import type { Freshness } from '#contract/base/freshness.ts';
import type { DrawnValue, MachineTile } from '#contract/site/live.ts';
import type { Reason } from '#contract/site/trouble.ts';
import { duration, shortDuration } from '#ui/format.ts';
import { inside, isolated, t } from '#ui/languages/texts.ts';
import { reasonTexts } from '#ui/words.ts';
import { type Moment, machineFreshness, shownStatus, valueFreshness } from './ageing.ts';

/** The drawing of one machine. A list of texts begins with the longest one; a tile shows the first text that fits. */
export interface MachineDrawing {
  readonly live: MachineTile['live_status'];
  readonly freshness: Freshness;
  readonly chip: { readonly text: string; readonly tone: 'crit' | 'maint' | 'off' } | null;
  readonly conflict: boolean;
  readonly word: readonly string[];
  readonly detail: readonly string[];
  /** The most urgent reason to look after the machine; it decides the look of the machine on all screens. */
  readonly reason: Reason | null;
  readonly grade: Reason['grade'] | null;
  /** The shape that is drawn beside the reason. */
  readonly mark: Mark | null;
  /**
   * Texts of the reason, longest first. The list is empty when the tile already shows the reason in the label of the reported status or in
   * the live status.
   */
  readonly headline: readonly string[];
  /** The level of the value in the detail: `normal` if it is old. It marks only the number, and never the machine ([U388]). */
  readonly level: DrawnValue['level'];
  /** The whole tile as one sentence, for screen readers. */
  readonly sentence: string;
}

type Mark = 'critical' | 'warning' | 'conflict' | 'nodata' | 'info';
const MARKS: Record<Reason['grade'], Mark> = { act: 'critical', look: 'warning', note: 'info' };

const CHIPS = {
  down: { text: 'Down', tone: 'crit' },
  maintenance: { text: 'Service', tone: 'maint' },
  decommissioned: { text: 'Retired', tone: 'off' },
  unknown: { text: 'Status unknown', tone: 'off' },
} as const;

function chipOf({ status }: MachineTile): MachineDrawing['chip'] {
  const chip = CHIPS[status as keyof typeof CHIPS] as (typeof CHIPS)[keyof typeof CHIPS] | undefined;
  return chip === undefined ? null : { text: t(chip.text), tone: chip.tone };
}

const WORDS = { running: 'Running', idle: 'Idle', off: 'Off', unknown: 'No data' } as const;

/** Returns a value with its unit, for example "41.2 L/h"; an em dash when the machine has no value. */
export function withUnit(value: DrawnValue): string {
  if (value.text === null) return '—';
  return isolated(value.unit === '' ? value.text : `${value.text} ${value.unit}`);
}

/**
 * Units from which people know what was measured. For example, a number of rpm is an engine speed. If a value has another unit, the tile
 * also draws its label.
 */
const TELLING: ReadonlySet<string> = new Set(['L/h', 'rpm', 'km/h', 'h', 'km', 'L', 't', 'V']);

/** Returns texts for a value, the longest first. */
function named(value: DrawnValue, text: string): string[] {
  return TELLING.has(value.unit) ? [text] : [`${value.label} ${text}`, text];
}

function codes(machine: MachineTile): string | null {
  if (machine.dtc_active === null || machine.dtc_active === 0) return null;
  return t('{n} code|{n} codes', { n: machine.dtc_active });
}

function details(machine: MachineTile, freshness: Freshness, at: Moment): string[] {
  const age = machine.last_data_ms === null ? null : duration(at.now - machine.last_data_ms);
  if (freshness === 'never') return [];
  if (freshness === 'none') return age === null ? [] : [t('{age} ago', { age }), age];
  const value = machine.primary;
  const judged = value === null ? null : valueFreshness(value, at);
  const shown = value !== null && value.text !== null && judged !== 'none' && judged !== 'never';
  const text = shown ? withUnit(value) : null;
  if (freshness === 'stale') {
    if (age === null) return [];
    const ago = t('{age} ago', { age });
    return text === null ? [ago, age] : [`${t('last {value}', { value: text })} · ${age}`, ago, age];
  }
  if (text === null || value === null) return [codes(machine) ?? '—'];
  const valueAge = value.as_of_ms === null ? age : duration(at.now - value.as_of_ms);
  const last = t('last {value}', { value: text });
  if (judged === 'stale') return [`${last} · ${valueAge}`, last, text];
  const names = named(value, text);
  const dtcs = codes(machine);
  const more = judged === 'ageing' ? valueAge : dtcs;
  return more === null ? names : [...names.map((name) => `${name} · ${more}`), ...names];
}

function words(machine: MachineTile, live: MachineTile['live_status'], freshness: Freshness, at: Moment): string[] {
  if (freshness === 'never') return [t('No data yet'), t('No data')];
  if (machine.conflict && live === 'running' && (freshness === 'fresh' || freshness === 'ageing')) {
    return [t('But running now'), t('But running'), t('Engine on')];
  }
  if (live === 'idle' && machine.live_since_ms !== null && freshness !== 'stale') {
    return [`${t('Idle')} ${shortDuration(at.now - machine.live_since_ms)}`, t('Idle')];
  }
  // Data arrives, but it does not show whether the engine runs.
  if (live === 'unknown' && (freshness === 'fresh' || freshness === 'ageing'))
    return [t('State unknown'), t('No state')];
  return [t(WORDS[live])];
}

/** Returns the most urgent reason at this moment. A contradiction, such as "Down, but running", counts only while the data is fresh. */
function reasonOf({ reasons }: MachineTile, hasConflict: boolean): Reason | null {
  return reasons.find(({ cause }) => cause !== 'conflict' || hasConflict) ?? null;
}

/**
 * Reasons with these causes get no headline, because the tile already shows them in the label of the status that people set, or in the live
 * status.
 */
const SHOWN_ELSEWHERE: ReadonlySet<Reason['cause']> = new Set(['down', 'conflict', 'silent']);

function headlines(reason: Reason | null, now: number): string[] {
  if (reason === null || reason.grade === 'note' || SHOWN_ELSEWHERE.has(reason.cause)) return [];
  const texts = reasonTexts(reason);
  const [first = ''] = texts;
  const age = reason.since_ms === null ? [] : [`${first} · ${duration(now - reason.since_ms)}`];
  return [...age, ...texts];
}

/** Returns the shape of a reason. */
export function markOf({ cause, grade }: Pick<Reason, 'cause' | 'grade'>): Mark {
  if (cause === 'silent') return 'nodata';
  return cause === 'conflict' && grade !== 'act' ? 'conflict' : MARKS[grade];
}

/** Composes the drawing of a machine at a moment. */
export function drawMachine(machine: MachineTile, at: Moment): MachineDrawing {
  const judged = machineFreshness(machine, at);
  const live = shownStatus(machine, at);
  const chip = chipOf(machine);
  const current = judged === 'fresh' || judged === 'ageing';
  // Show "But running now" only with current data.
  const conflict = machine.conflict && live === 'running' && current;
  const reason = reasonOf(machine, conflict);
  const mark = reason === null ? null : markOf(reason);
  const word = words(machine, live, judged, at);
  const detail = details(machine, judged, at);
  const headline = headlines(reason, at.now);
  const level = (current && machine.primary?.level) || 'normal';
  const parts = [
    machine.name === machine.unit_number || machine.name === '' ? null : machine.name,
    headline[0] ?? null,
    conflict && chip !== null
      ? t('reported {status}, but running now', { status: inside(chip.text) })
      : inside(chip?.text ?? ''),
    conflict ? null : inside(word[0] ?? ''),
    detail[0] ?? null,
  ];
  const sentence = `${machine.unit_number}: ${parts.filter((part) => part !== null && part !== '').join(', ')}`;
  const grade = reason?.grade ?? null;
  return { live, freshness: judged, chip, conflict, reason, grade, mark, headline, level, word, detail, sentence };
}

/** Returns the whole tile as one sentence; `first`: it is the most urgent machine. */
export function spoken({ sentence }: MachineDrawing, first: boolean): string {
  return first ? t('most urgent, {sentence}', { sentence }) : sentence;
}

/** Returns the id of the most urgent machine with grade `act`; null when there is none. */
export function mostUrgent(machines: Iterable<MachineTile>): string | null {
  let first: MachineTile | null = null;
  const place = ({ attention }: MachineTile) => attention?.place ?? Number.MAX_SAFE_INTEGER;
  for (const machine of machines)
    if (machine.reasons[0]?.grade === 'act' && (first === null || place(machine) < place(first))) first = machine;
  return first?.id ?? null;
}

/** How many machines are in each state. */
export interface Counts {
  readonly act: number;
  readonly look: number;
  readonly fine: number;
  /** Machines that are not in trouble and send no data. */
  readonly silent: number;
}

/** Counts the machines at this moment. A machine that has the mark of a reason is never counted as fine. */
export function countsOf(machines: readonly MachineTile[], at: Moment): Counts {
  const counts = { act: 0, look: 0, fine: 0, silent: 0 };
  for (const machine of machines) {
    const { grade, freshness } = drawMachine(machine, at);
    const current = freshness === 'fresh' || freshness === 'ageing' || machine.status === 'maintenance';
    const placed = machine.attention?.place != null && machine.attention.over === undefined;
    if (grade === 'act' || grade === 'look') counts[grade] += 1;
    else if (placed) counts.look += 1;
    else counts[current ? 'fine' : 'silent'] += 1;
  }
  return counts;
}
