/**
 * Computes the attention score of a machine: one whole number that says how urgently it needs people.
 *
 *   score = base + worse + danger + owner + age + extra, kept inside the band of the grade (`BANDS`)
 *
 * The base points of the worst reason decide the grade, so many small reasons are never more urgent than a grave one, and a machine that
 * somebody has taken never leaves its grade.
 */

import { formatNumber } from '#contract/base/format-number.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import { compareNamed } from '#contract/site/live-apply.ts';
import type { Reason } from '#contract/site/trouble.ts';
import { type AttentionParts, BANDS, GRADES, type Grade, type Trend } from '#contract/work/attention.ts';
import { ALWAYS_COUNTS, type Claimed, type Item, itemsOf, type Passed } from './items.ts';
import { type Judged, judge, type Stated } from './judged.ts';
import type { LowTank } from './low-tanks.ts';
import type { OpenItems } from './open-items.ts';
import { probableOf } from './probable.ts';
import { type Means, trendOf, worsens } from './trend.ts';

/** Points if the value moved further past its limit in the last five minutes. */
const WORSE = 10;
/** Points while a machine that should stop still runs. */
const DANGER = 10;
/** Points once nobody has been on the reason for `UNOWNED_MS`. */
const UNOWNED = 8;
const UNOWNED_MS = 120_000;
/** Points that are subtracted while somebody is on the reason. */
const OWNED = 8;
/** One point for each `AGE_MS` that the reason is open, up to `MOST_AGE`. */
const AGE_MS = 600_000;
const MOST_AGE = 6;
/** Points for each further reason, up to `MOST_EXTRA`. */
const EXTRA = 2;
const MOST_EXTRA = 6;
/** Largest number of reasons that a screen gets of one machine. */
const MOST_REASONS = 4;

/** A machine, and what people have written about it. */
export interface AttentionMachine extends Stated {
  readonly id: string;
  readonly unit_number: string;
  readonly status_since_ms?: number | null;
  readonly taken?: Claimed['taken'];
}

/** What the scores depend on besides the machines and their open items. */
export interface Moment {
  readonly now_ms: number;
  /** False between two shifts. Nobody then expects the machines to work. */
  readonly in_shift: boolean;
  /** Names of mechanics, by id. */
  readonly mechanics: ReadonlyMap<string, string>;
  /** The means of the value of a reason. */
  readonly means: (equipment_id: string, signal: Passed['signal']) => Means | undefined;
  /** The low tanks of a machine. */
  readonly low: (equipment_id: string) => readonly LowTank[];
}

/** The score of one machine at one moment, without its place among other machines. */
export interface Scored {
  readonly id: string;
  readonly unit_number: string;
  readonly grade: Grade | null;
  readonly score: number;
  readonly parts: AttentionParts;
  readonly reasons: readonly Reason[];
  /** When the worst reason began; null if unknown or if there is none. */
  readonly since_ms: number | null;
  readonly owner: string | null;
  /** The value of the worst reason, if it has passed a limit. */
  readonly passed: Passed | null;
}

const NO_PARTS: AttentionParts = { base: 0, worse: 0, danger: 0, owner: 0, age: 0, extra: 0 };

export function gradeOf(base: number): Grade {
  return base >= BANDS.act[0] ? 'act' : base >= BANDS.look[0] ? 'look' : 'note';
}

/** Returns the points of an item, without the points for further items. */
function partsOf(item: Item, trend: Trend | null, running: boolean, now_ms: number): AttentionParts {
  const { base, owner, seen, since_ms, passed } = item;
  const open_ms = since_ms === null ? 0 : Math.max(0, now_ms - since_ms);
  return {
    base,
    worse: passed !== null && worsens(trend, passed.below) ? WORSE : 0,
    danger: gradeOf(base) === 'act' && running ? DANGER : 0,
    owner: owner !== null ? -OWNED : !seen && open_ms >= UNOWNED_MS ? UNOWNED : 0,
    age: Math.min(MOST_AGE, Math.floor(open_ms / AGE_MS)),
    extra: 0,
  };
}

const sumOf = ({ base, worse, danger, owner, age, extra }: AttentionParts) =>
  base + worse + danger + owner + age + extra;

/** Keeps points inside the band of a grade. */
function clamped(points: number, grade: Grade): number {
  const [least, most] = BANDS[grade];
  return Math.max(least, Math.min(most, points));
}

/**
 * True if the reason counts at this moment. In planned service and outside the shift only grave reasons, reported breakdowns and
 * contradictions count.
 */
function counts({ base, cause, says }: Item, { status }: Judged, in_shift: boolean): boolean {
  if (base >= ALWAYS_COUNTS || cause === 'conflict' || says.code === 'breakdown') return true;
  return in_shift && status !== 'maintenance';
}

