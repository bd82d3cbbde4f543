/**
 * The messages of `#domain/sync/messages.ts` as bytes, and back. What is read is checked here, so that the code of the protocol gets only
 * messages of the right form.
 */
import { z } from 'zod';
import type { Answer, Request } from '#domain/sync/messages.ts';
import type { Part } from '#domain/sync/registers/documents.ts';
import { lifeText } from '#domain/sync/registers/registers.ts';
import type { Commit } from '#domain/sync/store.ts';
import { ColumnReader, ColumnWriter } from './columns.ts';
import { packFrame, unpackFrame } from './frame.ts';
import { Life as LifeText, PartReader, PartWriter, WireCommit, WirePart } from './parts.ts';
import { damaged, WireError } from './wire-error.ts';

/** Version of the data that this program writes. An end keeps and returns what it does not know, so versions may differ. */
const DATA_VERSION = 1;

const Text = z.string().max(300);
const Hex = z.string().regex(/^[0-9a-f]{0,64}$/);
const Whole = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const Life = z.object({ number: Whole, token: z.string().regex(/^[^.\s]{1,120}$/) });
const Position = z.object({ n: Whole, chain: Text });
const Keys = z.array(Text).max(100_000);
const Range = z.object({ lower: Text, upper: Text, n: Whole, fp: Hex });
const Commits = z.array(WireCommit).max(10_000);
const Parts = z.array(WirePart).max(10_000);
const Verdict = z.enum([
  ...['ok', 'arrived', 'first', 'asked', 'site_new_life', 'site_behind'],
  ...['cloud_behind', 'cloud_new_life', 'forked', 'fenced'],
] as const);

const asked = { gateway: z.string().regex(/^[^.\s]{1,120}$/), life: Life };

const RequestForm = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    ...asked,
    fresh: z.boolean(),
    cloud: Life.optional(),
    last: Text.optional(),
    pending: z.array(Text).max(100),
    ends: z.boolean(),
    pulled: Position,
    bundle: z.object({ id: Text, place: Whole }).optional(),
    repair: z.boolean(),
  }),
  z.object({
    type: z.literal('push'),
    ...asked,
    after: Text.optional(),
    token: Text,
    commits: Commits,
    owes: z.boolean().optional(),
  }),
  z.object({ type: z.literal('pull'), ...asked, after: Position, limit: Whole, bytes: Whole, whole: Keys }),
  z.object({ type: z.literal('begin'), ...asked, fresh: z.boolean(), step: Text }),
  z.object({ type: z.literal('digest'), ...asked, scope: Text, ranges: z.array(Range).max(1_000) }),
  z.object({
    type: z.literal('give'),
    ...asked,
    step: Text,
    next: Text,
    head: Whole,
    parts: Parts,
    want: Keys,
    owes: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('end'),
    ...asked,
    step: Text,
    token: Text,
    head: Position,
    cloud: Life,
    known: Whole,
    verdict: Verdict,
  }),
  z.object({ type: z.literal('early'), ...asked, step: Text, commits: Commits }),
  z.object({ type: z.literal('holds'), ...asked, parts: Parts }),
]);

const RangeAnswer = z.union([
  z.object({ equal: z.literal(true) }),
  z.object({ items: z.array(z.tuple([Text, Hex])).max(10_000) }),
  z.object({ split: z.array(Range).max(1_000) }),
]);

const AnswerForm = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    verdict: Verdict,
    owed: Whole.optional(),
    cloud: z.object({ id: z.string().regex(/^[^.\s]{1,120}$/), life: Life }),
    known: Whole,
    last: Text.optional(),
    arrived: z.array(z.object({ token: Text, place: Whole })).max(100),
    backed_up: z.object({ token: Text, place: Whole, bundles: Whole.optional() }).optional(),
    answers: Whole.optional(),
    received: Keys,
    bundles: z.array(Text).max(100).optional(),
  }),
  z.object({ type: z.literal('ok'), place: Whole, quarantined: Keys, owed: Whole.optional(), life: Life.optional() }),
  z.object({ type: z.literal('pull'), to: Position, commits: Commits, more: z.boolean() }),
  z.object({
    type: z.literal('begin'),
    head: Position,
    life: Life,
    floors: z.record(Text, Whole),
    documents: Whole.optional(),
  }),
  z.object({ type: z.literal('digest'), answers: z.array(RangeAnswer).max(1_000) }),
  z.object({ type: z.literal('give'), parts: Parts }),
  z.object({ type: z.literal('holds'), missing: Keys, quarantined: Keys, owed: Whole.optional(), head: Position }),
  z.object({
    type: z.literal('refused'),
    code: z.enum(['session_changed', 'fenced', 'need']),
    need: Keys.optional(),
  }),
]);

