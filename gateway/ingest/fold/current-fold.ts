import type { Fold } from './fold.ts';
import type { FoldState } from './fold-state.ts';

/** The state and the fold over it. A restart of the fold replaces both, so read them anew after each await. */
export interface CurrentFold {
  state: FoldState;
  fold: Fold;
}