/** Computes the score of a machine and its reasons, the gravest first. */
export function scoreOf(
  machine: AttentionMachine,
  live: EquipmentLive | undefined,
  open: OpenItems,
  { now_ms, in_shift, mechanics, means, low }: Moment,
): Scored {
  const { id, unit_number, status_since_ms = null, taken = null } = machine;
  const judged = judge(machine, live, now_ms);
  // `judge` reports the status `running` only for current data, except for stale data that is less than ten minutes old.
  const running = judged.live_status === 'running' && (judged.freshness === 'fresh' || judged.freshness === 'ageing');
  const claimed = { status_since_ms, taken, mechanics };
  const found = itemsOf(judged, open, live, { claimed, low: low(id), now_ms })
    .filter((item) => counts(item, judged, in_shift))
    .map((item) => {
      const value = item.passed === null ? undefined : live?.values[item.passed.signal]?.value;
      const trend =
        item.passed === null || value === undefined
          ? null
          : trendOf(item.passed.signal, value, means(id, item.passed.signal), now_ms);
      const parts = partsOf(item, trend, running, now_ms);
      const probably = probableOf(item, { live, now_ms, means: (signal) => means(id, signal) });
      return { item, trend, probably, parts, points: clamped(sumOf(parts), gradeOf(item.base)) };
    })
    .sort(
      (a, b) =>
        b.item.base - a.item.base ||
        b.points - a.points ||
        (a.item.since_ms ?? Number.MAX_SAFE_INTEGER) - (b.item.since_ms ?? Number.MAX_SAFE_INTEGER) ||
        compareTexts(a.item, b.item),
    );
  const [worst] = found;
  const reasons = found.slice(0, MOST_REASONS).map(
    ({ item, trend, probably, points }): Reason => ({
      grade: gradeOf(item.base),
      points,
      cause: item.cause,
      says: gradeOf(item.base) === 'act' && running ? withSpeed(item.says, live) : item.says,
      since_ms: item.since_ms,
      ...(probably !== undefined && { probably }),
      ...(trend !== null && { trend }),
      ...(item.owner !== null && { owner: item.owner.name }),
      ...(gradeOf(item.base) === 'act' && running && { runs: motionOf(live) }),
    }),
  );
  if (worst === undefined)
    return {
      id,
      unit_number,
      grade: null,
      score: 0,
      parts: NO_PARTS,
      reasons,
      since_ms: null,
      owner: null,
      passed: null,
    };
  const parts = { ...worst.parts, extra: Math.min(MOST_EXTRA, EXTRA * (found.length - 1)) };
  const grade = gradeOf(parts.base);
  const { since_ms, owner, passed } = worst.item;
  const score = clamped(sumOf(parts), grade);
  return { id, unit_number, grade, score, parts, reasons, since_ms, owner: owner?.name ?? null, passed };
}

/** The order of two items that are equal in everything that counts, so that the order never depends on the order of the input. */
function compareTexts(a: Item, b: Item): number {
  const text = ({ cause, says }: Item) => `${CAUSE_ORDER.indexOf(cause)} ${JSON.stringify(says)}`;
  return text(a) < text(b) ? -1 : 1;
}
const CAUSE_ORDER: readonly Item['cause'][] = [
  'safety',
  'alert',
  'stop_lamp',
  'conflict',
  'down',
  'repair',
  'level',
  'silent',
];

/** Above this speed in km/h a machine drives. */
const DRIVES_KMH = 3;

/** Adds the speed of a machine that should stop and drives. */
function withSpeed({ code, params }: Item['says'], live: EquipmentLive | undefined): Item['says'] {
  const speed = live?.values['vehicle.speed']?.value ?? 0;
  return speed > DRIVES_KMH ? { code, params: { ...params, speed: formatNumber(speed, 0) } } : { code, params };
}

function motionOf(live: EquipmentLive | undefined): 'driving' | 'running' {
  return (live?.values['vehicle.speed']?.value ?? 0) > DRIVES_KMH ? 'driving' : 'running';
}

const LATE = Number.MAX_SAFE_INTEGER;

/**
 * Compares two machines: by grade, score, base points, the time without an owner, the time since when, and the unit number. A machine
 * without a reason comes last.
 */
export function compareScored(a: Scored, b: Scored): number {
  const rank = ({ grade }: Scored) => (grade === null ? GRADES.length : GRADES.indexOf(grade));
  const since = ({ since_ms }: Scored) => since_ms ?? LATE;
  const unowned = (one: Scored) => (one.owner === null ? since(one) : LATE);
  return (
    rank(a) - rank(b) ||
    b.score - a.score ||
    b.parts.base - a.parts.base ||
    unowned(a) - unowned(b) ||
    since(a) - since(b) ||
    compareNamed(a, b)
  );
}
