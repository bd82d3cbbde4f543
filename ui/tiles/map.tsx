/** The tile with a map of the site: geofences of locations, last positions of machines, a scale and an arrow to the north. */

import { t } from '#ui/languages/texts.ts';
import { fitting, textWidth } from '#ui/text/measure.ts';
import { cut } from '#ui/text/text-fit.ts';
import { spoken } from './machine-drawing.ts';
import { nearest } from './map-drawing.ts';
import { FLOOR, layoutMap, PADDING, pathOf, unnamedText } from './map-layout.ts';
import { CellMark } from './status-board.tsx';
import type { TileProps } from './tile-props.ts';
import { TroubleList } from './trouble.tsx';
import { troubledOf } from './wall-layout.ts';

/** Returns the CSS position of an element on the map. An element without `w` gets no CSS width. */
const positionOf = ({ x, y, w }: { readonly x: number; readonly y: number; readonly w?: number }) => ({
  left: `${x}px`,
  top: `${y}px`,
  width: w && `${w}px`,
});

/** The share of the width of a map for the list of the machines in trouble, and the least width of the list in u. */
const LIST = 0.3;
const LEAST = 44;

export function SiteMap({ data, title, at, timezone, size: whole, u, first }: TileProps<'map'>) {
  const { map } = data;
  const { trouble } = map;
  const listed = trouble ? troubledOf([...map.machines, ...trouble.unplaced]) : [];
  const list = { ...whole, w: listed[0] ? Math.max(LEAST, whole.w * LIST) : 0 };
  const size = { ...whole, w: whole.w - list.w };
  const { area, lines, fitted, spots, names, unnamed, places, labels, bar } = layoutMap(map, title !== '', at, size, u);
  const width = size.w - 2 * PADDING;
  const room = width - (bar.metres * fitted.scale) / u - textWidth(bar.text, FLOOR, 400) - 14;
  const note = fitting([map.note ?? '', ''], FLOOR, 400, room);
  return (
    <section class="panel map" aria-label={title || t('Map of the site')}>
      {title !== '' && <h2 class="label">{cut(title, FLOOR, 600, width)}</h2>}
      <div class="ground" style={{ width: `${area.w}px`, height: `${area.h}px` }}>
        <svg width={area.w} height={area.h} aria-hidden="true">
          {places.map(({ place }) => (
            <path key={place.id} class={`place ${place.kind}`} d={pathOf(place, fitted)} fill-rule="evenodd" />
          ))}
          {spots.map(({ machine, x, y }, i) => {
            const name = names[i];
            return (
              name?.line && <path key={machine.id} class="leader" d={`M${x} ${y}L${nearest(name, [x, y]).join(' ')}`} />
            );
          })}
        </svg>
        {labels.map(({ place, box }) => (
          <span key={place.id} class="place-name" style={positionOf(box)}>
            {place.name}
          </span>
        ))}
        {spots.map((spot, i) => {
          const { machine, drawing, x, y, name, old, home } = spot;
          const label = names[i];
          const urgent = machine.id === first;
          return (
            <div
              key={machine.id}
              class={`spot${old ? ' old' : ''}${urgent ? ' first' : ''}`}
              style={{ zIndex: spots.length - i }}
              data-grade={drawing.grade}
              data-live={drawing.live}
              data-fresh={drawing.freshness}
              aria-label={spoken(drawing, urgent)}
              role="img"
            >
              {/* A mark that was moved away from its true position has no course arrow. */}
              {machine.heading !== null && !old && x === home.x && y === home.y && (
                <svg
                  class="course"
                  viewBox="-12 -12 24 24"
                  style={{ ...positionOf(spot), transform: `translate(-50%, -50%) rotate(${machine.heading}deg)` }}
                  aria-hidden="true"
                >
                  <path d="M0-11.500 4-6h-8z" />
                </svg>
              )}
              <i style={positionOf(spot)}>
                <CellMark drawing={drawing} />
              </i>
              {label && <b style={positionOf(label)}>{name}</b>}
            </div>
          );
        })}
        {map.machines.length + map.places.length === 0 && <p class="hint">{t('No positions and no fences yet')}</p>}
        {unnamed.length > 0 && (
          <p class="rest" title={unnamed.join(', ')}>
            {unnamedText(unnamed, width, lines)}
          </p>
        )}
        <div class="legend">
          <svg class="north" viewBox="0 0 24 24" aria-label={t('North is up')} role="img">
            <path d="M12 1 19 22 12 17.500 5 22z" />
          </svg>
          <span>{t('N')}</span>
          <span class="scale" style={{ width: `${bar.metres * fitted.scale}px` }} />
          <span>{bar.text}</span>
          <span class="note">{note}</span>
        </div>
      </div>
      {trouble && list.w > 0 && (
        <TroubleList machines={listed} more={trouble.more} size={list} at={at} timezone={timezone} />
      )}
    </section>
  );
}
