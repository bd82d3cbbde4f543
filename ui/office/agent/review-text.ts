/** The words for the review configuration: how the agent works, who approves, and which tools it may use. */

import type { Output } from '#contract/operations.ts';
import { t, type Word } from '#ui/languages/texts.ts';

export type Review = Output<'review_configuration_get'>;

export const MODES: readonly (readonly [Review['mode'], Word])[] = [
  ['auto', 'Works at once'],
  ['review', 'Waits for an approval'],
  ['paused', 'Paused'],
];

/** Returns the names of tools that a person typed, without doubles; null if the field is empty. */
export function toolsOf(typed: string): string[] | null {
  const names = [...new Set(typed.split(/[\s,]+/).filter((name) => name !== ''))];
  return names.length === 0 ? null : names;
}

export const toolsText = (tools: readonly string[] | null): string =>
  tools === null ? t('Those of the default list') : tools.join(', ');
