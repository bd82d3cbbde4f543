/** A small drawing of the tiles of a board. */
import type { Place } from '#ui/office/screens/drafts/layout.ts';

export function BoardSketch({ places }: { places: readonly Place[] }) {
  return (
    <svg class="board-sketch" viewBox="-0.2 -0.2 12.4 7.15" aria-hidden="true">
      {places.map(({ x, y, w, h }) => (
        <rect
          key={`${x} ${y}`}
          x={x + 0.08}
          y={(y + 0.08) * 1.125}
          width={w - 0.16}
          height={(h - 0.16) * 1.125}
          rx="0.15"
        />
      ))}
    </svg>
  );
}
