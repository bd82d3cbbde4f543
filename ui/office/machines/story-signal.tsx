/** The row of one signal in the story of a machine: its line, and its value now or at the cursor. */

import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { TelemetrySeries } from '#contract/fleet/telemetry.ts';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { shownNumber } from '#ui/languages/units.ts';
import { type Frame, linePath, nearest, pointsOf, runsOf, yOf } from './history-shape.ts';
import { numberText, valueText } from './machine-cells.tsx';
import { type Limit, leftAt, type Range } from './story-parts.ts';
import { shownValue } from './value-age.ts';

type Equipment = Output<'equipment_list'>['data'][number];

/** The size of a line in its own units. The page stretches it to the width of the column. */
const LINE = { width: 1_000, height: 30 };

/** The line of one signal, with a gap where data is missing, and the limits that alerts crossed. */
export function SignalLine(props: {
  series: TelemetrySeries;
  limits: readonly Limit[];
  step_ms: number;
  range: Range;
  old: boolean;
}) {
  const { series, limits, step_ms, range } = props;
  const { lowest, highest, stale_after_s } = series;
  const points = pointsOf(series);
  const last = points.at(-1);
  const { min, max, unit } = signalRow(series.signal as SignalName);
  const bottom = Math.min(lowest?.value ?? 0, ...limits.map(({ value }) => value));
  const top = Math.max(highest?.value ?? 1, ...limits.map(({ value }) => value));
  // A value that is nearly constant is drawn flat, so that small noise does not look like a large change.
  const half = Math.max((top - bottom) / 2, (max - min) * 0.05) * 1.15;
  const middle = (top + bottom) / 2;
  const frame: Frame = { ...LINE, ...range, least: middle - half, most: middle + half };
  const tone = limits.find(({ open }) => open)?.severity;
  const gap_ms = step_ms + stale_after_s * 1000;
  return (
    <div class="story-line" data-tone={tone}>
      <svg viewBox={`0 0 ${LINE.width} ${LINE.height}`} preserveAspectRatio="none" aria-hidden="true">
        {limits.map(({ value }) => (
          <path
            key={value}
            class="limit"
            d={`M0 ${yOf(frame, value)}H${LINE.width}`}
            vector-effect="non-scaling-stroke"
          />
        ))}
        {runsOf(points, gap_ms).map((run) => (
          <path key={run[0]?.t} d={linePath(frame, run)} vector-effect="non-scaling-stroke" />
        ))}
      </svg>
      {last !== undefined &&
        (props.old || range.to - last.t > gap_ms ? (
          <i
            class="story-gap"
            style={{ ...leftAt(range, last.t), right: 0 }}
            title={t('No data for {age}', { age: duration(range.to - last.t) })}
          />
        ) : (
          <i
            class="story-dot"
            style={{ ...leftAt(range, last.t), top: `${(yOf(frame, last.mean) / LINE.height) * 100}%` }}
          />
        ))}
      {limits.map(({ value }) => (
        <small key={value} class="story-limit" style={{ top: `${(yOf(frame, value) / LINE.height) * 100}%` }}>
          {t('limit {value}', { value: shownNumber(String(value), unit) })}
        </small>
      ))}
    </div>
  );
}

/** The value of a signal: at the cursor, or now with its age. A value that is too old leads to the reason. */
export function SignalValue(props: {
  machine: Equipment;
  signal: SignalName;
  series: TelemetrySeries | undefined;
  step_ms: number;
  at: number | null;
  now: number;
  onWhy(): void;
}) {
  const { machine, signal, series, at, now } = props;
  const { field, unit, decimals, label } = signalRow(signal);
  if (at !== null) {
    const point = series === undefined ? undefined : nearest(pointsOf(series), at);
    const near = point !== undefined && Math.abs(point.t - at) <= props.step_ms + (series?.stale_after_s ?? 0) * 1000;
    return <b class="story-value">{near ? numberText(point.mean, decimals, unit) : t('No data')}</b>;
  }
  const shown = shownValue(machine, signal, valueText(machine, field), now);
  if (shown.text === null || shown.freshness === 'stale')
    return (
      <>
        <button type="button" class="story-why" title={shown.age} onClick={props.onWhy}>
          {shown.text === null ? t('No data: why?') : t('Old: why?')}
          <span class="hidden"> {translated(label)}</span>
        </button>
        <span class="age on-paper">{shown.text === null ? shown.age : `${shown.text}, ${shown.age}`}</span>
      </>
    );
  return (
    <>
      <b class="story-value">{shown.text}</b>
      <span class={`age ${shown.freshness}`}>{shown.age}</span>
    </>
  );
}
