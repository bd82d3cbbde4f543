/**
 * The tile of the current shift: on one time axis a ribbon for each machine, with how it spent its time (working, idle, off and so on), and
 * below them the sum over the machines. The time for which nothing is known is a separate class. The future is empty.
 */
import type { ShiftMinutes, ShiftRow, ShiftTile, UnknownTime } from '#contract/work/shift-report.ts';
import { clock, duration, joined } from '#ui/format.ts';
import { isolated, t } from '#ui/languages/texts.ts';
import { fitting, shortened, textWidth } from '#ui/text/measure.ts';
import { cut } from '#ui/text/text-fit.ts';
import { shiftPages } from './grid.ts';
import { markOf } from './machine-drawing.ts';
import { AlertMark } from './marks.tsx';
import type { TileProps } from './tile-props.ts';

const FLOOR = 3.7;
const PADDING = 4.4;
export const CLASSES = [
  ['working', 'Working'],
  ['idle', 'Idle'],
  ['standby', 'Standby'],
  ['off', 'Off'],
  ['service', 'Service'],
  ['down', 'Down'],
  ['unknown', 'Unknown'],
] as const;
/** The height of the axis above the ribbons, and the width of a shape before a name, in u. */
const AXIS = 5;
const MARK = 4.6;
/** The size of the cross in a span of down time, and the largest size of its duration, in u. */
const LABEL = 3.4;
/** The tile says how old it is from this number of milliseconds on. The ribbons then have no data for this time. */
const OLD_MS = 180_000;

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
export const percent = (part: number, all: number) =>
  isolated(part > 0 && part * 200 < all ? '< 1 %' : `${Math.round((100 * part) / (all || 1))} %`);

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

/** Returns the minutes of all classes together. */
export const sumOf = (minutes: ShiftMinutes) => CLASSES.reduce((all, [name]) => all + minutes[name], 0);

