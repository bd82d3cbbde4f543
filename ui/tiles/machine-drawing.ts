/** What a machine's tile says, as words and marks: three owners, three drawings, never merged. Pure. */
import type { DrawnValue, MachineTile } from '#contract/live.ts';
import type { Freshness } from '#contract/signals.ts';
import { duration, shortDuration } from '#ui/format.ts';
import { type Moment, machineFreshness, shownStatus, valueFreshness } from '#ui/tv/ageing.ts';

/** Everything that is drawn of one machine; texts come longest first, the tile takes the first that fits. */
export interface MachineDrawing {
  readonly live: MachineTile['live_status'];
  readonly freshness: Freshness;
  readonly chip: { readonly text: string; readonly tone: 'crit' | 'maint' | 'off' } | null;
  readonly conflict: boolean;
  readonly word: readonly string[];
  readonly detail: readonly string[];
  /** Shape in front of the detail. */
  readonly mark: 'warning' | 'critical' | null;
  /** The whole tile as one sentence, for those who listen. */
  readonly sentence: string;
}

const CHIPS: Partial<Record<MachineTile['status'], NonNullable<MachineDrawing['chip']>>> = {
  down: { text: 'Down', tone: 'crit' },
  maintenance: { text: 'Service', tone: 'maint' },
  decommissioned: { text: 'Retired', tone: 'off' },
};

const WORDS = { running: 'Running', idle: 'Idle', off: 'Off', unknown: 'No data' } as const;

/** A value with its unit, "41.2 L/h"; an em dash when there is none. */
export function withUnit(value: DrawnValue): string {
  if (value.text === null) return '—';
  return value.unit === '' ? value.text : `${value.text} ${value.unit}`;
}

/** Units that say what is measured; any other number on a tile needs its name. */
const TELLING: ReadonlySet<string> = new Set(['L/h', 'rpm', 'km/h', 'h', 'km', 'L', 't', 'V']);

/** The value as a tile may write it, longest first. */
function named(value: DrawnValue, text: string): string[] {
  return TELLING.has(value.unit) ? [text] : [`${value.label} ${text}`, text];
}

function codes(machine: MachineTile): string | null {
  if (machine.dtc_active === null || machine.dtc_active === 0) return null;
  return machine.dtc_active === 1 ? '1 code' : `${machine.dtc_active} codes`;
}

function details(machine: MachineTile, freshness: Freshness, at: Moment): string[] {
  const age = machine.last_data_ms === null ? null : duration(at.now - machine.last_data_ms);
  if (freshness === 'never') return [];
  if (freshness === 'none') return age === null ? [] : [`${age} ago`, age];
  const value = machine.primary;
  const judged = value === null ? null : valueFreshness(value, at);
  const shown = value !== null && value.text !== null && judged !== 'none' && judged !== 'never';
  const text = shown ? withUnit(value) : null;
  if (freshness === 'stale') {
    if (age === null) return [];
    return text === null ? [`${age} ago`, age] : [`last ${text} · ${age}`, `${age} ago`, age];
  }
  if (machine.stop_lamp) return text === null ? ['Stop lamp', 'Stop'] : [`Stop lamp · ${text}`, 'Stop lamp', 'Stop'];
  if (text === null || value === null) return [codes(machine) ?? '—'];
  const valueAge = value.as_of_ms === null ? age : duration(at.now - value.as_of_ms);
  if (judged === 'stale') return [`last ${text} · ${valueAge}`, `last ${text}`, text];
  const names = named(value, text);
  const dtcs = codes(machine);
  const more = judged === 'ageing' ? valueAge : dtcs;
  return more === null ? names : [...names.map((name) => `${name} · ${more}`), ...names];
}

function words(machine: MachineTile, live: MachineTile['live_status'], freshness: Freshness, at: Moment): string[] {
  if (freshness === 'never') return ['Not transmitting yet', 'No data yet'];
  if (machine.conflict && live === 'running' && (freshness === 'fresh' || freshness === 'ageing')) {
    return ['Running now', 'Running'];
  }
  if (live === 'idle' && machine.live_since_ms !== null && freshness !== 'stale') {
    return [`Idle ${shortDuration(at.now - machine.live_since_ms)}`, 'Idle'];
  }
  // Data comes, but none of it says whether the engine runs.
  if (live === 'unknown' && (freshness === 'fresh' || freshness === 'ageing')) return ['State unknown', 'No state'];
  return [WORDS[live]];
}

/** Composes the drawing of a machine at a moment. */
export function drawMachine(machine: MachineTile, at: Moment): MachineDrawing {
  const judged = machineFreshness(machine, at);
  const live = shownStatus(machine, at);
  const chip = CHIPS[machine.status] ?? null;
  const believed = judged === 'fresh' || judged === 'ageing';
  // "Running now" is said only while somebody vouches for now.
  const conflict = machine.conflict && live === 'running' && believed;
  const word = words(machine, live, judged, at);
  const detail = details(machine, judged, at);
  const level = machine.primary?.level ?? 'normal';
  const mark = !believed ? null : machine.stop_lamp ? 'critical' : level === 'normal' ? null : level;
  const parts = [
    machine.name === machine.unit_number || machine.name === '' ? null : machine.name,
    conflict && chip !== null ? `reported ${chip.text.toLowerCase()}, running now` : (chip?.text.toLowerCase() ?? null),
    conflict ? null : (word[0] ?? '').toLowerCase(),
    detail[0] ?? null,
  ];
  const sentence = `${machine.unit_number}: ${parts.filter((part) => part !== null && part !== '').join(', ')}`;
  return { live, freshness: judged, chip, conflict, word, detail, mark, sentence };
}
