/** The history of one signal of a machine: a chart with its extremes and gaps. A person zooms by dragging over it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SignalName } from '#contract/base/signals.ts';
import type { TelemetrySeries } from '#contract/fleet/telemetry.ts';
import type { Output } from '#contract/operations.ts';
import { clock, duration, moment, momentSeconds } from '#ui/format.ts';
import { decimals, type Text, t, translated } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { saveText } from '#ui/office/base/save-file.ts';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { timeTicks, valueTicks } from '#ui/tiles/trend-scale.ts';
import {
  bandPath,
  csvOf,
  type Frame,
  inShownUnits,
  linePath,
  nearest,
  type Point,
  pointsOf,
  runsOf,
  timeAt,
  xOf,
  yOf,
} from './history-shape.ts';
import { correctedWords, stateWords } from './history-words.ts';

const HOUR_MS = 3_600_000;
/** The ranges that a person selects with one button, in hours. */
const RANGES = [1, 8, 24, 168, 720];
/** Height of the drawing area in pixels. */
const HEIGHT = 180;
/** Height of the marks of states, such as "error", in pixels. They are at the bottom of the drawing area. */
const STATE_HEIGHT = 6;
/** The chart is read again after this number of milliseconds, except while a person has zoomed in. */
const READ_MS = 30_000;
/** A drag over fewer pixels than this does not zoom. */
const LEAST_DRAG = 8;
/** The shortest range to which a person can zoom, in milliseconds. */
const LEAST_MS = 60_000;

/** A range of time in milliseconds since 1970. */
interface Range {
  readonly from: number;
  readonly to: number;
}

type Answer = Output<'equipment_telemetry'>;
type Where = { readonly session: Session; readonly now: number };

/** Shows the history of a signal of a machine. */
export function ValueHistory(props: { session: Session; id: string; signal: SignalName; now: number }) {
  const { session, id, signal, now } = props;
  const [hours, setHours] = useState<number>(8);
  const [zoom, setZoom] = useState<Range | null>(null);
  const { data, problem } = usePolled(
    async (abort) => {
      const to = zoom?.to ?? session.now();
      const from = zoom?.from ?? to - hours * HOUR_MS;
      const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const answer = await session.client.call(
        'equipment_telemetry',
        { id, signals: [signal], ...times, points: 400 },
        { signal: abort },
      );
      return { answer, range: { from, to } };
    },
    zoom === null ? READ_MS : 10 * READ_MS,
    [id, signal, hours, zoom?.from, zoom?.to],
  );
  const stored = data?.answer.series[0];
  const series = stored && inShownUnits(stored);
  const where = { session, now };
  return (
    <div class="history">
      <fieldset class="history-ranges" aria-label={t('Time range')}>
        {RANGES.map((value) => (
          <button
            key={value}
            type="button"
            class={zoom === null && hours === value ? 'quiet range-on' : 'quiet'}
            aria-pressed={zoom === null && hours === value}
            onClick={() => {
              setZoom(null);
              setHours(value);
            }}
          >
            {value > 24 ? t('{n} d', { n: value / 24 }) : `${value} h`}
          </button>
        ))}
      </fieldset>
      <Problem text={problem} />
      {data === null || series === undefined || stored === undefined ? (
        problem === null && <p class="aside">{t('Reading the history…')}</p>
      ) : (
        <>
          <Chart series={series} answer={data.answer} range={data.range} onZoom={setZoom} {...where} />
          <Facts series={series} answer={data.answer} {...where} />
          <div class="history-ranges">
            {series.t.length > 0 && (
              <button type="button" class="quiet" onClick={() => saveText(csvOf(stored), csvName(signal, data.range))}>
                {t('Save as CSV')}
              </button>
            )}
            {zoom !== null && (
              <button type="button" class="quiet" onClick={() => setZoom(null)}>
                {t('Show the whole range')}
              </button>
            )}
          </div>
        </>
      )}
    </div>
  );
}

/** Returns the name of a CSV file: signal and start of the range, in characters that every operating system accepts. */
function csvName(signal: SignalName, { from }: Range): string {
  return `${signal}-${new Date(from).toISOString().slice(0, 16).replace(':', '')}.csv`;
}

