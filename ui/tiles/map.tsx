/** The site from above: fences of locations, machines where they were last seen, a scale and where north is. */
import type { MapMachine, MapPlace } from '#contract/site/live.ts';
import { compareUrgency } from '#contract/site/live-apply.ts';
import { shortDuration } from '#ui/format.ts';
import { type Moment, valueFreshness } from './ageing.ts';
import { drawMachine } from './machine-drawing.ts';
import { type Box, type Fitted, fitMap, metres, nearest, placeNames, roundMetres, spreadSpots } from './map-drawing.ts';
import { AlertMark, LiveMark, Service } from './marks.tsx';
import { fitting, textWidth } from './measure.ts';
import { cut } from './text-fit.ts';
import type { TileProps } from './tile-props.ts';

const FLOOR = 3.7;
const LINE = 4.6;
const PADDING = 1.6;
const HEADING = 5.4;
/** From so many machines on a line is kept for the names that find no place. */
const CROWD = 8;
/** Half a mark with the ring that is kept free around it, in u. */
const RADIUS = 3.2;
/** How far apart the middles of two marks are: the marks touch, and none is covered. */
const APART = 4.2;

function pathOf({ rings }: MapPlace, { scale, left, top }: Fitted): string {
  return rings
    .map((ring) => {
      let path = '';
      for (let i = 0; i + 1 < ring.length; i += 2) {
        const x = ((ring[i] ?? 0) * scale + left).toFixed(1);
        const y = (top - (ring[i + 1] ?? 0) * scale).toFixed(1);
        path += `${i === 0 ? 'M' : 'L'}${x} ${y}`;
      }
      return `${path}z`;
    })
    .join('');
}

/** The box around a place, in pixels. */
function boxOf({ rings }: MapPlace, { scale, left, top }: Fitted): Box {
  const xs: number[] = [];
  const ys: number[] = [];
  for (const ring of rings) for (const [i, n] of ring.entries()) (i % 2 === 0 ? xs : ys).push(n);
  const edge = (values: readonly number[], pick: (a: number, b: number) => number) =>
    values.reduce((a, b) => pick(a, b), values[0] ?? 0);
  const x = edge(xs, Math.min) * scale + left;
  const y = top - edge(ys, Math.max) * scale;
  return { x, y, w: edge(xs, Math.max) * scale + left - x, h: top - edge(ys, Math.min) * scale - y };
}

interface Spot {
  readonly machine: MapMachine;
  readonly drawing: ReturnType<typeof drawMachine>;
  readonly x: number;
  readonly y: number;
  readonly name: string;
  readonly old: boolean;
}

function spotOf(machine: MapMachine, at: Moment, { scale, left, top }: Fitted): Spot {
  const fix = valueFreshness(machine.fix, at);
  const old = fix !== 'fresh' && fix !== 'ageing';
  const age = machine.fix.as_of_ms === null ? '' : ` · ${shortDuration(at.now - machine.fix.as_of_ms)}`;
  return {
    machine,
    drawing: drawMachine(machine, at),
    x: machine.x * scale + left,
    y: top - machine.y * scale,
    name: old ? `${machine.unit_number}${age}` : machine.unit_number,
    old,
  };
}

/** The machines that have no name beside them, by name as far as the width goes. */
function restOf(names: readonly string[], width: number): string {
  for (let shown = names.length; shown > 0; shown -= 1) {
    const more = names.length - shown;
    const text = `Also here: ${names.slice(0, shown).join(', ')}${more === 0 ? '' : `, and ${more} more`}`;
    if (textWidth(text, FLOOR, 400) <= width) return text;
  }
  return `${names.length} more`;
}

