/** Computes the layout of a map tile: positions of marks, machine names and location names, in pixels. */
import type { MapMachine, MapPlace, MapTile } from '#contract/site/live.ts';
import { compareUrgency } from '#contract/site/live-apply.ts';
import { shortDuration } from '#ui/format.ts';
import { language, t } from '#ui/languages/texts.ts';
import { type Size, textWidth } from '#ui/text/measure.ts';
import { compareUnits } from '#ui/text/unit-order.ts';
import { type Moment, valueFreshness } from './ageing.ts';
import { drawMachine } from './machine-drawing.ts';
import {
  type Box,
  boxAround,
  type Fitted,
  fitMap,
  overlaps,
  placeNames,
  scaleBar,
  spreadSpots,
} from './map-drawing.ts';

export const FLOOR = 3.7;
const LINE = 4.6;
export const PADDING = 1.6;
const HEADING = 5.4;
/**
 * A map with at least `CROWD` machines reserves a line at its edge for the names of machines that do not fit beside their marks, and one
 * with at least `MANY` machines two lines.
 */
const CROWD = 8;
const MANY = 24;
/** The width in u that the two lines of names lose at the end of the first line. */
const WRAPPED = 14;
/** Half the size of a mark with the free ring around it, in u (1 u is a hundredth of the screen height). */
const RADIUS = 3.2;
/** The shortest distance between the centres of two marks. At this distance the marks touch and do not cover each other. */
const APART = 4.2;

/** Returns the corners of a ring (x and y in turn, in metres) in pixels. */
function cornersOf(ring: readonly number[], { scale, left, top }: Fitted): [x: number, y: number][] {
  return Array.from({ length: ring.length >> 1 }, (_, i) => [
    (ring[2 * i] ?? 0) * scale + left,
    top - (ring[2 * i + 1] ?? 0) * scale,
  ]);
}

/** Returns the geofence of a location as an SVG path. */
export function pathOf({ rings }: MapPlace, fitted: Fitted): string {
  const corner = (point: readonly number[]) => point.map((n) => n.toFixed(1)).join(' ');
  return rings.map((ring) => `M${cornersOf(ring, fitted).map(corner).join('L')}z`).join('');
}

/** Returns the bounding box of a place, in pixels. */
function boxOf({ rings }: MapPlace, fitted: Fitted): Box {
  const corners = rings.flatMap((ring) => cornersOf(ring, fitted));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
}

/** A machine at a point of the map, in pixels. */
export interface Spot {
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
    name: machine.unit_number + (old ? age : ''),
    old,
  };
}

const typeOf = (name: string) => /^\D*/.exec(name)?.[0] ?? '';

/**
 * Returns a text with the names that are not on the map. It has as many names as fit on one or two lines of this width. The type of a machine stands only
 * before the first of its numbers: "HT-10, 12, 21".
 */
export function unnamedText(sorted: readonly string[], width: number, lines: number): string {
  const room = lines * width - (lines - 1) * WRAPPED;
  const names = sorted.map((name, i) =>
    i > 0 && typeOf(sorted[i - 1] ?? '') === typeOf(name) ? name.slice(typeOf(name).length) : name,
  );
  for (let shown = names.length; shown > 0; shown -= 1) {
    const more = names.length - shown;
    const also = t('Also here: {names}', { names: names.slice(0, shown).join(', ') });
    const text = more === 0 ? also : `${also}, ${t('+{count} more', { count: more })}`;
    if (textWidth(text, FLOOR, 400) <= room) return text;
  }
  return t('+{count} more', { count: names.length });
}

interface PlaceBox {
  readonly place: MapPlace;
  readonly box: Box;
}

/** Returns the names of locations that fit inside their location and do not cover a box of `taken`. */
function placeLabels(places: readonly PlaceBox[], taken: readonly Box[], width: number, u: number): PlaceBox[] {
  const labels: PlaceBox[] = [];
  for (const { place, box } of places) {
    const w = (textWidth(place.name, FLOOR, 400) + 1) * u;
    const x = box.x + (box.w - w) / 2;
    if (w > box.w || x < 0 || x + w > width) continue;
    const free = [0.02, 0.45, 0.9]
      .map((down) => ({ x, y: box.y + down * Math.max(0, box.h - LINE * u), w, h: LINE * u }))
      .find((one) => ![...taken, ...labels.map((label) => label.box)].some((other) => overlaps(one, other)));
    if (free) labels.push({ place, box: free });
  }
  return labels;
}

/** Returns everything that the map draws at this moment. If `titled` is true, the top of the map stays free for a heading. */
export function layoutMap(map: MapTile, titled: boolean, at: Moment, size: Size, u: number) {
  const area = { w: (size.w - 2 * PADDING) * u, h: (size.h - 2 * PADDING - (titled ? HEADING : 0)) * u };
  const lines = map.machines.length < MANY ? 1 : 2;
  const foot = LINE * u * (map.machines.length < CROWD ? 1 : 1 + lines);
  const inner = fitMap(map.extent, area.w - 2 * RADIUS * u, area.h - foot - 2 * RADIUS * u);
  const fitted: Fitted = { ...inner, left: inner.left + RADIUS * u, top: inner.top + RADIUS * u };
  // The most urgent machine comes first: it gets the best place and name, and is drawn above the others.
  const homes = map.machines
    .map((machine) => spotOf(machine, at, fitted))
    .sort((a, b) => compareUrgency(a.machine, b.machine) || Number(a.old) - Number(b.old));
  const moved = spreadSpots(homes, APART * u, RADIUS * u, { w: area.w, h: area.h - foot });
  const spots = homes.map((home, i) => ({ ...home, ...moved[i], home }));
  const names = placeNames(
    spots.map(({ x, y, name }) => ({ x, y, w: (textWidth(name, FLOOR, 600) + 1) * u, h: LINE * u })),
    [{ x: 0, y: area.h - foot, w: area.w, h: foot }],
    area,
    RADIUS * u,
  );
  const taken = [...names.filter((name) => name !== null), ...spots.map((spot) => boxAround(spot, RADIUS * u))];
  const places = map.places
    .map((place) => ({ place, box: boxOf(place, fitted) }))
    .sort((a, b) => b.box.w * b.box.h - a.box.w * a.box.h);
  return {
    area,
    lines,
    fitted,
    spots,
    names,
    unnamed: spots.flatMap(({ name }, i) => (names[i] === null ? [name] : [])).sort(compareUnits),
    places,
    labels: placeLabels(places, taken, area.w, u),
    bar: scaleBar((area.w * 0.22) / fitted.scale, language()),
  };
}
