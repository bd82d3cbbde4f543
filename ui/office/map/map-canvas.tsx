/** The picture of the map: zones, machines, and the outline that a person draws with the pointer or with the keyboard. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { officeReason } from '#ui/languages/office.ts';
import { language, t } from '#ui/languages/texts.ts';
import { quietState, StateMark } from '#ui/office/machines/now.tsx';
import { markOf } from '#ui/tiles/machine-drawing.ts';
import { type Box, nearest, scaleBar } from '#ui/tiles/map-drawing.ts';
import { AlertMark } from '#ui/tiles/marks.tsx';
import { reasonTexts } from '#ui/words.ts';
import { type MapMachine, placeMachines, type Spot } from './map-machines.ts';
import { pan, toCorner, toPixel, type View, zoom } from './map-view.ts';
import {
  addCorner,
  at,
  beginDrag,
  type Corner,
  dragCorner,
  moveCorner,
  removeCorner,
  undo,
  type ZoneDraft,
} from './zone-draft.ts';

type Location = Output<'locations_list'>['data'][number];

/** The arrow keys move the cross and a corner by this many pixels, with Shift by the second number. */
const STEPS = [8, 64] as const;
const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const ZOOM = 1.3;
/** The width of one letter of the name of a zone, in pixels. */
const LETTER = 8;
/** A pointer that moved less than this many pixels has clicked. */
const CLICK = 5;

function pathOf(view: View, geofence: NonNullable<Location['geofence']>): string {
  const rings = geofence.type === 'Polygon' ? geofence.coordinates : geofence.coordinates.flat();
  return rings
    .map(
      (ring) =>
        `M${ring
          .map(([lon, lat]) =>
            toPixel(view, [lon, lat])
              .map((n) => n.toFixed(1))
              .join(' '),
          )
          .join('L')}z`,
    )
    .join('');
}

/** The name of a zone with the number of machines in it, above the zone; undefined for a zone without an outline. */
function labelOf(
  view: View,
  { name, geofence }: Location,
  count: number,
): (Box & { readonly text: string }) | undefined {
  if (geofence === null) return undefined;
  const rings = geofence.type === 'Polygon' ? geofence.coordinates : geofence.coordinates.flat();
  const points = rings.flat().map(([lon, lat]) => toPixel(view, [lon, lat]));
  const text = `${name} · ${t('{n} here', { n: count })}`;
  const w = text.length * LETTER;
  const middle = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const top = points.reduce((least, [, y]) => Math.min(least, y), Number.POSITIVE_INFINITY);
  return { text, x: middle - w / 2, y: top - 26, w, h: 24 };
}

function Zone({ view, zone, count, isChosen }: { view: View; zone: Location; count: number; isChosen: boolean }) {
  const label = labelOf(view, zone, count);
  if (zone.geofence === null || label === undefined) return null;
  return (
    <g class={`zone ${zone.kind}${isChosen ? ' chosen' : ''}`}>
      <path d={pathOf(view, zone.geofence)} fill-rule="evenodd" />
      <text x={label.x + label.w / 2} y={label.y + 18} text-anchor="middle">
        {label.text}
      </text>
    </g>
  );
}

/** The mark of a machine, and its name with a line if the name stands further away. */
function Machine({ spot, now, isFirst }: { spot: Spot; now: number; isFirst: boolean }) {
  const { machine, x, y, name, text } = spot;
  const { row, old } = machine;
  const reason = row.trouble?.reason;
  return (
    <a
      href={`#story/${row.id}`}
      class={`map-machine${old === null ? '' : ' old'}${isFirst ? ' first' : ''}`}
      data-grade={reason?.grade}
      aria-label={reason === undefined ? text : `${text}, ${reasonTexts(officeReason(reason))[0]}`}
    >
      <i style={{ left: `${x}px`, top: `${y}px` }}>
        {reason === undefined ? <StateMark state={quietState(row, now).state} /> : <AlertMark mark={markOf(reason)} />}
      </i>
      {name !== null && (
        <b style={{ left: `${name.x}px`, top: `${name.y}px`, width: `${name.w}px`, height: `${name.h}px` }}>{text}</b>
      )}
    </a>
  );
}

