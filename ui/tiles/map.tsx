/** The tile with a map of the site: geofences of locations, last positions of machines, a scale and an arrow to the north. */

import { t } from '#ui/languages/texts.ts';
import { fitting, textWidth } from '#ui/text/measure.ts';
import { cut } from '#ui/text/text-fit.ts';
import { spoken } from './machine-drawing.ts';
import { nearest } from './map-drawing.ts';
import { FLOOR, layoutMap, PADDING, pathOf, unnamedLine } from './map-layout.ts';
import { AlertMark, LiveMark, Service } from './marks.tsx';
import type { TileProps } from './tile-props.ts';

/** Returns the CSS position of an element on the map. An element without `w` gets no CSS width. */
const positionOf = ({ x, y, w }: { readonly x: number; readonly y: number; readonly w?: number }) => ({
  left: `${x}px`,
  top: `${y}px`,
  width: w && `${w}px`,
});

export function SiteMap({ data, title, at, size, u, first }: TileProps<'map'>) {
  const { map } = data;
  const { area, fitted, spots, names, unnamed, places, labels, bar } = layoutMap(map, title !== '', at, size, u);
  const width = size.w - 2 * PADDING;
  const room = width - (bar.metres * fitted.scale) / u - textWidth(bar.text, FLOOR, 400) - 14;
  const note = map.note === null ? '' : fitting([map.note, ''], FLOOR, 400, room);
  return (
    <section class="panel map" aria-label={title || t('Map of the site')}>
      {title !== '' && <h2 class="label">{cut(title, FLOOR, 600, width)}</h2>}
      <div class="ground" style={{ height: `${area.h}px` }}>
        <svg width={area.w} height={area.h} aria-hidden="true">
          {places.map(({ place }) => (
            <path key={place.id} class={`place ${place.kind}`} d={pathOf(place, fitted)} fill-rule="evenodd" />
          ))}
          {spots.map(({ machine, x, y }, i) => {
            const name = names[i];
            return name?.line === true ? (
              <path key={machine.id} class="leader" d={`M${x} ${y}L${nearest(name, [x, y]).join(' ')}`} />
            ) : null;
          })}
        </svg>
        {labels.map(({ place, box }) => (
          <span key={place.id} class="place-name" style={positionOf(box)}>
            {place.name}
          </span>
        ))}
        {spots.map((spot, i) => {
          const { machine, drawing, x, y, name, old, home } = spot;
          const label = names[i] ?? null;
          const { grade } = drawing;
          const mark = grade === 'act' || grade === 'look' ? drawing.mark : null;
          const urgent = machine.id === first;
          return (
            <div
              key={machine.id}
              class={`spot${old ? ' old' : ''}${urgent ? ' first' : ''}`}
              style={{ zIndex: spots.length - i }}
              data-grade={grade}
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
                {mark !== null ? (
                  <AlertMark mark={mark} />
                ) : drawing.chip?.tone === 'maint' ? (
                  <Service />
                ) : (
                  <LiveMark live={drawing.live} />
                )}
              </i>
              {label !== null && <b style={positionOf(label)}>{name}</b>}
            </div>
          );
        })}
        {map.machines.length === 0 && map.places.length === 0 && (
          <p class="hint">{t('No positions and no fences yet')}</p>
        )}
        {unnamed.length > 0 && (
          <p class="rest" title={unnamed.join(', ')}>
            {unnamedLine(unnamed, width)}
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
    </section>
  );
}