export function SiteMap({ data, title, at, size, u, first }: TileProps<'map'>) {
  const { map } = data;
  const heading = title === '' ? 0 : HEADING;
  const area = { w: (size.w - 2 * PADDING) * u, h: (size.h - 2 * PADDING - heading) * u };
  const foot = LINE * u * (map.machines.length < CROWD ? 1 : 2);
  const fitted = fitMap(map.extent, area.w - 2 * RADIUS * u, area.h - foot - 2 * RADIUS * u);
  const at0 = { ...fitted, left: fitted.left + RADIUS * u, top: fitted.top + RADIUS * u };
  // What needs people is placed and named first, and drawn last, so that nothing lies on it.
  const homes = map.machines
    .map((machine) => spotOf(machine, at, at0))
    .sort((a, b) => compareUrgency(a.machine, b.machine) || Number(a.old) - Number(b.old));
  const moved = spreadSpots(homes, APART * u, RADIUS * u, { w: area.w, h: area.h - foot });
  const spots = homes.map((home, i) => ({ ...home, ...moved[i], home }));
  const names = placeNames(
    spots.map(({ x, y, name }) => ({ x, y, w: (textWidth(name, FLOOR, 600) + 1) * u, h: LINE * u })),
    [{ x: 0, y: area.h - foot, w: area.w, h: foot }],
    area,
    RADIUS * u,
  );
  const left = spots.flatMap(({ name }, i) => (names[i] === null ? [name] : []));
  const taken = [
    ...names.filter((name) => name !== null),
    ...spots.map(({ x, y }) => ({ x: x - RADIUS * u, y: y - RADIUS * u, w: 2 * RADIUS * u, h: 2 * RADIUS * u })),
  ];
  const places = map.places
    .map((place) => ({ place, box: boxOf(place, at0) }))
    .sort((a, b) => b.box.w * b.box.h - a.box.w * a.box.h);
  const labels: { place: MapPlace; box: Box }[] = [];
  for (const { place, box } of places) {
    const w = (textWidth(place.name, FLOOR, 400) + 1) * u;
    if (w > box.w) continue;
    const tries = [0.02, 0.45, 0.9].map((down) => ({
      x: box.x + (box.w - w) / 2,
      y: box.y + down * Math.max(0, box.h - LINE * u),
      w,
      h: LINE * u,
    }));
    const free = tries.find(
      (one) =>
        ![...taken, ...labels.map((label) => label.box)].some(
          (other) =>
            one.x < other.x + other.w &&
            other.x < one.x + one.w &&
            one.y < other.y + other.h &&
            other.y < one.y + one.h,
        ),
    );
    if (free !== undefined && free.x >= 0 && free.x + w <= area.w) labels.push({ place, box: free });
  }
  const bar = roundMetres((area.w * 0.22) / at0.scale);
  const width = size.w - 2 * PADDING;
  const room = width - (bar * at0.scale) / u - textWidth(metres(bar), FLOOR, 400) - 14;
  const note = map.note === null ? '' : fitting([map.note, ''], FLOOR, 400, room);
  return (
    <section class="panel map" aria-label={title || 'Map of the site'}>
      {title !== '' && <h2 class="label">{cut(title, FLOOR, 600, width)}</h2>}
      <div class="ground" style={{ height: `${area.h}px` }}>
        <svg width={area.w} height={area.h} aria-hidden="true">
          {places.map(({ place }) => (
            <path key={place.id} class={`place ${place.kind}`} d={pathOf(place, at0)} fill-rule="evenodd" />
          ))}
          {spots.map(({ machine, x, y }, i) => {
            const name = names[i];
            return name?.line === true ? (
              <path key={machine.id} class="leader" d={`M${x} ${y}L${nearest(name, [x, y]).join(' ')}`} />
            ) : null;
          })}
        </svg>
        {labels.map(({ place, box }) => (
          <span
            key={place.id}
            class="place-name"
            style={{ left: `${box.x}px`, top: `${box.y}px`, width: `${box.w}px` }}
          >
            {place.name}
          </span>
        ))}
        {spots.map(({ machine, drawing, x, y, name, old, home }, i) => {
          const label = names[i] ?? null;
          const { grade } = drawing;
          const mark = grade === 'act' || grade === 'look' ? drawing.mark : drawing.level;
          const urgent = machine.id === first;
          return (
            <div
              key={machine.id}
              class={`spot${old ? ' old' : ''}${urgent ? ' first' : ''}`}
              style={{ zIndex: spots.length - i }}
              data-grade={grade}
              data-live={drawing.live}
              data-fresh={drawing.freshness}
              aria-label={urgent ? `most urgent, ${drawing.sentence}` : drawing.sentence}
              role="img"
            >
              {machine.heading !== null && !old && x === home.x && y === home.y && (
                <svg
                  class="course"
                  viewBox="-12 -12 24 24"
                  style={{
                    left: `${x}px`,
                    top: `${y}px`,
                    transform: `translate(-50%, -50%) rotate(${machine.heading}deg)`,
                  }}
                  aria-hidden="true"
                >
                  <path d="M0-11.500 4-6h-8z" />
                </svg>
              )}
              <i style={{ left: `${x}px`, top: `${y}px` }}>
                {mark !== null ? (
                  <AlertMark mark={mark} />
                ) : drawing.chip?.tone === 'maint' ? (
                  <Service />
                ) : (
                  <LiveMark live={drawing.live} />
                )}
              </i>
              {label !== null && (
                <b style={{ left: `${label.x}px`, top: `${label.y}px`, width: `${label.w}px` }}>{name}</b>
              )}
            </div>
          );
        })}
        {map.machines.length === 0 && map.places.length === 0 && (
          <p class="hint">No machine has sent its position, and no location has a fence</p>
        )}
        {left.length > 0 && <p class="rest">{restOf(left, width)}</p>}
        <div class="legend">
          <svg class="north" viewBox="0 0 24 24" aria-label="North is up" role="img">
            <path d="M12 1 19 22 12 17.500 5 22z" />
          </svg>
          <span>N</span>
          <span class="scale" style={{ width: `${bar * at0.scale}px` }} />
          <span>{metres(bar)}</span>
          <span class="note">{note}</span>
        </div>
      </div>
    </section>
  );
}
