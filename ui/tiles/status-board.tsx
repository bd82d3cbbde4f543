/**
 * The status board: the machines in trouble above, in the order of the ranking, and below them a strip in which every machine has a fixed
 * place.
 */
import { useEffect, useState } from 'preact/hooks';
import type { MachineTile } from '#contract/site/live.ts';
import type { Calm } from '#contract/site/trouble.ts';
import { clock, moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { fittedSize, fitting, type Size, shortened, textWidth } from '#ui/text/measure.ts';
import { reasonTexts } from '#ui/words.ts';
import { lastKnown, type Moment } from './ageing.ts';
import { type Counts, countsOf, drawMachine, type MachineDrawing, spoken } from './machine-drawing.ts';
import { AlertMark, LiveMark, Service, Svg } from './marks.tsx';
import {
  BAND,
  cellsOf,
  HIGH,
  NUMBER,
  partsOf,
  seated,
  troubledOf,
  type WallLayout,
  wallLayout,
} from './wall-layout.ts';

const STATES = {
  running: '{n} running|{n} running',
  idle: '{n} idle',
  off: '{n} off|{n} off',
  service: '{n} in service',
  unknown: '{n} no data',
} as const;
const HEADING = 5.2;
/** Text sizes in the cells: of the name, and of the other texts. */
const SIZES = { large: [3.2, 2.7], medium: [2.7, 2.6], small: [NUMBER, NUMBER] } as const;

/** The shape of a machine in the strip and on a map. */
export function CellMark({ drawing }: { drawing: MachineDrawing }) {
  const { mark, grade, chip } = drawing;
  if (mark !== null && grade !== 'note') return <AlertMark mark={mark} />;
  if (chip?.tone === 'maint') return <Service />;
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
      ? [t('shown above'), t('above')]
      : reason !== null && grade !== 'note'
        ? reasonTexts(reason)
        : chip !== null
          ? [chip.text]
          : word;
  const text = fitting([...texts, ''], small, 400, width - 3.4);
  const unit = shortened(machine.unit_number, name, 700, width);
  // A high cell has its value on a line of its own.
  const high = kind === 'large' && cell.h / larger >= HIGH - 0.01;
  const beside = high ? width : width - textWidth(unit, name, 700) - 1;
  const value = fitting([...(troubled ? [] : detail), ''], small, 400, beside);
  return (
    <li
      class={`machine ${kind}${high ? ' high' : ''}${troubled ? ' troubled' : ''}${props.first ? ' first' : ''}`}
      data-live={drawing.live}
      data-fresh={drawing.freshness}
      data-chip={chip?.tone}
      data-grade={grade}
      data-cause={reason?.cause}
      aria-label={spoken(drawing, props.first)}
    >
      <h2>{kind === 'small' ? partsOf(machine.unit_number)[1] : unit}</h2>
      {kind === 'large' && (
        <span class="detail" data-level={drawing.level}>
          {value}
        </span>
      )}
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
  timezone: string;
  width: number;
}) {
  const { machines, counts } = props;
  const at = lastKnown(props.at);
  const states = { running: 0, idle: 0, off: 0, unknown: 0, service: 0 };
  for (const machine of machines) {
    if (machine.attention?.place != null) continue;
    const { live, chip, freshness } = drawMachine(machine, at);
    const state = chip?.tone === 'maint' ? 'service' : live;
    // A machine whose data does not tell its state is not a machine without data.
    if (state !== 'unknown' || (freshness !== 'fresh' && freshness !== 'ageing')) states[state] += 1;
  }
  const title = props.at.live
    ? props.troubled > 0
      ? t('The rest: {fine} of {all} fine', { fine: counts.fine, all: machines.length })
      : t('{n} machine|{n} machines', { n: machines.length })
    : t('As it was at {time}', { time: clock(at.now, props.timezone) });
  let left = props.width - textWidth(title, 3, 700);
  const items = (['running', 'idle', 'off', 'service', 'unknown'] as const).flatMap((state) => {
    const count = states[state];
    const text = t(STATES[state], { n: count });
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

/** Wi-Fi with a line through it. */
const NoLink = () => (
  <Svg name="no-link">
    <path
      class="line"
      d="M2 9.500a14 14 0 0 1 20 0M5.500 13.500a9 9 0 0 1 13 0M9 17.200a4 4 0 0 1 6 0M3 2l18 20"
      stroke-width="2.2"
    />
    <circle class="dot" cx="12" cy="20.500" r="1.700" />
  </Svg>
);

/** Says that the board is not live, since when, and what to do. */
function Band({ at, timezone, width }: { at: Moment; timezone: string; width: number }) {
  const room = width - 24;
  const title = t('Not live since {time}. All below is old.', { time: moment(at.lastMessageMs, at.now, timezone) });
  return (
    <div class="band" role="status" style={{ height: `calc(${BAND} * var(--u))` }}>
      <NoLink />
      <div>
        <h2 style={{ fontSize: `calc(${fittedSize(title, 5.6, 3.7, 700, room)} * var(--u))` }}>{title}</h2>
        <p>
          {fitting(
            [
              t('This screen cannot reach the gateway. Use the radio for anything urgent.'),
              t('No link to the gateway. Use the radio.'),
            ],
            3.7,
            400,
            room,
          )}
        </p>
      </div>
    </div>
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
  /** Since when no machine of the site is in trouble; undefined while one is. */
  calm: Calm | undefined;
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
        <p class="hint">{t('No machines yet. Add one on the office page.')}</p>
      </section>
    );
  }
  // Each machine has its place in the strip, so people learn where it is, and it is on exactly one page.
  const machines = seated(props.machines);
  const troubled = troubledOf(machines);
  const layout = wallLayout(machines, troubled.length, area, at.live);
  const { top, cell, columns, each, pages } = layout;
  const page = Math.min(props.page, pages - 1);
  const cells = cellsOf(machines, layout.kind).slice(page * each, (page + 1) * each);
  const counts = countsOf(machines, at);
  return (
    <section class="status-board" data-live={at.live ? 'yes' : 'no'} aria-label={props.title ?? t('Machines')}>
      {props.title !== null && <h2 class="label heading">{props.title}</h2>}
      {top > 0 && (
        <div class="above" style={{ height: `calc(${top} * var(--u))` }}>
          {!at.live && <Band at={at} timezone={props.timezone} width={area.w} />}
          {Upper !== null && (at.live || troubled.length > 0) && (
            <Upper
              troubled={troubled}
              machines={machines}
              silent={counts.silent}
              calm={props.calm}
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
        <StripHead
          machines={machines}
          counts={counts}
          troubled={troubled.length}
          at={at}
          timezone={props.timezone}
          width={area.w - 4}
        />
        <ul
          class="machines"
          style={{
            '--m': `calc(var(--u) * ${layout.larger})`,
            gridTemplateColumns: `repeat(${columns}, calc(${cell.w} * var(--u)))`,
            gridAutoRows: `calc(${cell.h} * var(--u))`,
          }}
        >
          {cells.map((one, i) =>
            one === null ? (
              <li key={`free ${i}`} class="free" aria-hidden="true" />
            ) : typeof one === 'string' ? (
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
