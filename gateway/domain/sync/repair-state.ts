/** The state of a repair at the site: what was asked, and what is still to give and to get. */
import type { nextRanges, Walk } from './digest.ts';
import type { Begun, Verdict } from './messages.ts';

/** What a site knows of a repair that goes on. */
export interface Repair {
  readonly verdict: Verdict;
  step: string;
  begun?: Begun & Known;
  scopes: string[];
  walk?: Walk | undefined;
  give: string[];
  want: string[];
  /** How many documents the cloud has given. */
  given: number;
  asked: { ranges?: ReturnType<typeof nextRanges>; give?: string[]; want?: string[]; next?: string };
}

/** What the site knew when a repair began. */
export interface Known {
  readonly ownHead: number;
  readonly asked: number;
  readonly bundle?: string | undefined;
}

/** The next step of a repair. */
export const nextStep = (step: string): string => step.replace(/[0-9]+$/, (n) => String(Number(n) + 1));
