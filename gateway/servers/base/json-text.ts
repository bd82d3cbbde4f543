/** Makes the JSON text of an answer. The text of a long list is made in slices, between which other requests are served. */
import { inSlices } from './pause.ts';

/** The text of lists with more items than this is made in slices. */
const MANY_ITEMS = 50;

/** The text of a body, and the same as a JSON string, for a protocol that carries JSON inside JSON. */
export interface JsonText {
  readonly json: string;
  readonly quoted: string;
}

/** The text of a long list. */
export async function longJsonOf(body: LongList): Promise<string> {
  const parts: string[] = [];
  await inSlices(each(partsOf(body), (part) => parts.push(part)));
  return parts.join('');
}

/** The JSON text of a body, and the same text as a JSON string. `change` may replace text within one item or within the rest of the body. */
export async function quotedJsonOf(body: Record<string, unknown>, change: (part: string) => string): Promise<JsonText> {
  const parts: string[] = [];
  const quoted: string[] = [];
  const add = (part: string) => {
    const changed = change(part);
    parts.push(changed);
    quoted.push(JSON.stringify(changed).slice(1, -1));
  };
  if (isLong(body)) await inSlices(each(partsOf(body), add));
  else add(JSON.stringify(body));
  return { json: parts.join(''), quoted: `"${quoted.join('')}"` };
}

/** A body that is written in slices. */
export type LongList = Record<string, unknown> & { readonly data: readonly unknown[] };

/** True for a body with many items. */
export const isLong = (body: Record<string, unknown>): body is LongList =>
  Array.isArray(body.data) && body.data.length > MANY_ITEMS;

function* each(parts: Iterable<string>, act: (part: string) => void): Generator<void, void> {
  for (const part of parts) {
    act(part);
    yield;
  }
}

/** Yields the text before the items, each item, and the text after them. Joined, they are the JSON of the body. */
function* partsOf({ data, ...body }: LongList): Generator<string> {
  const rest = JSON.stringify(body);
  yield `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}"data":[`;
  for (const [i, item] of data.entries()) yield `${i === 0 ? '' : ','}${JSON.stringify(item)}`;
  yield ']}';
}