interface DrawProps {
  readonly view: View;
  readonly draft: ZoneDraft;
  onDraft(next: ZoneDraft): void;
}

/** The outline that a person draws. Each corner is a button: a pointer drags it, the arrow keys move it, Delete removes it. */
function Outline({ view, draft, onDraft }: DrawProps) {
  const dragged = useRef<number | null>(null);
  const pixels = draft.corners.map((corner) => toPixel(view, corner));
  const pixelAt = (event: PointerEvent): Corner => {
    const box = (event.currentTarget as Element).closest('.map-canvas')?.getBoundingClientRect();
    return toCorner(view, [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)]);
  };
  return (
    <>
      <svg class="outline" width={view.width} height={view.height} aria-hidden="true">
        {pixels.length > 1 && (
          <path d={`M${pixels.map((one) => one.join(' ')).join('L')}${pixels.length > 2 ? 'z' : ''}`} />
        )}
      </svg>
      {pixels.map(([x, y], i) => (
        <button
          key={i}
          type="button"
          class="corner"
          aria-label={t('Corner {number} of {all}', { number: i + 1, all: pixels.length })}
          style={{ left: `${x}px`, top: `${y}px` }}
          onPointerDown={(event) => {
            event.stopPropagation();
            event.currentTarget.setPointerCapture(event.pointerId);
            dragged.current = i;
            onDraft(beginDrag(draft));
          }}
          onPointerMove={(event) => {
            if (dragged.current === i) onDraft(dragCorner(draft, i, at(...pixelAt(event))));
          }}
          onPointerUp={() => {
            dragged.current = null;
          }}
          onKeyDown={(event) => {
            const arrow = ARROWS[event.key];
            if (arrow !== undefined) {
              const far = STEPS[event.shiftKey ? 1 : 0];
              onDraft(moveCorner(draft, i, at(...toCorner(view, [x + arrow[0] * far, y + arrow[1] * far]))));
            } else if (event.key === 'Delete' || event.key === 'Backspace') onDraft(removeCorner(draft, i));
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        >
          {i + 1}
        </button>
      ))}
    </>
  );
}

/** Measures the width of an element, also after the window has changed. */
function useWidth(): [(element: HTMLElement | null) => void, number] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, width];
}

function Buttons({ view, onView, onFit }: { view: View; onView(view: View): void; onFit(): void }) {
  return (
    <div class="map-buttons">
      <button type="button" aria-label={t('Zoom in')} onClick={() => onView(zoom(view, ZOOM))}>
        +
      </button>
      <button type="button" aria-label={t('Zoom out')} onClick={() => onView(zoom(view, 1 / ZOOM))}>
        −
      </button>
      <button type="button" onClick={onFit}>
        {t('Show all')}
      </button>
    </div>
  );
}

