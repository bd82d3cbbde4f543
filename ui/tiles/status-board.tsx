/**
 * The status board: the machines in trouble above, in the order of the ranking, and below them a strip in which every machine has a fixed
 * place.
 */
import { useEffect, useState } from 'preact/hooks';
import type { MachineTile } from '#contract/site/live.ts';
import { fitting, type Size, shortened, textWidth } from '#ui/text/measure.ts';
import { compareUnits } from '#ui/text/unit-order.ts';
import { fill, reasonTexts, words } from '#ui/words.ts';
import type { Moment } from './ageing.ts';
import { type Counts, countsOf } from './counts.ts';
import { drawMachine, type MachineDrawing } from './machine-drawing.ts';
import { AlertMark, LiveMark, Service } from './marks.tsx';
import { cellsOf, NUMBER, partsOf, troubledOf, type WallLayout, wallLayout } from './wall-layout.ts';

const { strip } = words;
const HEADING = 5.2;
/** Text sizes in the cells: of the name, and of the other texts. */
const SIZES = { large: [3.2, 2.7], medium: [2.7, 2.6], small: [NUMBER, NUMBER] } as const;

const byUnit = (a: MachineTile, b: MachineTile) => compareUnits(a.unit_number, b.unit_number) || (a.id < b.id ? -1 : 1);

/** The shape of a machine in the strip. */
function CellMark({ drawing }: { drawing: MachineDrawing }) {
  const { mark, grade, level, chip } = drawing;
  if (mark !== null && grade !== 'note') return <AlertMark mark={mark} />;
  if (chip?.tone === 'maint') return <Service />;
  if (level !== null) return <AlertMark mark={level} />;
  return <LiveMark live={drawing.live} />;
}

function StripCell(props: { machine: MachineTile; at: Moment; layout: WallLayout; first: boolean }) {
  const { machine, at, layout } = props;
  const { kind, cell, larger, top } = layout;
  const drawing = drawMachine(machine, at);
  const { chip, word, detail, reason, grade } = drawing;
  const troubled = machine.attention?.place != null;
  const [name, small] = SIZES[kind];
  const width = cell.w / larger - 2.4;
  const texts =
    troubled && top > 0
      ? [strip.above, strip.above_short]
      : reason !== null && grade !== 'note'
        ? reasonTexts(reason)
        : chip !== null
          ? [chip.text]
          : word;
  const text = fitting([...texts, ''], small, 400, width - 3.4);
  const unit = shortened(machine.unit_number, name, 700, width);
  const value = fitting([...(troubled ? [] : detail), ''], small, 400, width - textWidth(unit, name, 700) - 1);
  return (
    <li
      class={`machine ${kind}${troubled ? ' troubled' : ''}${props.first ? ' first' : ''}`}
      data-live={drawing.live}
      data-fresh={drawing.freshness}
      data-chip={chip?.tone}
      data-grade={grade}
      data-cause={reason?.cause}
      aria-label={props.first ? `most urgent, ${drawing.sentence}` : drawing.sentence}
    >
      <h2>{kind === 'small' ? partsOf(machine.unit_number)[1] : unit}</h2>
      {kind === 'large' && <span class="detail">{value}</span>}
      <div class="state">
        <CellMark drawing={drawing} />
        {kind !== 'small' && <span>{text}</span>}
      </div>
    </li>
  );
}

