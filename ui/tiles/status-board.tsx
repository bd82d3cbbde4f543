/** A grid of machine tiles, one page at a time. The rotation of the screen decides which page is shown. */
import type { MachineTile } from '#contract/site/live.ts';
import type { Moment } from './ageing.ts';
import { gridFor, tileFor } from './grid.ts';
import { Machine } from './machine.tsx';
import type { Size } from './measure.ts';
import { compareUnits } from './unit-order.ts';

const HEADING = 5.2;

function byUnit(a: MachineTile, b: MachineTile): number {
  return compareUnits(a.unit_number, b.unit_number) || (a.id < b.id ? -1 : 1);
}

export function StatusBoard(props: {
  machines: readonly MachineTile[];
  title: string | null;
  at: Moment;
  page: number;
  size: Size;
  /** The id of the most urgent machine. */
  first: string | null;
}) {
  const area = props.title === null ? props.size : { w: props.size.w, h: props.size.h - HEADING };
  const grid = gridFor(props.machines.length, area);
  // The tiles are sorted by unit number. So people learn where each machine is, and each machine is on exactly one page.
  const machines = [...props.machines].sort(byUnit);
  const each = Math.ceil(props.machines.length / grid.pages);
  const page = Math.min(props.page, grid.pages - 1);
  const shown = machines.slice(page * each, (page + 1) * each);
  const { size, larger } = tileFor(grid, area);
  if (props.machines.length === 0) {
    return (
      <section class="panel empty">
        <p class="hint">No machines yet. Add one on the office page.</p>
      </section>
    );
  }
  return (
    <section class="status-board" aria-label={props.title ?? 'Machines'}>
      {props.title !== null && <h2 class="label heading">{props.title}</h2>}
      <ul
        class="machines"
        style={{
          '--m': `calc(var(--u) * ${larger})`,
          gridTemplateColumns: `repeat(${grid.columns}, calc(${size.w} * var(--u)))`,
          gridTemplateRows: `repeat(${grid.rows}, calc(${size.h} * var(--u)))`,
        }}
      >
        {shown.map((machine) => (
          <Machine
            key={machine.id}
            machine={machine}
            at={props.at}
            kind={grid.kind}
            width={size.w / larger}
            first={machine.id === props.first}
          />
        ))}
      </ul>
    </section>
  );
}
