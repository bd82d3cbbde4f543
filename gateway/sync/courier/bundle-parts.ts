/**
 * The parts of a bundle: first the heads of all projects, then pages, then lists and pieces of files, then the end.
 *
 *   byte 0         H: heads, P: a page, L: a list of files, F: a piece of a file, E: the end
 *   byte 1 to 4    number of bytes of the text, little-endian
 *   then           the text (JSON)
 *   then           of a page: a message of the sync protocol; of a list: the first 16 bytes of each SHA-256; of a piece: its bytes
 */
import { z } from 'zod';
import { OperationError } from '#contract/base/errors.ts';
import type { Answer } from '#domain/sync/messages.ts';
import { type Asked, decodeAnswer, decodeRequest } from '#sync/wire/messages.ts';
import { WireError } from '#sync/wire/wire-error.ts';
import { damagedBundle } from './bundle-damage.ts';

const Text = z.string().max(300);
const Whole = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const Position = z.object({ n: Whole, chain: Text });
const Life = z.object({ number: Whole, token: z.string().regex(/^[^.\s/]{1,120}$/) });
const Project = z.string().regex(/^prj_[0-9a-z]{10,60}$/);
/** The most projects of a gateway. */
const MOST_HEADS = 100;

const UpHead = z.object({
  project: Project,
  id: Text,
  gateway: z.string().regex(/^[^.\s/]{1,120}$/),
  life: Life,
  acked: z.object({ id: Text, place: Whole }).optional(),
  pulled: Position,
  /** The site can read files in bundles. */
  files: z.boolean().optional(),
});
export type UpHead = z.infer<typeof UpHead>;

const DownHead = z.object({
  project: Project,
  cloud: z.string().regex(/^[^.\s/]{1,120}$/),
  acks: z.array(Text).max(100),
  place: Whole,
  begun: z.array(Text).max(100),
  lost: Text.optional(),
  after: Position,
  answer: Whole.optional(),
  backed_up: z.object({ token: Text, place: Whole, bundles: Whole.optional() }).optional(),
  life: Life.optional(),
});
export type DownHead = z.infer<typeof DownHead>;

const Page = z.object({
  project: Project,
  after: Position.optional(),
  marks: z
    .string()
    .regex(/^[0-9a-f]{0,16000}$/)
    .optional(),
});
export type PageText = z.infer<typeof Page>;

/** A list has so many first bytes of each SHA-256. */
export const PREFIX = 16;
/** The most files that a list names as missing. */
export const MOST_LACKING = 1_000;
/** The most files of a project that the lists of a bundle name. Of more files, the newest are named. */
export const MOST_NAMED = 200_000;
/** The most bundles that a list names as read. */
export const MOST_READ = 200;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Lacking = z.object({ sha256: Sha256, received: Whole });
export type Lacking = z.infer<typeof Lacking>;

const List = z.object({
  project: Project,
  /** Files that the sender does not have, or of which it has only the first bytes. */
  lacking: z.array(Lacking).max(MOST_LACKING),
  /** Bundles of the receiver of which the sender has all files. */
  read: z.array(Text).max(MOST_READ),
  /** True in the last part of the list of this project. */
  last: z.boolean(),
  /** True if the parts of the list together name all files that the sender has. */
  whole: z.boolean(),
  /** Of head office: its life when it wrote the list. */
  life: Life.optional(),
  /** Of a site: a number that grows with each bundle. */
  number: Whole.optional(),
});
export type ListText = z.infer<typeof List>;

const FileForm = z.object({ project: Project, sha256: Sha256, bytes: Whole, from: Whole });
export type FileText = z.infer<typeof FileForm>;

const End = z.object({
  /** Changes in this file. */
  changes: Whole,
  /** True if the changes did not fit into this file, so that another volume follows. */
  more: z.boolean(),
});
export type EndText = z.infer<typeof End>;

const FORMS = {
  up: z.array(UpHead).max(MOST_HEADS),
  down: z.array(DownHead).max(MOST_HEADS),
} as const;

const NOTHING = Buffer.alloc(0);

export function encodePart(kind: 'H' | 'P' | 'L' | 'F' | 'E', text: object, message: Buffer = NOTHING): Buffer {
  const json = Buffer.from(JSON.stringify(text));
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32LE(json.length, 1);
  return Buffer.concat([head, json, message]);
}

export type Part<H> =
  | { readonly kind: 'heads'; readonly heads: readonly H[] }
  | { readonly kind: 'page'; readonly text: PageText; readonly message: Buffer }
  | { readonly kind: 'list'; readonly text: ListText; readonly names: Buffer }
  | { readonly kind: 'piece'; readonly text: FileText; readonly bytes: Buffer }
  | { readonly kind: 'end'; readonly text: EndText };

/** Reads the parts of a bundle of a site. Throws `bundle_damaged`. */
export const decodeUp = (bytes: Buffer): Part<UpHead> => decode(bytes, FORMS.up);
/** Reads the parts of a bundle of head office. Throws `bundle_damaged`. */
export const decodeDown = (bytes: Buffer): Part<DownHead> => decode(bytes, FORMS.down);

function decode<H>(bytes: Buffer, heads: z.ZodType<H[]>): Part<H> {
  if (bytes.length < 5) throw damagedBundle();
  const kind = bytes.toString('latin1', 0, 1);
  const end = 5 + bytes.readUInt32LE(1);
  if (end > bytes.length) throw damagedBundle();
  const text = parse(bytes.subarray(5, end));
  if (kind === 'H') return { kind: 'heads', heads: checked(heads, text) };
  if (kind === 'P') return { kind: 'page', text: checked(Page, text), message: bytes.subarray(end) };
  if (kind === 'L') return { kind: 'list', text: checked(List, text), names: bytes.subarray(end) };
  if (kind === 'F') return { kind: 'piece', text: checked(FileForm, text), bytes: bytes.subarray(end) };
  if (kind === 'E') return { kind: 'end', text: checked(End, text) };
  throw damagedBundle();
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw damagedBundle(cause);
  }
}

function checked<T>(form: z.ZodType<T>, given: unknown): T {
  const { success, data, error } = form.safeParse(given);
  if (!success) throw damagedBundle(error);
  return data;
}

/** Reads the message of a page of a site. */
export const readRequest = (message: Buffer): Asked => named(() => decodeRequest(message));
/** Reads the message of a page of head office. */
export const readAnswer = (message: Buffer): Answer => named(() => decodeAnswer(message));

function named<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    if (error.code === 'protocol_unsupported')
      throw new OperationError('bundle_unsupported', error.message, { cause: error });
    throw damagedBundle(error);
  }
}