/** The heading of the strip: how many machines are fine, and what they do. */
function StripHead(props: {
  machines: readonly MachineTile[];
  counts: Counts;
  troubled: number;
  at: Moment;
  width: number;
}) {
  const { machines, counts, at } = props;
  const states = { running: 0, idle: 0, off: 0, unknown: 0, service: 0 };
  for (const machine of machines) {
    if (machine.attention?.place != null) continue;
    const { live, chip } = drawMachine(machine, at);
    states[chip?.tone === 'maint' ? 'service' : live] += 1;
  }
  const title = fill(props.troubled > 0 ? strip.rest : strip.all, { fine: counts.fine, all: machines.length });
  let left = props.width - textWidth(title, 3, 700);
  const items = (['running', 'idle', 'off', 'service', 'unknown'] as const).flatMap((state) => {
    const count = states[state];
    const text = `${count} ${state === 'unknown' ? strip.no_data : strip[state]}`;
    left -= textWidth(text, 2.8, 400) + 6;
    return count === 0 || left < 0 ? [] : [{ state, text }];
  });
  return (
    <p class="strip-head">
      <b class="strip-title">{title}</b>
      {items.map(({ state, text }) => (
        <span key={state} class="strip-state">
          {state === 'service' ? <Service /> : <LiveMark live={state} />}
          {text}
        </span>
      ))}
    </p>
  );
}

type UpperPart = typeof import('./trouble.tsx').Upper;
let loaded: UpperPart | null = null;

/** Loads the part above the strip. It is a separate file, so that it does not delay the first picture. */
async function loadUpper(): Promise<UpperPart> {
  loaded ??= (await import('./trouble.tsx')).Upper;
  return loaded;
}
// Begin to load it while the page connects to the gateway.
void loadUpper().catch(() => undefined);

/** Milliseconds between two attempts to load the part above the strip. */
const AGAIN_MS = 5_000;

/** Returns the part above the strip, or null until it is loaded. */
function useUpper({ now }: Moment): UpperPart | null {
  const [part, setPart] = useState(() => loaded);
  useEffect(() => {
    if (part === null)
      loadUpper().then(
        (found) => setPart(() => found),
        () => undefined,
      );
  }, [part === null ? Math.floor(now / AGAIN_MS) : 0]);
  return part;
}

export function StatusBoard(props: {
  machines: readonly MachineTile[];
  title: string | null;
  at: Moment;
  timezone: string;
  page: number;
  size: Size;
  /** The id of the most urgent machine. */
  first: string | null;
}) {
  const { at } = props;
  const Upper = useUpper(at);
  const area = props.title === null ? props.size : { w: props.size.w, h: props.size.h - HEADING };
  if (props.machines.length === 0) {
    return (
      <section class="panel empty">
        <p class="hint">No machines yet. Add one on the office page.</p>
      </section>
    );
  }
  // The strip is sorted by unit number. So people learn where each machine is, and each machine is on exactly one page.
  const machines = [...props.machines].sort(byUnit);
  const troubled = troubledOf(machines);
  const layout = wallLayout(machines, troubled.length, area);
  const { top, cell, columns, each, pages } = layout;
  const page = Math.min(props.page, pages - 1);
  const cells = cellsOf(machines, layout.kind).slice(page * each, (page + 1) * each);
  const counts = countsOf(machines, at);
  return (
    <section class="status-board" data-live={at.live ? 'yes' : 'no'} aria-label={props.title ?? 'Machines'}>
      {props.title !== null && <h2 class="label heading">{props.title}</h2>}
      {top > 0 && (
        <div class="above" style={{ height: `calc(${top} * var(--u))` }}>
          {Upper !== null && (
            <Upper
              troubled={troubled}
              silent={counts.silent}
              all={machines.length}
              layout={layout}
              width={area.w}
              at={at}
              timezone={props.timezone}
              first={props.first}
            />
          )}
        </div>
      )}
      <div class="strip">
        <StripHead machines={machines} counts={counts} troubled={troubled.length} at={at} width={area.w - 4} />
        <ul
          class="machines"
          style={{
            '--m': `calc(var(--u) * ${layout.larger})`,
            gridTemplateColumns: `repeat(${columns}, calc(${cell.w} * var(--u)))`,
            gridAutoRows: `calc(${cell.h} * var(--u))`,
          }}
        >
          {cells.map((one) =>
            typeof one === 'string' ? (
              <li key={`type ${one}`} class="type">
                {one}
              </li>
            ) : (
              <StripCell key={one.id} machine={one} at={at} layout={layout} first={one.id === props.first} />
            ),
          )}
        </ul>
      </div>
    </section>
  );
}
