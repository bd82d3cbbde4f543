/** Writes the parts of a bundle one after another, up to a number of bytes. */

import { PAGE_BYTES, type PageSize } from '#domain/sync/pages.ts';
import type { Commit } from '#domain/sync/store.ts';
import { type BundleHeader, BundleWriter, type NewHeader } from './bundle-file.ts';
import { encodePart, type PageText } from './bundle-parts.ts';
import type { Counting } from './courier-log.ts';

/** The size of a page in a file of this size. A page is much smaller than its file, so that little room is left at the end of the file. */
export const pageOf = (most_bytes: number): PageSize => ({ page: 250, bytes: Math.min(PAGE_BYTES, most_bytes >> 2) });

/** A page as it is written: its message, and how many changes it has. */
export interface MadePage {
  readonly text: PageText;
  readonly message: Buffer;
  readonly commits: readonly Commit[];
  /** Called when the page is in the file. */
  readonly written: () => void;
}

export interface Made {
  readonly header: NewHeader;
  /** SHA-256 of the credential of the gateway. */
  readonly credential: Buffer;
  readonly random: (bytes: number) => Uint8Array;
  readonly most_bytes: number;
  readonly heads: readonly object[];
  /** The pages, the most urgent first. */
  readonly pages: AsyncIterable<MadePage>;
  /** The parts of files, after all pages. `room`: how many bytes the next one may have. */
  readonly files: (room: () => number) => AsyncIterable<Buffer>;
  readonly counting: Counting;
  /** Called before the last bytes of the file are given out. From then on this end counts the bundle as written. */
  readonly close: (of: { readonly more: boolean; readonly bytes: number }) => Promise<void>;
}

/** The bytes of the last part, at most. */
const END_BYTES = 200;

export async function* writeBundle(made: Made): AsyncGenerator<Buffer, void> {
  const { header, credential, random, most_bytes, heads, pages, files, counting, close } = made;
  const writer = new BundleWriter(header, credential, random);
  yield counted(counting, writer.header);
  yield counted(counting, writer.part(encodePart('H', heads)));
  let more = false;
  let isFirst = true;
  for await (const { text, message, commits, written } of pages) {
    const plain = encodePart('P', text, message);
    // One page is always written, so that a commit that is larger than the file still arrives.
    if (!isFirst && counting.bytes + BundleWriter.sizeOf(plain.length) + END_BYTES > most_bytes) {
      more = true;
      break;
    }
    yield counted(counting, writer.part(plain));
    isFirst = false;
    counting.changes += commits.length;
    written();
  }
  const room = () => most_bytes - counting.bytes - END_BYTES - BundleWriter.sizeOf(0);
  if (!more) for await (const plain of files(room)) yield counted(counting, writer.part(plain));
  const end = writer.part(encodePart('E', { changes: counting.changes, more }), true);
  counting.bytes += end.length;
  await close({ more, bytes: counting.bytes });
  yield end;
}

function counted(counting: Counting, bytes: Buffer): Buffer {
  counting.bytes += bytes.length;
  return bytes;
}

/** Reads the first page, so that the caller knows whether there is one. */
export async function begun(
  pages: AsyncGenerator<MadePage, void>,
): Promise<{ readonly isEmpty: boolean; readonly all: AsyncIterable<MadePage> }> {
  const first = await pages.next();
  async function* all(): AsyncGenerator<MadePage, void> {
    if (first.done === true) return;
    yield first.value;
    yield* pages;
  }
  return { isEmpty: first.done === true, all: all() };
}

/** Calls `end` when the content was read to its end, or when its reader stops. */
export async function* ending(content: AsyncIterable<Buffer>, end: () => void): AsyncGenerator<Buffer, void> {
  try {
    yield* content;
  } finally {
    end();
  }
}

/** The name of the file of a bundle. */
export function nameOf({ direction, site, volume, made_at }: BundleHeader): string {
  const place = site.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'site';
  const time = made_at.slice(0, 16).replace(/[-:]/g, '').replace('T', '-');
  const way = direction === 'to_site' ? 'to' : 'from';
  return `headframe-${way}-${place}-${time}${volume > 1 ? `-${volume}` : ''}.hfbundle`;
}
