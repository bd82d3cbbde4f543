/** What a fold is made of while it runs. */
import type { Fold } from '#ingest/fold/fold.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';

/** The state, and the fold over it; both are made anew after a failure. */
export interface CurrentFold {
  state: FoldState;
  fold: Fold;
}
