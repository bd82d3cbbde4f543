/** Widgets that old TVs draw as numbers, pictures and texts. */
import type { ShiftRow } from '#contract/work/shift-report.ts';
import { clock, duration, joined } from '#ui/format.ts';
import { dayText } from '#ui/languages/day-text.ts';
import { decimals, isolated, t } from '#ui/languages/texts.ts';
import { type Moment, valueFreshness } from '#ui/tiles/ageing.ts';
import { markOf } from '#ui/tiles/machine-drawing.ts';
import { nearest } from '#ui/tiles/map-drawing.ts';
import { layoutMap, pathOf } from '#ui/tiles/map-layout.ts';
import { AlertMark } from '#ui/tiles/marks.tsx';
import { CLASSES, percent, shiftName, sumOf } from '#ui/tiles/shift.tsx';
import type { Data } from '#ui/tiles/tile-props.ts';
import { TrendDrawing, trendFrame } from '#ui/tiles/trend-drawing.tsx';
import { lastPoint, rounded } from '#ui/tiles/trend-scale.ts';
import { pageOf, Share, type TableProps } from './tables.tsx';
import { valueText } from './value.ts';

/** Pixels of one u (a hundredth of the height) in drawings. A drawing is scaled to the width of the screen. */
const U = 10;
const TREND = { width: 1_600, height: 560 };
const MAP = { w: 164, h: 72 };
const MEDIA = (share: string, id: string) =>
  `/api/v1/displays/${encodeURIComponent(share)}/media/${encodeURIComponent(id)}`;

interface DrawingProps<D> {
  readonly data: D;
  readonly at: Moment;
  readonly timezone: string;
}

export function KpiNumber({ data: { kpi }, at }: DrawingProps<Data<'kpi'>>) {
  const { text, old, level } = valueText(kpi.value, at);
  return (
    <div class={`kpi ${old ? 'old' : level}`}>
      <p class="hero">
        {level !== 'normal' && <AlertMark mark={level} />}
        {text}
      </p>
      <p>{joined(kpi.of?.unit_number, kpi.note)}</p>
    </div>
  );
}

export function TrendLines({ data: { trend }, at, timezone }: DrawingProps<Data<'timeseries'>>) {
  const lines = trend.lines.filter(({ t }) => t.length > 0);
  if (lines.length === 0) return <p class="hint">{t('No data in this period yet')}</p>;
  const to = Math.floor(at.now / 1000);
  const frame = trendFrame(lines, { ...TREND, u: U, to, window_s: trend.window_s }, timezone);
  return (
    <div>
      <svg class="trend" aria-hidden="true" viewBox={`0 0 ${TREND.width} ${TREND.height}`}>
        <TrendDrawing lines={lines} frame={frame} from={to - trend.window_s} u={U} timezone={timezone} />
      </svg>
      <p class="legend">
        {lines.map((line, i) => {
          const last = lastPoint(line);
          const current = line.freshness === 'fresh' || line.freshness === 'ageing';
          const value =
            last === null || line.freshness === 'none'
              ? t('No data')
              : isolated(`${decimals(rounded(last.v))} ${line.unit}`);
          const age = last === null || current ? '' : `, ${t('{age} ago', { age: duration(at.now - last.t * 1000) })}`;
          return (
            <span key={line.key} class={`key line-${(i % 4) + 1}`}>
              {`${line.of ?? ''} ${line.label}: ${value}${age}`}
            </span>
          );
        })}
      </p>
    </div>
  );
}

/** The shape of a machine on the map: a square to act on, a triangle to look at, and a circle otherwise. */
const SHAPES = {
  act: (x: number, y: number) => `M${x - 18} ${y - 18}h36v36h-36z`,
  look: (x: number, y: number) => `M${x} ${y - 22}l22 40h-44z`,
  other: (x: number, y: number) => `M${x - 18} ${y}a18 18 0 1 0 36 0a18 18 0 1 0 -36 0z`,
} as const;