/** The chart: a line of means, an area between the extremes, and hatched gaps. */
function Chart(props: Where & { series: TelemetrySeries; answer: Answer; range: Range; onZoom(range: Range): void }) {
  const { series, answer, range, session, now } = props;
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [at, setAt] = useState<Point | null>(null);
  const [drag, setDrag] = useState<readonly [start: number, end: number] | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const zone = session.project.timezone;
  const points = pointsOf(series);
  const lowest = series.lowest?.value ?? 0;
  const highest = series.highest?.value ?? 1;
  const ticks = valueTicks(lowest, highest, 4);
  const frame: Frame = {
    width,
    height: HEIGHT,
    ...range,
    least: ticks[0] as number,
    most: ticks.at(-1) as number,
  };
  const step_ms = (answer.step_s ?? 1) * 1000;
  const runs = runsOf(points, step_ms + series.stale_after_s * 1000);
  const xAt = (event: { clientX: number }) => event.clientX - (box.current?.getBoundingClientRect().left ?? 0);
  const extremes = { from: lowest, to: `${highest} ${series.unit}` };
  const label = `${translated(series.label)}: ${points.length === 0 ? t('no values') : t('{from} to {to}', extremes)}`;
  const long = range.to - range.from > 36 * HOUR_MS;
  const tickText = (s: number) => (long ? moment(s * 1000, now, zone).replace(/ \S+$/, '') : clock(s * 1000, zone));
  return (
    <>
      <div
        ref={box}
        class="history-chart"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([xAt(event), xAt(event)]);
        }}
        onPointerMove={(event) => {
          const x = xAt(event);
          setAt(nearest(points, timeAt(frame, x)) ?? null);
          if (drag !== null) setDrag([drag[0], x]);
        }}
        onPointerLeave={() => setAt(null)}
        onPointerCancel={() => setDrag(null)}
        onPointerUp={(event) => {
          if (drag === null) return;
          setDrag(null);
          const [a, b] = [drag[0], xAt(event)].sort((one, other) => one - other) as [number, number];
          if (b - a < LEAST_DRAG) return;
          const [from, to] = [timeAt(frame, a), timeAt(frame, b)];
          if (to - from >= LEAST_MS) props.onZoom({ from, to });
        }}
      >
        {width > 0 && (
          <Drawing frame={frame} series={series} runs={runs} ticks={ticks} at={at} drag={drag} label={label} />
        )}
        <div class="history-times">
          {width > 0 &&
            timeTicks(range.from / 1000, range.to / 1000, Math.max(2, Math.floor(width / 90)), zone).map((t) => (
              <span key={t} class="history-time" style={{ left: `${Math.min(width - 40, xOf(frame, t * 1000))}px` }}>
                {tickText(t)}
              </span>
            ))}
        </div>
      </div>
      <p class="aside history-read" aria-live="polite">
        {at === null ? hintOf(answer) : textOf(at, series.unit, momentSeconds(at.t, now, zone))}
      </p>
    </>
  );
}

/** The drawing itself: gaps, states, grid, lines, the point under the pointer, and the selection of a zoom. */
function Drawing(props: {
  frame: Frame;
  series: TelemetrySeries;
  runs: readonly Point[][];
  ticks: readonly number[];
  at: Point | null;
  drag: readonly [start: number, end: number] | null;
  label: string;
}) {
  const { frame, series, runs, ticks, at, drag, label } = props;
  const { width } = frame;
  return (
    <svg class="history-drawing" width={width} height={HEIGHT} role="img" aria-label={label}>
      <defs>
        <pattern id="history-gap" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="6" class="history-hatch" />
        </pattern>
      </defs>
      {series.gaps.map((gap) => (
        <rect
          key={gap.from}
          x={xOf(frame, gap.from)}
          y={0}
          width={Math.max(1, xOf(frame, gap.to) - xOf(frame, gap.from))}
          height={HEIGHT}
          fill="url(#history-gap)"
        />
      ))}
      {series.states.map((one) => (
        <rect
          key={`${one.state} ${one.from}`}
          class={`history-state history-state-${one.state}`}
          x={xOf(frame, one.from)}
          y={HEIGHT - STATE_HEIGHT}
          width={Math.max(2, xOf(frame, one.to + 1_000) - xOf(frame, one.from))}
          height={STATE_HEIGHT}
        />
      ))}
      {ticks.map((v) => (
        <g key={v}>
          <line x1={0} x2={width} y1={yOf(frame, v)} y2={yOf(frame, v)} class="history-grid" />
          <text x={2} y={Math.max(12, yOf(frame, v) - 3)} class="history-tick">
            {v}
          </text>
        </g>
      ))}
      {runs.map((run) => (
        <g key={run[0]?.t}>
          <path d={bandPath(frame, run)} class="history-band" />
          <path d={linePath(frame, run)} class="history-line" />
        </g>
      ))}
      {at !== null && <circle cx={xOf(frame, at.t)} cy={yOf(frame, at.mean)} r={4} class="history-dot" />}
      {drag !== null && (
        <rect
          x={Math.min(...drag)}
          y={0}
          width={Math.abs(drag[1] - drag[0])}
          height={HEIGHT}
          class="history-selection"
        />
      )}
    </svg>
  );
}