export function MapCanvas(props: {
  zones: readonly Location[];
  counts: ReadonlyMap<string, number>;
  machines: readonly MapMachine[];
  view: View | null;
  chosen: string | null;
  /** The outline that a person draws; null while nobody draws. */
  draft: ZoneDraft | null;
  now: number;
  onView(view: View): void;
  onFit(): void;
  onWidth(width: number): void;
  onDraft(next: ZoneDraft): void;
}) {
  const { view, draft, machines } = props;
  const [measure, width] = useWidth();
  const down = useRef<{ readonly x: number; readonly y: number; readonly view: View; moved: boolean } | null>(null);
  const [cross, setCross] = useState<readonly [number, number] | null>(null);
  useEffect(() => {
    if (width > 0) props.onWidth(width);
  }, [width]);
  useEffect(() => setCross(null), [draft === null]);
  if (view === null) return <div ref={measure} class="map-canvas" />;
  const add = (pixel: readonly [number, number]) =>
    draft !== null && props.onDraft(addCorner(draft, at(...toCorner(view, pixel))));
  const labels = props.zones.flatMap((zone) => labelOf(view, zone, props.counts.get(zone.id) ?? 0) ?? []);
  const spots = placeMachines(machines, view, labels);
  const first = machines[0]?.row.trouble?.reason.grade === 'act' ? machines[0].row.id : null;
  const bar = scaleBar(view.width * 0.2 * view.metres, language());
  const crossAt = cross ?? ([view.width / 2, view.height / 2] as const);
  return (
    <div
      ref={measure}
      class={`map-canvas${draft === null ? '' : ' drawing'}`}
      style={{ height: `${view.height}px` }}
      role="application"
      aria-label={t('Map of the site')}
      aria-describedby="map-keys"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a person moves and draws with the keyboard
      tabIndex={0}
      onPointerDown={(event) => {
        if ((event.target as Element).closest('a, button') !== null) return;
        down.current = { x: event.clientX, y: event.clientY, view, moved: false };
      }}
      onPointerMove={(event) => {
        const from = down.current;
        if (from === null || event.buttons === 0) return;
        const [x, y] = [event.clientX - from.x, event.clientY - from.y];
        if (Math.hypot(x, y) < CLICK && !from.moved) return;
        from.moved = true;
        props.onView(pan(from.view, [x, y]));
      }}
      onPointerUp={(event) => {
        const from = down.current;
        down.current = null;
        if (from === null || from.moved) return;
        const box = event.currentTarget.getBoundingClientRect();
        add([event.clientX - box.left, event.clientY - box.top]);
      }}
      onWheel={(event) => {
        event.preventDefault();
        const box = event.currentTarget.getBoundingClientRect();
        props.onView(
          zoom(view, event.deltaY < 0 ? ZOOM : 1 / ZOOM, [event.clientX - box.left, event.clientY - box.top]),
        );
      }}
      onKeyDown={(event) => {
        const arrow = ARROWS[event.key];
        const far = STEPS[event.shiftKey ? 1 : 0];
        const isHere = event.target === event.currentTarget;
        if (event.key === 'z' && (event.ctrlKey || event.metaKey) && draft !== null) props.onDraft(undo(draft));
        else if (!isHere) return;
        else if (event.key === '+') props.onView(zoom(view, ZOOM));
        else if (event.key === '-') props.onView(zoom(view, 1 / ZOOM));
        else if (arrow !== undefined && draft === null) props.onView(pan(view, [-arrow[0] * far, -arrow[1] * far]));
        else if (arrow !== undefined) setCross([crossAt[0] + arrow[0] * far, crossAt[1] + arrow[1] * far]);
        else if ((event.key === 'Enter' || event.key === ' ') && draft !== null) add(crossAt);
        else if (event.key === 'Backspace' && draft !== null) props.onDraft(undo(draft));
        else return;
        event.preventDefault();
      }}
    >
      <svg class="ground" width={view.width} height={view.height} aria-hidden="true">
        {props.zones.map((zone) => (
          <Zone
            key={zone.id}
            view={view}
            zone={zone}
            count={props.counts.get(zone.id) ?? 0}
            isChosen={zone.id === props.chosen}
          />
        ))}
        {spots.map(({ machine, x, y, name }) =>
          name?.line === true ? (
            <path key={machine.row.id} class="leader" d={`M${x} ${y}L${nearest(name, [x, y]).join(' ')}`} />
          ) : null,
        )}
      </svg>
      {[...spots].reverse().map((spot) => (
        <Machine key={spot.machine.row.id} spot={spot} now={props.now} isFirst={spot.machine.row.id === first} />
      ))}
      {draft !== null && (
        <>
          <Outline view={view} draft={draft} onDraft={props.onDraft} />
          <i class="cross" style={{ left: `${crossAt[0]}px`, top: `${crossAt[1]}px` }} />
        </>
      )}
      <Buttons view={view} onView={props.onView} onFit={props.onFit} />
      <p class="map-scale">
        <i class="map-bar" style={{ width: `${bar.metres / view.metres}px` }} />{' '}
        {t('{scale}, north is up', { scale: bar.text })}
      </p>
    </div>
  );
}