export function MapDrawing({ data: { map }, at }: DrawingProps<Data<'map'>>) {
  const { area, fitted, spots, names, unnamed, places, labels, bar } = layoutMap(map, false, at, MAP, U);
  if (map.machines.length === 0 && map.places.length === 0)
    return <p class="hint">{t('No positions and no fences yet')}</p>;
  const base = area.h - 1.4 * U;
  return (
    <div>
      <svg class="map" role="img" aria-label={t('Map of the site')} viewBox={`0 0 ${area.w} ${area.h}`}>
        {places.map(({ place }) => (
          <path key={place.id} class={`place ${place.kind}`} d={pathOf(place, fitted)} fill-rule="evenodd" />
        ))}
        {labels.map(({ place, box }) => (
          <text key={place.id} class="place-name" x={box.x} y={box.y + 3.4 * U} font-size={3.2 * U}>
            {place.name}
          </text>
        ))}
        {spots.map(({ machine, drawing, x, y, name, old }, i) => {
          const label = names[i] ?? null;
          return (
            <g key={machine.id} class={`spot ${old ? 'old' : (drawing.grade ?? drawing.live)}`}>
              {label?.line === true && <path class="leader" d={`M${x} ${y}L${nearest(label, [x, y]).join(' ')}`} />}
              <path
                d={SHAPES[
                  old ? 'other' : drawing.grade === 'act' || drawing.grade === 'look' ? drawing.grade : 'other'
                ](x, y)}
              />
              {label !== null && (
                <text x={label.x} y={label.y + 3.6 * U} font-size={3.7 * U}>
                  {name}
                </text>
              )}
            </g>
          );
        })}
        <path class="leader" d={`M${2 * U} ${base}h${bar.metres * fitted.scale}`} />
        <text x={2.6 * U + bar.metres * fitted.scale} y={base + 0.8 * U} font-size={3.2 * U}>
          {`${bar.text} · ${t('North is up')}`}
        </text>
      </svg>
      {(unnamed.length > 0 || map.note !== null) && <p>{[map.note, ...unnamed].filter(Boolean).join(', ')}</p>}
    </div>
  );
}

/** The sentences of the summary of a day, as paragraphs. Those of today say until when they count. */
export function DayText({ data: { which, day }, timezone }: Omit<DrawingProps<Data<'day'>>, 'at'>) {
  if (day === null) return <p class="hint">{t('The summary is being made')}</p>;
  return (
    <div>
      {day.sentences.map((one) => (
        <p key={one.text}>{dayText(one)}</p>
      ))}
      {which === 'today' && <p class="hint">{t('until {time}', { time: clock(day.to_ms, timezone) })}</p>}
    </div>
  );
}

/** Height and place of each class in a ribbon of 20 units: a state has a height and a pattern besides its colour. */
const HEIGHTS: Readonly<Record<(typeof CLASSES)[number][0], number>> = {
  working: 16,
  idle: 8,
  standby: 8,
  off: 2,
  service: 16,
  down: 20,
  unknown: 16,
};

/** How a machine spent the shift, from its begin on the left to its end on the right. */
function Ribbon({ row, whole_min, share }: { row: ShiftRow; whole_min: number; share: number }) {
  const x = (minutes: number) => (minutes * 1000) / whole_min;
  let at = 0;
  return (
    <svg class="ribbon" aria-hidden="true" viewBox="0 0 1000 20" preserveAspectRatio="none">
      <path class="axis" d="M0 20H1000" />
      {row.spans?.map(([part, minutes]) => {
        const left = x(at);
        at += minutes;
        const height = HEIGHTS[part];
        const width = Math.max(x(minutes), part === 'down' ? 4 : 0);
        if (part === 'service') return <path key={left} class={part} d={`M${left} 12h${width}`} />;
        return <rect key={left} class={part} x={left} y={20 - height} width={width} height={height} />;
      })}
      <path class="now" d={`M${10 * share} 0V20`} />
    </svg>
  );
}

