/** A problem in the health report of the gateway. */
import type { BriefProblem } from '#contract/base/told.ts';

export type Problem = BriefProblem;
