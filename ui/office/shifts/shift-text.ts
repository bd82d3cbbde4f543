/** Texts and defaults of the pages of shifts. */
import type { Output } from '#contract/operations.ts';
import { SHIFT_PARTS, type ShiftPart, TIME_USAGE, type TimeUsage } from '#contract/work/shift-report.ts';
import { joined, moment } from '#ui/format.ts';
import { inside, type Text, t, type Word } from '#ui/languages/texts.ts';
import type { Project } from '#ui/office/base/session.ts';
import { wallTime } from '#ui/office/site/site-time.ts';

export type Draft = Output<'shift_reports_draft'>;
export type Changes = Draft['changes'];
export type Change = Changes['items'][number];
export type Stoppage = Draft['stoppages'][number];
/** How a machine spent a shift, in minutes. */
export type Minutes = Readonly<Record<ShiftPart, number>>;

export const CLASS_WORDS: Readonly<Record<ShiftPart, Word>> = {
  working: 'Working',
  idle: 'Idle',
  standby: 'Standby',
  off: 'Off',
  service: 'Service',
  down: 'Down',
  unknown: 'Unknown',
};
/** The classes in the order of the bar. */
export const BAR_CLASSES = [...SHIFT_PARTS].sort(
  (a, b) => Object.keys(CLASS_WORDS).indexOf(a) - Object.keys(CLASS_WORDS).indexOf(b),
);

/** Returns the minutes of each machine as screens show them: planned service is not a part of `down`. */
export function machineMinutes({
  time_classes,
  report,
}: Pick<Draft, 'time_classes'> & { readonly report: Pick<Draft['report'], 'time_usage'> }) {
  const usage = new Map(report.time_usage.map((one) => [one.equipment_id, one.minutes]));
  return time_classes.map(({ equipment_id, unit_number, minutes }) => {
    const service = usage.get(equipment_id)?.scheduled_downtime ?? 0;
    const parts: Minutes = { ...minutes, down: minutes.down - service, service };
    return { equipment_id, unit_number, minutes: parts };
  });
}

export const USAGE_WORDS: Readonly<Record<TimeUsage, Word>> = {
  productive: 'productive',
  non_productive: 'not productive',
  operating_delay: 'operating delay',
  standby: 'standby',
  scheduled_downtime: 'scheduled downtime',
  unscheduled_downtime: 'unscheduled downtime',
  unscheduled: 'unscheduled',
  unknown: 'unknown',
};

export const CATEGORY_WORDS: Readonly<Record<Stoppage['category'], Word>> = {
  scheduled_downtime: 'planned service',
  unscheduled_downtime: 'down',
};

const EVENT_WORDS = {
  'downtime.started': ['Downtime reported by {by} at {time}', 'Downtime reported at {time}'],
  status_changed: ['Status set by {by} at {time}', 'Status set at {time}'],
} as const satisfies Readonly<Record<string, readonly [by: Text, nobody: Text]>>;

/** Formats minutes as "7 h 05 min" or "35 min". */
export function minutesText(minutes: number): string {
  if (minutes < 60) return t('{minutes} min', { minutes });
  return t('{hours} h {minutes} min', {
    hours: Math.floor(minutes / 60),
    minutes: String(minutes % 60).padStart(2, '0'),
  });
}

/** A shift of the project: its name, and the local date on which it begins. */
export interface ChosenShift {
  readonly shift: string;
  readonly date: string;
}

/** Returns the shift that runs at `now`, or else the first shift of the project on the present date. */
export function presentShift(
  { shift_pattern, timezone }: Pick<Project, 'shift_pattern' | 'timezone'>,
  now: number,
): ChosenShift {
  const wall = wallTime(now, timezone);
  const [date, time] = [wall.slice(0, 10), wall.slice(11, 16)];
  const before = new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
  for (const { name, starts, ends } of shift_pattern) {
    const isOverMidnight = ends <= starts;
    if (isOverMidnight && time < ends) return { shift: name, date: before };
    if (time >= starts && (isOverMidnight || time < ends)) return { shift: name, date };
  }
  return { shift: shift_pattern[0]?.name ?? '', date };
}

/** Returns a piece of evidence in a report for a person. A report of a person begins with the id of its event. */
export function evidenceText(evidence: string): string {
  const [, by] = /^evt_[0-9a-z]{26}(?:, reported by (.+))?$/.exec(evidence) ?? [];
  if (by !== undefined) return t('reported by {name}', { name: by });
  return evidence.startsWith('evt_') ? t('reported') : evidence;
}

const ms = (time: string) => Date.parse(time);

/** Describes a change: "02:10 to 03:40: HT-104 was unknown, is working now". */
export function changeText({ from, to, unit_number, was, now: is }: Change, now: number, timezone: string): string {
  const end = moment(ms(to), now, timezone);
  return t('{from} to {end}: {unit} was {was}, is {is} now', {
    from: moment(ms(from), now, timezone),
    end,
    unit: unit_number,
    was: inside(t(CLASS_WORDS[was])),
    is: inside(t(CLASS_WORDS[is])),
  });
}

/** Returns why a change was found: "New data was in history by 06:12." */
export function changeReason({ cause, stored_by }: Change, now: number, timezone: string): string {
  if (cause === 'report') return t('A person reported it.');
  return stored_by === null
    ? t('New data arrived in the last minutes.')
    : t('New data was in history by {time}.', { time: moment(ms(stored_by), now, timezone) });
}

/** Returns who reported a stoppage: "Status set by Grace at 09:00". */
export function reportText({ type, by, at }: Stoppage['reported'][number], now: number, timezone: string): string {
  const time = moment(ms(at), now, timezone);
  if (type !== 'downtime.started' && type !== 'status_changed') return joined(type, by, time);
  const [named, unnamed] = EVENT_WORDS[type];
  return by === null ? t(unnamed, { time }) : t(named, { by, time });
}

type Usage = Readonly<Record<TimeUsage, number>>;

/** Lists the categories whose minutes differ: "unknown 90 min, now 0 min". */
export function usageDifferences(reported: Usage, now: Usage): string[] {
  return TIME_USAGE.filter((name) => reported[name] !== now[name]).map((name) =>
    t('{usage} {reported}, now {now}', {
      usage: t(USAGE_WORDS[name]),
      reported: minutesText(reported[name]),
      now: minutesText(now[name]),
    }),
  );
}
