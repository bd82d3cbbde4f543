/** Computes the alert lines of the footer: urgent machines and values of all boards, the most urgent first, and each machine once. */
import type { BoardView, MachineTile, WidgetData } from '#contract/site/live.ts';
import { compareReasons } from '#contract/site/live-apply.ts';
import type { Reason } from '#contract/site/trouble.ts';
import { duration } from '#ui/format.ts';
import { inside, t } from '#ui/languages/texts.ts';
import type { Size } from '#ui/text/measure.ts';
import { lastKnown, type Moment, valueFreshness } from '#ui/tiles/ageing.ts';
import { hasWhole } from '#ui/tiles/grid.ts';
import { type Counts, countsOf, drawMachine, mostUrgent, withUnit } from '#ui/tiles/machine-drawing.ts';
import { reasonTexts } from '#ui/words.ts';

/** One line of the footer. */
export interface AlertLine {
  readonly key: string;
  readonly mark: 'critical' | 'warning' | 'conflict' | 'nodata';
  /** The texts of the line, the longest first; the last one is only the name. */
  readonly texts: readonly string[];
  /** The sort key of the line, compared like reasons of machines. */
  readonly order: Pick<Reason, 'grade' | 'points' | 'since_ms'>;
  /** The place of the machine in the ranking of the site, if it has one. */
  readonly place?: number;
}

/**
 * Reasons are sorted by grade and points (see `#domain/attention/score.ts`). A value that crossed a threshold of its widget has the grade
 * `look` and these points, so it comes after all machines of grade `act`.
 */
const LEVELS = { critical: 34, warning: 26 } as const;
const SEVERITIES = {
  critical: { grade: 'act', points: 60 },
  warning: { grade: 'look', points: 35 },
} as const;

const placeOf = ({ attention }: MachineTile) => (attention?.place == null ? {} : { place: attention.place });

function machineLine(machine: MachineTile, at: Moment): AlertLine | null {
  const { reason, mark, freshness } = drawMachine(machine, at);
  const key = machine.id;
  const unit = machine.unit_number;
  if (reason !== null && mark !== null && mark !== 'info') {
    const age = reason.cause !== 'silent' || reason.since_ms === null ? '' : ` · ${duration(at.now - reason.since_ms)}`;
    return {
      key,
      mark,
      texts: [...reasonTexts(reason).map((text) => `${unit} ${inside(text)}${age}`), unit],
      order: reason,
      ...placeOf(machine),
    };
  }
  if (freshness !== 'never' || machine.status === 'decommissioned' || machine.status === 'maintenance') return null;
  const order = { grade: 'note', points: 0, since_ms: null } as const;
  return { key, mark: 'nodata', texts: [`${unit} ${inside(t('No data yet'))}`, unit], order };
}

/** Returns the machines of a widget. */
function machinesOf(data: WidgetData): readonly MachineTile[] {
  if (data.type === 'status_board') return data.machines;
  if (data.type === 'machine_list') return data.list.rows;
  return data.type === 'map' ? [...data.map.machines, ...(data.map.trouble?.unplaced ?? [])] : [];
}

/** Returns all machines on these boards, each once. */
function machinesOn(boards: readonly BoardView[]): ReadonlyMap<string, MachineTile> {
  const found = new Map<string, MachineTile>();
  for (const { widgets } of boards)
    for (const { data } of widgets)
      for (const machine of machinesOf(data)) if (!found.has(machine.id)) found.set(machine.id, machine);
  return found;
}

/** Returns the id of the most urgent machine on these boards; null when no machine has the grade `act` (act now). */
export function mostUrgentOn(boards: readonly BoardView[]): string | null {
  return mostUrgent(machinesOn(boards).values());
}

