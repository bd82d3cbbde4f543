/** Checks fields that name a person. Such a field contains the id of an operator or mechanic, or any other text, such as a name. */

import { isId } from '#contract/base/ids.ts';
import type { StagedView } from '#contract/context.ts';
import { requireRecord } from './documents.ts';

/** Throws `not_found` if the text has the form of an operator's or mechanic's id and the project has no such person. */
export async function checkPerson(view: StagedView, text: string | null | undefined, param: string): Promise<void> {
  if (!text) return;
  for (const kind of ['operator', 'mechanic'] as const)
    if (isId(kind, text)) await requireRecord(view, kind, text, param);
}
