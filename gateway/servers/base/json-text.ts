/**
 * Builds the JSON text of an answer. It builds the text of a long list in slices, so that the gateway can serve other requests between the
 * slices.
 */
import { inSlices } from './pause.ts';

/** The text of a list with at least this many items is built in slices. */
const MANY_ITEMS = 50;

/** Returns the JSON text of a long list. */
export async function longJsonOf(body: LongList): Promise<string> {
  const parts: string[] = [];
  await inSlices(each(partsOf(body), (part) => parts.push(part)));
  return parts.join('');
}

/**
 * Returns the JSON text of a body. The function calls `change` for each item of a long list and for the other fields of the body; `change`
 * returns the text to send.
 */
export async function changedJsonOf(body: Record<string, unknown>, change: (part: string) => string): Promise<string> {
  if (!isLong(body)) return change(JSON.stringify(body));
  const parts: string[] = [];
  await inSlices(each(partsOf(body), (part) => parts.push(change(part))));
  return parts.join('');
}

/** A list. Its text may be built in slices. */
export type LongList = Record<string, unknown> & { readonly data: readonly unknown[] };

/** Returns true for a list with so many items that its text is built in slices. */
export const isLong = (body: Record<string, unknown>): body is LongList =>
  Array.isArray(body.data) && body.data.length > MANY_ITEMS;

function* each(parts: Iterable<string>, act: (part: string) => void): Generator<void, void> {
  for (const part of parts) {
    act(part);
    yield;
  }
}

/** Yields the text before the items, the text of each item, and the text after the items. Together these texts are the JSON of the body. */
function* partsOf({ data, ...body }: LongList): Generator<string> {
  const rest = JSON.stringify(body);
  yield `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}"data":[`;
  for (const [i, item] of data.entries()) yield `${i === 0 ? '' : ','}${JSON.stringify(item)}`;
  yield ']}';
}