/**
 * What surrounds a message: the version of the data of its sender, the lives that it names besides that of its sender, its numbers and
 * values (columns.ts), and for a request its project.
 */
const Envelope = z.object({
  d: Whole,
  p: z.string().max(200).optional(),
  l: z.array(LifeText).max(100_000).optional(),
  n: z.string(),
  s: z.array(z.union([z.string(), z.number()])).optional(),
  m: z.record(z.string(), z.unknown()),
});

/** A request with its project. */
export interface Asked {
  readonly project: string;
  readonly request: Request;
}

/** The life of the sender of a request, which the parts of the message do not name again. */
function livesOf({ gateway, life }: { readonly gateway?: unknown; readonly life?: unknown }): string[] {
  const sender = Life.safeParse(life);
  return typeof gateway === 'string' && sender.success
    ? [lifeText(gateway, sender.data.number, sender.data.token)]
    : [];
}

function encode(message: Request | Answer, project: string | undefined): Buffer {
  const { commits, parts, ...rest } = message as { commits?: Commit[]; parts?: Part[] };
  const columns = new ColumnWriter();
  const p = project === undefined ? undefined : columns.text(project);
  const m = columns.tree(rest) as object;
  const writer = new PartWriter(columns, livesOf(rest));
  const all = {
    ...m,
    ...(commits !== undefined && { commits: commits.map((one) => writer.commit(one)) }),
    ...(parts !== undefined && { parts: parts.map((one) => writer.part(one)) }),
  };
  const { lives: l } = writer;
  const s = columns.values;
  const lists = { ...(l.length > 0 && { l }), ...(s.length > 0 && { s }) };
  const text = JSON.stringify({ d: DATA_VERSION, p, m: all, ...lists, n: columns.numbers.text() });
  return packFrame({ text, bytes: columns.bytes.bytes(), contents: columns.contents.bytes() });
}

/** Writes a request of a site. Throws `message_too_large`. */
export const encodeRequest = ({ project, request }: Asked): Buffer => encode(request, project);

/** Writes an answer of the cloud. Throws `message_too_large`. */
export const encodeAnswer = (answer: Answer): Buffer => encode(answer, undefined);

function decode<T extends { readonly type: string }>(
  bytes: Buffer,
  form: z.ZodType<T>,
): { readonly message: T; readonly reader: PartReader; readonly project: string | undefined; end(): void } {
  const { text, bytes: column, contents } = unpackFrame(bytes);
  const { l, p, n, s, m } = checked(Envelope, parse(text));
  const columns = new ColumnReader({ bytes: column, contents, numbers: n, values: s ?? [] });
  const project = p === undefined ? undefined : columns.text(p);
  const { commits, parts, ...rest } = m;
  const read = columns.tree(rest) as Record<string, unknown>;
  const lives = [...livesOf(read), ...(l ?? [])];
  const lists = { ...(commits !== undefined && { commits }), ...(parts !== undefined && { parts }) };
  const message = checked(form, { ...read, ...lists });
  return { message, reader: new PartReader(columns, lives), project, end: () => columns.end() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new WireError('message_damaged', 'The message is damaged: its text is not JSON.', { cause });
  }
}

function checked<T>(form: z.ZodType<T>, given: unknown): T {
  const { success, data, error } = form.safeParse(given);
  if (success) return data;
  const [first] = error.issues;
  throw damaged(`${first?.path.join('.') || 'it'} has not the form of this version`);
}

/** Reads a request of a site; throws `WireError`. */
export function decodeRequest(bytes: Buffer): Asked {
  const { message, reader, project, end } = decode(bytes, RequestForm);
  if (project === undefined) throw damaged('it names no project');
  const request = withParts(message, reader) as Request;
  end();
  return { project, request };
}

/** Reads an answer of the cloud; throws `WireError`. */
export function decodeAnswer(bytes: Buffer): Answer {
  const { message, reader, end } = decode(bytes, AnswerForm);
  const answer = withParts(message, reader) as Answer;
  end();
  return answer;
}

function withParts(message: object, reader: PartReader): object {
  const { commits, parts } = message as { commits?: WireCommit[]; parts?: WirePart[] };
  return {
    ...message,
    ...(commits && { commits: commits.map((one) => reader.commit(one)) }),
    ...(parts && { parts: parts.map((one) => reader.part(one)) }),
  };
}