/** Returns all lines of a playlist, most urgent first. A machine with several problems has one line. */
export function alertLines(boards: readonly BoardView[], at: Moment): AlertLine[] {
  const lines = new Map<string, AlertLine>();
  const machines = machinesOn(boards);
  for (const machine of machines.values()) {
    const line = machineLine(machine, at);
    if (line !== null) lines.set(machine.id, line);
  }
  for (const { widgets } of boards) {
    for (const { title, data } of widgets) {
      if (data.type === 'alert_feed') {
        for (const { id, equipment_id, severity, unit_number, rule_name, acknowledged, raised_ms } of data.alerts
          .rows) {
          const key = equipment_id ?? id;
          if (severity === 'info' || acknowledged !== null || lines.has(key)) continue;
          const texts = unit_number === null ? [rule_name] : [`${unit_number} ${rule_name}`, unit_number];
          lines.set(key, { key, mark: severity, texts, order: { ...SEVERITIES[severity], since_ms: raised_ms } });
        }
      } else if (data.type === 'kpi') {
        const { value, of } = data.kpi;
        // The header counts this machine by its reasons, and its line may not say otherwise.
        if (of !== undefined && machines.has(of.id)) continue;
        const judged = valueFreshness(value, at);
        const key = of?.id ?? `${title} ${value.label}`;
        if (value.level === 'normal' || judged === 'none' || judged === 'never' || lines.has(key)) continue;
        const name = title || value.label;
        const number = withUnit(value);
        const texts =
          of === undefined ? [`${name} ${number}`] : [`${of.unit_number} ${inside(name)} ${number}`, of.unit_number];
        const order = { grade: 'look', points: LEVELS[value.level], since_ms: null } as const;
        lines.set(key, { key, mark: value.level, texts, order });
      }
    }
  }
  // Machines in trouble stay in the order of the ranking. Every other line goes before the first line that it precedes.
  const all = [...lines.values()];
  const sorted = all.filter(({ place }) => place !== undefined).sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
  for (const line of all.filter(({ place }) => place === undefined).sort((a, b) => compareReasons(a.order, b.order))) {
    const next = sorted.findIndex((other) => compareReasons(line.order, other.order) < 0);
    sorted.splice(next < 0 ? sorted.length : next, 0, line);
  }
  return sorted;
}

/** What stands around a board: the most urgent machine, the counts of the header, and the lines of the footer. */
interface Around {
  readonly first: string | null;
  /** How many machines are in each state; null if no board shows machines, or if the board shows an alert. */
  readonly counts: Counts | null;
  /** The alert lines, without the machines whose trouble the board shows itself. */
  readonly lines: readonly AlertLine[];
  /** True if nothing is urgent, also nothing that the board itself shows. */
  readonly calm: boolean;
  /** True if the board itself says that it is not live. */
  readonly band: boolean;
}

/** Computes what stands around a board of these boards; `size` is the size of the board in u. */
export function aroundOf(boards: readonly BoardView[], board: BoardView | null, at: Moment, size: Size): Around {
  const machines = [...machinesOn(boards).values()];
  const all = alertLines(boards, at);
  const shown = (board?.widgets ?? []).flatMap(({ data }) =>
    data.type === 'status_board' || (data.type === 'map' && data.map.trouble) ? machinesOf(data) : [],
  );
  const own = new Set(shown.filter(({ attention }) => attention?.place != null).map(({ id }) => id));
  return {
    first: mostUrgentOn(boards),
    counts: machines.length === 0 || board?.alarm !== undefined ? null : countsOf(machines, lastKnown(at)),
    lines: all.filter(({ key }) => !own.has(key)),
    calm: all.length === 0,
    band: !at.live && board !== null && hasWhole(board, size),
  };
}

/** Returns the footer text for boards without alerts: how many machines send fresh data. */
export function quietLine(boards: readonly BoardView[], at: Moment, isCalm = true): string {
  const machines = machinesOn(boards);
  if (machines.size === 0) return '';
  let reporting = 0;
  for (const machine of machines.values()) {
    const { freshness } = drawMachine(machine, at);
    if (freshness === 'fresh' || freshness === 'ageing') reporting += 1;
  }
  const text = t('{reporting} of {n} machine reporting|{reporting} of {n} machines reporting', {
    reporting,
    n: machines.size,
  });
  return isCalm ? `${t('No alerts')} · ${text}` : text;
}
