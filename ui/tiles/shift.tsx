/**
 * The tile of the current shift: the elapsed time, and how much of the shift the machines spent in each class (working, idle, off and so
 * on). The time for which nothing is known is a separate class.
 */
import type { ShiftMinutes, ShiftTile, UnknownTime } from '#contract/site/live.ts';
import { clock, duration } from '#ui/format.ts';
import { isolated, t } from '#ui/languages/texts.ts';
import { fitting, shortened, textWidth } from '#ui/text/measure.ts';
import { cut } from '#ui/text/text-fit.ts';
import type { TileProps } from './tile-props.ts';

const FLOOR = 3.7;
const PADDING = { w: 4.4, h: 3.4 };
export const CLASSES = [
  ['working', 'Working'],
  ['idle', 'Idle'],
  ['standby', 'Standby'],
  ['off', 'Off'],
  ['service', 'Service'],
  ['down', 'Down'],
  ['unknown', 'Unknown'],
] as const;
/** Heights in u (1 u is a hundredth of the screen height), in this order: heading with elapsed time, sum bar, legend line, machine row. */
const ABOVE = 5.4 + 9.4;
const SUM = 5.4;
const LEGEND = 5;
const ROW = 5.4;
/** The height of an axis, and the gap between a name and its bar, in u. */
const AXIS = 4.6;
const BETWEEN = 1.6;

/** Returns a duration with all its units: "11 h 23 min". */
const spoken = (ms: number) => duration(ms).replace(/( h \d\d)(?=\u2069?$)/, '$1 min');

/** Returns the times on the axis: start, end, and as many full hours between as fit the width. */
function ticksOf(from_ms: number, to_ms: number, timezone: string, width: number): { share: number; text: string }[] {
  const HOUR = 3_600_000;
  const most = Math.max(1, Math.floor(width / 16));
  const hours = (to_ms - from_ms) / HOUR;
  const step = [1, 2, 3, 4, 6, 12, 24].find((one) => hours / one <= most) ?? 48;
  const ticks = [{ share: 0, text: clock(from_ms, timezone) }];
  for (let at = from_ms + step * HOUR; at <= to_ms - (step * HOUR) / 2; at += step * HOUR)
    ticks.push({ share: (at - from_ms) / (to_ms - from_ms), text: clock(at, timezone) });
  return [...ticks, { share: 1, text: clock(to_ms, timezone) }];
}

/** Returns the cause of unknown time: "no data from EX-02 since 22:38". */
function whyUnknown({ why, count, unit_number, at_ms }: UnknownTime, timezone: string): string {
  const who = count === 1 ? unit_number : t('{n} machine|{n} machines', { n: count });
  const time = at_ms === null ? '' : clock(at_ms, timezone);
  if (why === 'never') return t('no data from {who} yet', { who });
  return why === 'silent'
    ? t('no data from {who} since {time}', { who, time })
    : t('{who} added at {time}', { who, time });
}

/** Returns the heading of a shift. A name that the gateway gave is translated. */
export function shiftName(name: string): string {
  if (name === 'day') return t('Day shift');
  return name === 'night'
    ? t('Night shift')
    : t('{name} shift', { name: name.charAt(0).toUpperCase() + name.slice(1) });
}

/** Formats the share of `part` in `all` in whole percent. A share below half a percent becomes "< 1 %". */
const share = (part: number, all: number) =>
  isolated(part * 200 < all ? '< 1 %' : `${Math.round((100 * part) / all)} %`);

/** The tile between two shifts. */
function Between(
  props: Pick<TileProps<'shift_progress'>, 'title' | 'at' | 'timezone'> & {
    readonly next: ShiftTile['next'];
    readonly width: number;
  },
) {
  const { next, title, at, timezone, width } = props;
  const then =
    next === null
      ? ''
      : t('{shift} starts at {time}, in {age}', {
          shift: shiftName(next.name),
          time: clock(next.from_ms, timezone),
          age: duration(next.from_ms - at.now),
        });
  return (
    <section class="panel shift" aria-label={title || t('Shift')}>
      <h2 class="label">{cut(title || t('Shift'), FLOOR, 600, width)}</h2>
      <p class="hint">{cut(t('No shift is running'), FLOOR, 400, width)}</p>
      <p class="hint">{fitting([then, ''], FLOOR, 400, width)}</p>
    </section>
  );
}

