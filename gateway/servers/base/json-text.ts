/** The JSON text of an answer; that of a long list is made item by item, in slices between which others are served. */
import { inSlices } from './pause.ts';

/** Lists with more items than this are written in slices. */
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

/** The text of a body and its quoted form; `change` may replace what stands within one item, or within the rest of the body. */
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

/** What stands before the items, the items, and what stands behind them: joined, they are the JSON of the body. */
function* partsOf({ data, ...body }: LongList): Generator<string> {
  const rest = JSON.stringify(body);
  yield `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}"data":[`;
  for (const [i, item] of data.entries()) yield `${i === 0 ? '' : ','}${JSON.stringify(item)}`;
  yield ']}';
}
