/** A moment and items for tests of scores. */
import type { OpenItems } from '#domain/attention/open-items.ts';
import type { Moment } from '#domain/attention/score.ts';
import { NOW } from '#test/domain/board/board-kit.ts';

/** A moment in a shift, without mechanics and without history. */
export function momentOf(more: Partial<Moment> = {}): Moment {
  return { now_ms: NOW, in_shift: true, mechanics: new Map(), means: () => undefined, low: () => [], ...more };
}

export const NOTHING_OPEN: OpenItems = { alerts: [], tickets: [] };
