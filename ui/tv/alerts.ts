/** The footer's lines: what stands out on any board of the playlist, worst first, each machine once. Pure. */
import type { BoardView, MachineTile, WidgetData } from '#contract/live.ts';
import { duration } from '#ui/format.ts';
import { drawMachine, withUnit } from '#ui/tiles/machine-drawing.ts';
import { type Moment, valueFreshness } from './ageing.ts';

/** One line of the footer. */
export interface AlertLine {
  readonly key: string;
  readonly mark: 'critical' | 'warning' | 'conflict' | 'nodata';
  readonly text: string;
}

const ORDER: Record<AlertLine['mark'], number> = { critical: 0, conflict: 1, warning: 2, nodata: 3 };

function machineLine(machine: MachineTile, at: Moment): AlertLine | null {
  const drawing = drawMachine(machine, at);
  const key = machine.id;
  const unit = machine.unit_number;
  if (drawing.conflict) {
    const said = machine.status === 'down' ? 'down' : 'in service';
    return { key, mark: 'conflict', text: `${unit} reported ${said}, running now` };
  }
  const faults = [
    machine.status === 'down' ? 'down' : null,
    drawing.mark === 'critical' && machine.stop_lamp ? 'stop lamp' : null,
  ];
  const said = faults.filter((one) => one !== null).join(', ');
  if (said !== '') return { key, mark: 'critical', text: `${unit} ${said}` };
  const value = machine.primary;
  if (drawing.mark !== null && value !== null && value.text !== null) {
    const mark = drawing.mark;
    return { key, mark, text: `${unit} ${value.label.toLowerCase()} ${withUnit(value)}` };
  }
  // Without the gateway every machine grows old at once; that is the banner's news, not theirs.
  if (!at.live && (machine.freshness === 'fresh' || machine.freshness === 'ageing')) return null;
  if (machine.status === 'decommissioned' || machine.status === 'maintenance') return null;
  if (drawing.freshness === 'never') return { key, mark: 'nodata', text: `${unit} not transmitting yet` };
  if (drawing.freshness === 'none' || drawing.freshness === 'stale') {
    const age = machine.last_data_ms === null ? '' : ` · ${duration(at.now - machine.last_data_ms)}`;
    return { key, mark: 'nodata', text: `${unit} no data${age}` };
  }
  return null;
}

/** The machines that a tile stands for. */
function machinesOf(data: WidgetData): readonly MachineTile[] {
  if (data.type === 'status_board') return data.machines;
  if (data.type === 'machine_list') return data.list.rows;
  return data.type === 'map' ? data.map.machines : [];
}

/** All lines of a playlist, worst first. */
export function alertLines(boards: readonly BoardView[], at: Moment): AlertLine[] {
  const seen = new Set<string>();
  const lines: AlertLine[] = [];
  const add = (line: AlertLine | null, key: string) => {
    if (seen.has(key)) return;
    seen.add(key);
    if (line !== null) lines.push(line);
  };
  for (const board of boards) {
    for (const widget of board.widgets) {
      for (const machine of machinesOf(widget.data)) add(machineLine(machine, at), machine.id);
      if (widget.data.type === 'alert_feed') {
        for (const row of widget.data.alerts.rows) {
          const { id, severity, unit_number, rule_name, acknowledged } = row;
          if (severity === 'info' || acknowledged !== null) continue;
          add({ key: id, mark: severity, text: unit_number === null ? rule_name : `${unit_number} ${rule_name}` }, id);
        }
      } else if (widget.data.type === 'kpi') {
        const value = widget.data.kpi.value;
        const judged = valueFreshness(value, at);
        if (value.level === 'normal' || judged === 'none' || judged === 'never') continue;
        const key = `${widget.title} ${value.label}`;
        add({ key, mark: value.level, text: `${widget.title || value.label} ${withUnit(value)}` }, key);
      }
    }
  }
  return lines.sort((a, b) => ORDER[a.mark] - ORDER[b.mark]);
}

/** What the footer says when nothing stands out: how many machines that rests on. */
export function quietLine(boards: readonly BoardView[], at: Moment): string {
  const machines = new Map<string, MachineTile>();
  for (const board of boards) {
    for (const widget of board.widgets) {
      for (const one of machinesOf(widget.data)) machines.set(one.id, one);
    }
  }
  if (machines.size === 0) return '';
  let reporting = 0;
  for (const machine of machines.values()) {
    const { freshness } = drawMachine(machine, at);
    if (freshness === 'fresh' || freshness === 'ageing') reporting += 1;
  }
  return `No alerts · ${reporting} of ${machines.size} machines reporting`;
}
