/**
 * Computes the length unit u, in which the TV page measures all lengths. The result is the size of one u in pixels on this screen, and the
 * size of the board in u.
 */
import type { Size } from '#ui/text/measure.ts';

/** The safe margin at the edge of a TV, and the heights of header and footer, in u. */
const EDGE = { x: 3, y: 2.5 };
const HEADER = 9;
const FOOTER = 8;

/** The distance of a board from the left and upper edges of the picture, in u. */
export const BOARD_AT = { x: EDGE.x, y: EDGE.y + HEADER };

export interface Geometry {
  /** The size of one u in pixels. */
  readonly u: number;
  /** The size of the board, in u. */
  readonly board: Size;
}

/**
 * Returns the size of one u in pixels and the size of the board in u. One u is a hundredth of the height of a 16:9 picture, multiplied by
 * `scale`, which makes texts larger on a small or distant screen.
 */
export function geometry(width: number, height: number, scale: number): Geometry {
  const u = (Math.min(height, (width * 9) / 16) / 100) * scale;
  return {
    u,
    board: { w: width / u - 2 * EDGE.x, h: height / u - 2 * EDGE.y - HEADER - FOOTER },
  };
}

/** Returns the `scale` parameter of the URL, limited to 0.75 to 1.6; 1 if the parameter is missing or invalid. */
export function scaleFrom(search: string): number {
  const asked = Number(new URLSearchParams(search).get('scale') ?? '1');
  return Number.isFinite(asked) && asked > 0 ? Math.min(1.6, Math.max(0.75, asked)) : 1;
}

/** Returns by how much the whole picture is shifted in this minute, in u. A slow movement protects the screen from burn-in. */
export function drift(minute: number): { readonly x: number; readonly y: number } {
  const angle = (minute % 16) * (Math.PI / 8);
  return { x: Math.round(Math.cos(angle) * 60) / 100, y: Math.round(Math.sin(2 * angle) * 40) / 100 };
}
