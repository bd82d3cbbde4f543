/** The pages of the boards of a preview, in the order in which a TV shows them. */
import type { BoardView } from '#contract/site/live.ts';
import { t } from '#ui/languages/texts.ts';
import { pagesOf } from '#ui/tiles/grid.ts';
import { geometry } from '#ui/tv/geometry.ts';
import type { Shown } from './preview-wall.tsx';

export interface Step extends Shown {
  readonly name: string;
}

export function stepsOf(boards: readonly BoardView[]): Step[] {
  const { board: size } = geometry(16, 9, 1);
  return boards.flatMap((board) => {
    const count = pagesOf(board, size);
    return Array.from({ length: count }, (_, page) => ({
      board: board.id,
      page,
      name: count === 1 ? board.name : t('{name}, {page} of {all}', { name: board.name, page: page + 1, all: count }),
    }));
  });
}