export function Shift({ data, title, at, timezone, size, page }: TileProps<'shift_progress'>) {
  const { now, next, total, rows, computed_ms, unknown, more } = data.shift;
  const width = size.w - PADDING;
  if (now === null) return <Between {...{ next, title, at, timezone, width }} />;
  const whole = now.to_ms - now.from_ms;
  const past = Math.min(whole, Math.max(0, at.now - now.from_ms));
  // In full minutes, so that the two times of the heading add up to the length of the shift.
  const gone = past < 60_000 ? past : Math.floor(past / 60_000) * 60_000;
  const { lines, pages, each, row } = shiftPages(size, rows.length);
  const turned = Math.min(page, pages - 1);
  const shown = rows.slice(turned * each, (turned + 1) * each);
  const text = Math.min(5, row * 0.68);
  const unit = Math.min(Math.max(0, ...shown.map((one) => textWidth(one.unit_number, text, 600))), width * 0.3);
  const named = shown.length && unit + MARK + 1.6;
  const shared = shown.length && Math.max(textWidth('100 %', text, 600), textWidth(t('Working'), 2.6, 400)) + 1.2;
  const axis = width - named - shared;
  const share = gone / whole;
  const rest = t('{age} left', { age: spoken(whole - gone) });
  // The time that is left stands in the empty part of the ribbons, or in the heading.
  const inside = shown.length > 1 && textWidth(rest, FLOOR, 400) + 3 < axis * (1 - share);
  const spent = { gone: spoken(gone), all: spoken(whole), left: spoken(whole - gone) };
  const heading = cut(title || shiftName(now.name), FLOOR, 600, width);
  const turn = pages > 1 ? t('{place} of {all}', { place: turned + 1, all: pages }) : '';
  const beside = inside
    ? [joined(t('{gone} of {all} elapsed', spent), turn), turn]
    : [joined(t('{gone} elapsed, {left} left', spent), turn), joined(rest, turn), turn];
  const sum = sumOf(total);
  const keys = CLASSES.filter(([name]) => total[name] > 0).map(([name, word]) => [name, t(word)] as const);
  const legends = [
    keys.map(([name, word]) => ({ name, text: `${word} ${percent(total[name], sum)}` })),
    keys.map(([name, text]) => ({ name, text })),
  ].map((one) => legendLines(one, width));
  const legend = (legends.find((one) => one.length <= lines) ?? legends[1] ?? []).slice(0, lines);
  const reasons = unknown.map((one) => whyUnknown(one, timezone));
  const old = at.now - computed_ms > OLD_MS ? t('as of {age} ago', { age: duration(at.now - computed_ms) }) : '';
  const missing = more > 0 && turned === pages - 1 ? t('and {count} more', { count: more }) : '';
  const why = fitting(
    [
      ...reasons.map((_, i) =>
        joined(old, missing, `${t('Unknown')}: ${reasons.slice(0, reasons.length - i).join(', ')}`),
      ),
      joined(old, missing),
      old,
    ],
    FLOOR,
    400,
    width,
  );
  // The axis has no time under the flag with the present time. A narrow axis has no flag; the header of the page has the present time.
  const flag = axis > 40 ? textWidth('00:00', FLOOR, 600) + 2.4 : 0;
  const u = (n: number) => `calc(${n} * var(--u))`;
  const placed = (one: number) => ({ left: `${100 * one}%`, '--shift': `${-100 * one}%` });
  return (
    <section class="panel shift" aria-label={heading}>
      <h2 class="label">
        {heading}
        <span>{fitting([...beside, ''], FLOOR, 400, width - textWidth(heading, FLOOR, 600) - 2)}</span>
      </h2>
      <div class="ribbons" style={{ height: u(AXIS + (row * shown.length || 2)), '--row': row, '--size': text }}>
        <div class="axis" style={{ left: u(named), right: u(shared) }}>
          {ticksOf(now.from_ms, now.to_ms, timezone, axis).map((tick) => (
            <i key={tick.share} class="tick" style={placed(tick.share)}>
              {Math.abs(tick.share - share) * (axis - flag) >= flag && <span>{tick.text}</span>}
            </i>
          ))}
          <i class="tick now" role="img" aria-label={t('{gone} of {all} elapsed', spent)} style={placed(share)}>
            {flag > 0 && <span>{clock(at.now, timezone)}</span>}
          </i>
          {inside && (
            <p class="rest" style={{ left: `${100 * share}%` }}>
              {rest}
            </p>
          )}
        </div>
        {shown.length > 0 && <p class="worked">{t('Working')}</p>}
        <ul>
          {shown.map((one) => (
            <Row
              key={one.id}
              row={one}
              whole={whole}
              unit={shortened(one.unit_number, text, 600, unit)}
              grid={{ gridTemplateColumns: [MARK, unit + 1.6, axis, shared].map(u).join(' ') }}
              room={axis}
              text={text}
              old={old === '' ? 0 : past - (computed_ms - now.from_ms)}
            />
          ))}
        </ul>
      </div>
      {sum === 0 ? (
        <p class="hint">{t('No data for this shift yet')}</p>
      ) : (
        <>
          <div class="stack">
            {keys.map(([name]) => (
              <div key={name} data-class={name} style={{ width: `${(100 * total[name]) / sum}%` }} />
            ))}
          </div>
          {legend.map((line) => (
            <p class="legend" key={line[0]?.name}>
              {line.map((one) => (
                <span key={one.name}>
                  <b>
                    <i data-class={one.name} />
                  </b>
                  {one.text}
                </span>
              ))}
            </p>
          ))}
          {why !== '' && legend.length < lines && <p class="legend">{why}</p>}
        </>
      )}
    </section>
  );
}

/** A machine: its shape if it is in trouble, its name, its ribbon, and the share of the shift so far in which it worked. */
function Row(props: {
  row: ShiftRow;
  whole: number;
  unit: string;
  grid: { gridTemplateColumns: string };
  /** The width of the whole shift, and the size of a text, in u. */
  room: number;
  text: number;
  /** Milliseconds for which the screen has no data. */
  old: number;
}) {
  const { minutes, spans = [], reason, unit_number } = props.row;
  const part = 100 / (props.whole / 60_000);
  let at = 0;
  return (
    <li
      style={props.grid}
      aria-label={`${unit_number}: ${CLASSES.map(([name, word]) => `${t(word)} ${minutes[name]} min`).join(', ')}`}
    >
      <span>{reason && <AlertMark mark={markOf(reason)} />}</span>
      <b class="unit">{props.unit}</b>
      <div class="ribbon">
        {[...spans, ['unknown', props.old / 60_000] as const].map(([name, length]) => {
          const left = at;
          at += length;
          const room = (props.room * part * length) / 100 - 1;
          const size = Math.min(LABEL, props.text);
          return (
            (length > 0 || name === 'down') && (
              <div
                key={left}
                data-class={name}
                // A short span of down time is drawn wider, to its left.
                style={{ left: `${left * part}%`, width: `${length * part}%`, '--back': Math.min(0, room + 0.2) }}
              >
                {name === 'down' && room > LABEL && (
                  <>
                    <AlertMark mark="critical" />
                    {fitting([duration(length * 60_000), ''], size, 600, room - LABEL - 0.6)}
                  </>
                )}
              </div>
            )
          );
        })}
      </div>
      <b class="share">{percent(minutes.working, sumOf(minutes))}</b>
    </li>
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