/** Returns the text under the chart while the pointer is not over it. */
function hintOf({ step_s }: Answer): string {
  const what =
    step_s === null || step_s === 1
      ? t('Each point is a second.')
      : t('Each point covers {age}.', { age: duration(step_s * 1000) });
  return `${what} ${t('Drag over the chart to zoom.')}`;
}

/** Returns the text of the point under the pointer. */
function textOf({ low, mean, high }: Point, unit: string, when: string): string {
  const short = (v: number) => decimals(String(Number(v.toPrecision(5))));
  if (low === high) return `${when}: ${short(mean)} ${unit}`;
  return t('{when}: mean {mean} {unit}, lowest {low}, highest {high}', {
    when,
    mean: short(mean),
    unit,
    low: short(low),
    high: short(high),
  });
}

const DELETED = {
  samples: {
    age: 'Samples from {from} to {to} were deleted because of their age, the last of them {last}.',
    space: 'Samples from {from} to {to} were deleted because the disk share was full, the last of them {last}.',
  },
  minutes: {
    age: 'Statistics of minutes from {from} to {to} were deleted because of their age, the last of them {last}.',
    space:
      'Statistics of minutes from {from} to {to} were deleted because the disk share was full, the last of them {last}.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Text>>>>;

/** Says which history the retention deleted, when and why. */
function deletedText(
  { what, from, to, because, deleted_at }: Answer['deleted'][number],
  when: (t: number) => string,
): string {
  const times = { from: when(Date.parse(from)), to: when(Date.parse(to)), last: when(Date.parse(deleted_at)) };
  return t(DELETED[what === 'samples' ? 'samples' : 'minutes'][because === 'age' ? 'age' : 'space'], times);
}

/** Shows the extremes and gaps of the selected range in words. */
function Facts({ series, answer, session, now }: Where & { series: TelemetrySeries; answer: Answer }) {
  const zone = session.project.timezone;
  const { unit, lowest, highest, latest_before, gaps, gaps_total, samples, corrected } = series;
  const when = (t: number) => moment(t, now, zone);
  const silent = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
  const lines = [
    samples === 0 ? t('No samples in this time.') : null,
    samples === 0 && latest_before !== null
      ? t('Last value before: {value} {unit}, {when}.', {
          value: decimals(String(latest_before.value)),
          unit,
          when: when(latest_before.t),
        })
      : null,
    highest === null || lowest === null
      ? null
      : t('Highest {high} {unit} at {high_at}, lowest {low} {unit} at {low_at}.', {
          high: decimals(String(highest.value)),
          unit,
          high_at: when(highest.t),
          low: decimals(String(lowest.value)),
          low_at: when(lowest.t),
        }),
    samples > 0 && gaps_total > 0
      ? t(
          gaps_total > gaps.length
            ? '{n} gap without data, {age} in the listed gaps (hatched).|{n} gaps without data, {age} in the listed gaps (hatched).'
            : '{n} gap without data, {age} in all (hatched).|{n} gaps without data, {age} in all (hatched).',
          { n: gaps_total, age: duration(silent) },
        )
      : null,
    ...stateWords(series, when),
    ...corrected.map(correctedWords),
    answer.truncated && answer.next_from !== null
      ? t('Only the part before {when} was read, because the range has too many samples. Select a shorter range.', {
          when: when(Date.parse(answer.next_from)),
        })
      : null,
    ...answer.deleted.map((range) => deletedText(range, when)),
    answer.unreadable > 0
      ? t('{n} damaged records could not be read; their samples are missing here.', {
          n: answer.unreadable,
        })
      : null,
  ].filter((line) => line !== null);
  return (
    <>
      {lines.map((line) => (
        <p key={line} class="aside">
          {line}
        </p>
      ))}
    </>
  );
}
