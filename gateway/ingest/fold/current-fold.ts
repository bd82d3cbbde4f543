import type { Fold } from './fold.ts';
import type { FoldState } from './fold-state.ts';

/**
 * The state, and the fold (the code that applies messages) that changes it. A restart of the fold replaces both objects, so read these
 * fields again after each await.
 */
export interface CurrentFold {
  state: FoldState;
  fold: Fold;
}
