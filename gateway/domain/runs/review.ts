/**
 * The review configuration as runs use it. A configuration belongs to one gateway and is not replicated, because the address of a model
 * server is an address in the network of that gateway.
 */
import type { View } from '#contract/base/view.ts';
import { type ReviewData, ReviewFields } from '#contract/work/review.ts';
import type { RunErrorCode } from '#contract/work/run-errors.ts';
import type { RunData, TaskKind } from '#contract/work/task.ts';
import { contentHash, type Sha256 } from './pins.ts';

/** The id of the review configuration of a project. */
export const reviewId = (project_id: string): string => `review_${project_id}`;

/** The review configuration of a new project: no model, and no review. */
export const DEFAULT_REVIEW: ReviewData = {
  mode: 'auto',
  approvers: [],
  spend_cap_usd: null,
  token_budget: null,
  allowed_tools: null,
  provider: null,
  sealed_key: null,
};

/** The configuration that a run keeps, or the reason why the run may not work. */
export interface Reviewed {
  readonly pin: NonNullable<RunData['review']> | undefined;
  readonly refusal: { readonly code: RunErrorCode; readonly message: string } | undefined;
}

/** The kinds of tasks whose work is decided by the review configuration. */
const REVIEWED: ReadonlySet<TaskKind> = new Set(['setup', 'agent', 'custom_action']);

/** Returns true if a run of this kind needs the review configuration. */
export const isReviewed = (kind: TaskKind): boolean => REVIEWED.has(kind);

/** Reads the configuration for a new run. `approved`: a person has approved the run, so that it may work in review mode. */
export async function readReview(
  view: Pick<View, 'get' | 'project_id'>,
  sha256: Sha256,
  approved = false,
): Promise<Reviewed> {
  const stored = await view.get<ReviewData>('local', reviewId(view.project_id));
  const parsed = ReviewFields.safeParse(stored?.data ?? DEFAULT_REVIEW);
  if (!parsed.success)
    return {
      pin: undefined,
      refusal: {
        code: 'project_run_mode_unreadable',
        message: 'The stored review configuration of the project is damaged.',
      },
    };
  const pin = { revision: stored?.revision ?? 0, hash: contentHash(sha256, parsed.data), ...parsed.data };
  return { pin, refusal: refusalOf(pin, approved) };
}

/** Returns the reason why a run with this configuration may not work; undefined if it may. */
function refusalOf({ mode }: ReviewFields, approved: boolean): Reviewed['refusal'] {
  if (mode === 'paused') return { code: 'project_paused', message: 'The work of agents in this project is paused.' };
  if (mode === 'review' && !approved)
    return { code: 'project_awaiting_approval', message: 'In this project a person must approve the work of agents.' };
  return undefined;
}