/** The ribbons of one page of machines. */
function Ribbons({ data: { shift }, page, at, timezone }: TableProps<Data<'shift_progress'>> & { timezone: string }) {
  const { now, rows } = shift;
  if (now === null) return null;
  const whole_ms = now.to_ms - now.from_ms;
  const share = Math.min(100, (100 * (at.now - now.from_ms)) / whole_ms);
  return (
    <table>
      <thead>
        <tr>
          <td />
          <td />
          <td>
            {t('{from} to {to}, {age} left', {
              from: clock(now.from_ms, timezone),
              to: clock(now.to_ms, timezone),
              age: duration(Math.max(0, now.to_ms - at.now)),
            })}
          </td>
          <td />
          <td class="number">{t('Working')}</td>
        </tr>
      </thead>
      <tbody>
        {pageOf(rows, page).map((row) => (
          <tr key={row.id} class={row.reason?.grade ?? ''}>
            <td class="mark-cell">{row.reason && <AlertMark mark={markOf(row.reason)} />}</td>
            <th>{row.unit_number}</th>
            <td class="bar-cell">
              <Ribbon row={row} whole_min={whole_ms / 60_000} share={share} />
            </td>
            <td>{row.minutes.down > 0 && `${t('Down')} ${duration(row.minutes.down * 60_000)}`}</td>
            <td class="number">{percent(row.minutes.working, sumOf(row.minutes))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The current shift: first the sum over all machines, then a ribbon for each of them. */
export function ShiftPart(props: TableProps<Data<'shift_progress'>> & { readonly timezone: string }) {
  const { at, timezone } = props;
  const { now, next, total, computed_ms } = props.data.shift;
  if (props.page > 0) return <Ribbons {...props} page={props.page - 1} />;
  if (now === null)
    return (
      <div>
        <p class="hint">{t('No shift is running')}</p>
        {next !== null && (
          <p>{t('{shift} starts at {time}', { shift: shiftName(next.name), time: clock(next.from_ms, timezone) })}</p>
        )}
      </div>
    );
  const sum = sumOf(total);
  const share = ((at.now - now.from_ms) / (now.to_ms - now.from_ms)) * 100;
  return (
    <div>
      <p class="shift">{shiftName(now.name)}</p>
      <p>
        {t('{from} to {to}, {age} left', {
          from: clock(now.from_ms, timezone),
          to: clock(now.to_ms, timezone),
          age: duration(now.to_ms - at.now),
        })}
      </p>
      <Share percent={share} level="normal" />
      {sum === 0 ? (
        <p class="hint">{t('No data for this shift yet')}</p>
      ) : (
        <table>
          <tbody>
            {CLASSES.filter(([part]) => total[part] > 0).map(([part, word]) => (
              <tr key={part}>
                <th>{t(word)}</th>
                <td class="number">{percent(total[part], sum)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="small">{t('Counted until {time}', { time: clock(computed_ms, timezone) })}</p>
    </div>
  );
}

export function Picture({ data: { camera }, share, at }: { data: Data<'camera'>; share: string; at: Moment }) {
  const judged = valueFreshness(camera.age, at);
  const taken = camera.age.as_of_ms === null ? '' : t('{age} ago', { age: duration(at.now - camera.age.as_of_ms) });
  if (camera.artifact_id === null || judged === 'never') return <p class="hint">{t('No picture yet')}</p>;
  if (judged === 'none') return <p class="hint">{`${camera.device} · ${t('last picture, {taken}', { taken })}`}</p>;
  return (
    <div class={judged === 'stale' ? 'picture old' : 'picture'}>
      <img src={MEDIA(share, camera.artifact_id)} alt="" />
      <p>{`${camera.device} · ${judged === 'stale' ? t('last picture, {taken}', { taken }) : taken}`}</p>
    </div>
  );
}

export function MediaFile({ data: { media }, share }: { data: Data<'media'>; share: string }) {
  const url = MEDIA(share, media.artifact_id);
  return (
    <div class="picture">
      {media.content_type.startsWith('video/') ? <video src={url} autoplay loop muted /> : <img src={url} alt="" />}
    </div>
  );
}

export function QrSquare({ data: { qr } }: { data: Data<'qr'> }) {
  return (
    <div class="picture">
      {qr.code !== null && (
        <svg
          class="qr"
          role="img"
          aria-label={qr.caption}
          viewBox={`0 0 ${qr.code.size} ${qr.code.size}`}
          shape-rendering="crispEdges"
        >
          <rect width={qr.code.size} height={qr.code.size} fill="#fff" />
          <path d={qr.code.path} fill="#000" />
        </svg>
      )}
      <p>{qr.caption}</p>
    </div>
  );
}