export function Shift({ data, title, at, timezone, size }: TileProps<'shift_progress'>) {
  const { now, next, total, rows, computed_ms, unknown } = data.shift;
  const width = size.w - PADDING.w;
  if (now === null) return <Between {...{ next, title, at, timezone, width }} />;
  const whole = now.to_ms - now.from_ms;
  const heading = cut(title || shiftName(now.name), FLOOR, 600, width);
  const past = Math.min(whole, Math.max(0, at.now - now.from_ms));
  // In full minutes, so that the two times of the heading add up to the length of the shift.
  const gone = past < 60_000 ? past : Math.floor(past / 60_000) * 60_000;
  const left = fitting(
    [
      t('{gone} elapsed, {left} left', { gone: spoken(gone), left: spoken(whole - gone) }),
      t('{age} left', { age: spoken(whole - gone) }),
      '',
    ],
    FLOOR,
    400,
    width - textWidth(heading, FLOOR, 600) - 2,
  );
  const ticks = ticksOf(now.from_ms, now.to_ms, timezone, width);
  const sum = CLASSES.reduce((all, [name]) => all + total[name], 0);
  const legend = CLASSES.filter(([name]) => total[name] > 0).map(([name, word]) => ({
    name,
    text: `${t(word)} ${share(total[name], sum)}`,
  }));
  const lines = legendLines(legend, width);
  const reasons = unknown.map((one) => whyUnknown(one, timezone));
  const why = fitting(
    [
      ...reasons.map((_, i) => `${t('Unknown')}: ${reasons.slice(0, reasons.length - i).join(', ')}`),
      reasons[0] ?? '',
      '',
    ],
    FLOOR,
    400,
    width,
  );
  const room = size.h - PADDING.h - ABOVE - SUM - (lines.length + (why === '' ? 0 : 1)) * LEGEND - AXIS;
  const fits = Math.max(0, Math.floor(room / ROW));
  const shown = rows.length <= fits ? rows : rows.slice(0, Math.max(0, fits - 1));
  const unit = Math.min(Math.max(0, ...shown.map((row) => textWidth(row.unit_number, FLOOR, 600))), width * 0.3);
  const counted = Math.max(1, Math.round((computed_ms - now.from_ms) / 60_000));
  const old =
    at.now - computed_ms > 180_000 ? ` · ${t('as of {age} ago', { age: duration(at.now - computed_ms) })}` : '';
  return (
    <section class="panel shift" aria-label={heading}>
      <h2 class="label">
        {heading}
        <span>{left}</span>
      </h2>
      <div
        class="elapsed"
        role="img"
        aria-label={t('{gone} of {all} elapsed', { gone: spoken(gone), all: spoken(whole) })}
      >
        <div class="track">
          <div class="level" style={{ width: `${(100 * gone) / whole}%` }} />
          {ticks.map(({ share }) => (
            <i key={share} class="tick" style={{ left: `${100 * share}%` }} />
          ))}
        </div>
        <p class="axis">
          {ticks.map(({ share, text }) => (
            <span key={share} style={{ left: `${100 * share}%`, transform: `translateX(${-100 * share}%)` }}>
              {text}
            </span>
          ))}
        </p>
      </div>
      {sum === 0 ? (
        <p class="hint">{t('No data for this shift yet')}</p>
      ) : (
        <>
          <Stack minutes={total} of={sum} />
          {lines.map((line) => (
            <p class="legend" key={line[0]?.name}>
              {line.map(({ name, text }) => (
                <span key={name}>
                  <i data-class={name} />
                  {text}
                </span>
              ))}
            </p>
          ))}
          {why !== '' && <p class="legend">{why}</p>}
        </>
      )}
      {shown.length > 0 && (
        <p class="axis" style={{ marginLeft: `calc(${unit + BETWEEN} * var(--u))` }}>
          <span style={{ left: 0 }}>0</span>
          <span style={{ right: 0 }}>{spoken(counted * 60_000)}</span>
        </p>
      )}
      <ul>
        {shown.map((row) => (
          <li
            key={row.id}
            style={{ gridTemplateColumns: `calc(${unit} * var(--u)) minmax(0, 1fr)` }}
            aria-label={`${row.unit_number}: ${CLASSES.map(([name, word]) => `${t(word)} ${row.minutes[name]} min`).join(', ')}`}
          >
            <b class="unit">{shortened(row.unit_number, FLOOR, 600, unit)}</b>
            <Stack minutes={row.minutes} of={counted} />
          </li>
        ))}
      </ul>
      {rows.length > shown.length && shown.length > 0 && (
        <p class="hint">{`${t('and {count} more', { count: rows.length + data.shift.more - shown.length })}${old}`}</p>
      )}
    </section>
  );
}

function Stack({ minutes, of }: { minutes: ShiftMinutes; of: number }) {
  return (
    <div class="stack">
      {CLASSES.map(
        ([name]) =>
          minutes[name] > 0 && <div key={name} data-class={name} style={{ width: `${(100 * minutes[name]) / of}%` }} />,
      )}
    </div>
  );
}

/** Breaks the legend into lines that fit. */
function legendLines<T extends { readonly text: string }>(words: readonly T[], width: number): T[][] {
  const lines: T[][] = [];
  let left = 0;
  for (const word of words) {
    const needed = textWidth(word.text, FLOOR, 400) + 6.4;
    if (needed > left) {
      lines.push([]);
      left = width;
    }
    lines[lines.length - 1]?.push(word);
    left -= needed;
  }
  return lines;
}
