/** Makes ids for the objects of one call. The ids sort in order of creation, even within one millisecond (RFC 9562 6.2, method 1). */

import { hexBytes, type Kind, makeId } from '#contract/base/ids.ts';
import type { HandlerContext } from '#contract/context.ts';

const made = new WeakMap<HandlerContext, number>();

/**
 * Makes a new id for an object that this call creates. The 12 bits after the time are a counter of the ids that the call has made, so the
 * ids sort in order of creation.
 */
export function orderedId(context: HandlerContext, kind: Kind): string {
  const count = made.get(context) ?? 0;
  made.set(context, count + 1);
  const random = hexBytes(context.sha256(context.secret(16))).subarray(0, 10);
  random[0] = count >> 8;
  random[1] = count & 0xff;
  return makeId(kind, Date.parse(context.now), random);
}
