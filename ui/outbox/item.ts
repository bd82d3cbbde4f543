/** What a person wrote on this browser, and the rules by which it is sent. The functions have no side effects. */

import type { ToldText } from '#contract/base/told.ts';

/** A field of a record, for the choice of a person after a conflict: what the person saw, what the person wrote, and what is there now. */
export interface Fact {
  readonly label: string;
  readonly was: string;
  readonly mine: string;
  /** Dotted path of the field in the record. */
  readonly field: string;
  /** Words for the values of the field. */
  readonly words?: Readonly<Record<string, string>>;
}

/** The request that carries out a write. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The revision that the person saw; null if the write names none. */
  readonly if_match: number | null;
  /** True for a page without an account: no cookie and no headers of a person. */
  readonly open: boolean;
}

/** queued: waits to be sent. refused: the gateway said no. conflict: somebody changed the record meanwhile. sent: the gateway has it. */
export type State = 'queued' | 'refused' | 'conflict' | 'sent';

export interface Item {
  /** The order of writing in this browser. */
  readonly seq: number;
  /** Made by this browser. The gateway carries out a write with this id once. */
  readonly id: string;
  /** The record. Writes with the same subject are sent one after the other. */
  readonly subject: string;
  readonly title: string;
  readonly who: string;
  readonly project: string | null;
  readonly request: Request;
  readonly pass: string | null;
  /** When the person wrote: by the gateway's clock if this page knew it, and by the clock of the device. */
  readonly gateway_ms: number | null;
  readonly device_ms: number;
  /** Bytes of the photo of this write; 0 without one. */
  readonly photo_bytes: number;
  readonly facts: readonly Fact[];
  /** Path with which the record is read after a conflict. */
  readonly read: string | null;
  /**
   * Id of the write on which this one builds. It is sent after the other one, and names the revision that the other one makes. Null if the
   * person saw the record without it.
   */
  readonly follows: string | null;
  /** True from the first try on. The gateway may have carried out the write. */
  readonly tried: boolean;
  readonly state: State;
  /** Why the gateway refused it, or why it waits although the gateway answers. */
  readonly problem: {
    readonly code: string;
    readonly message: string;
    readonly words?: ToldText;
    readonly reason?: string;
  } | null;
  /** After a conflict: the values of `facts` now, and the revision. */
  readonly now: {
    readonly values: readonly string[];
    readonly revision: number | null;
    readonly by: string | null;
  } | null;
  /** Id and revision in the answer of the gateway. */
  readonly answer_id: string | null;
  readonly answer_revision: number | null;
  readonly done_ms: number | null;
}

/** The bounds of one browser. */
export const MOST_ITEMS = 1_000;
export const MOST_PHOTO_BYTES = 60_000_000;
/** A write is at most this long as JSON, without its photo. */
export const MOST_BODY = 200_000;
/** Number of sent writes that the list still shows. */
export const MOST_SENT = 100;
/** Number of sent photos whose ids the browser keeps for inspections that are not sent yet. */
export const MOST_PHOTO_IDS = 2_000;

/** What a page says at a bound, before a person types. */
export const FULL = {
  items:
    'This device keeps 1,000 changes that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.',
  photos:
    'This device keeps 60 MB of photos that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.',
} as const;

/** A person sent a form again after it was stored and perhaps sent, with other content. */
export const CHANGED =
  'This form was saved before with other content, and the gateway may have it. Look at what you saved. Press again to save this as a new one.';

/** A write that this browser does not keep, for a reason that its message tells the person. */
export class NotKept extends Error {}

/** In the text of a body, the place of the id of a photo that is not sent yet. */
export const placeOf = (id: string): string => `outbox:${id}`;

/** Returns the id of the write of a photo that has no id of the gateway yet; undefined for any other id. */
export const keptPhoto = (id: string): string | undefined => /^outbox:(\w+)$/.exec(id)?.[1];

/**
 * Returns the next write to send; undefined if none can be sent. Earlier writes of a record must have been sent, and the write on which this
 * one builds. Writes without a photo go first, because a photo takes long on a slow link.
 */
export function nextToSend(items: readonly Item[], held: ReadonlySet<string>): Item | undefined {
  const blocked = new Set(held);
  const waiting = new Set(items.filter(({ state }) => state !== 'sent').map(({ id }) => id));
  let photo: Item | undefined;
  for (const item of items) {
    if (item.state === 'sent') continue;
    const leads = item.follows === null || !waiting.has(item.follows);
    if (item.state === 'queued' && leads && !blocked.has(item.subject)) {
      if (item.photo_bytes === 0) return item;
      photo ??= item;
    }
    blocked.add(item.subject);
  }
  return photo;
}

function replaced(value: unknown, place: string, by: string | null): unknown {
  if (value === place) return by;
  if (Array.isArray(value)) return value.map((one) => replaced(one, place, by)).filter((one) => one !== null);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, place, by)]));
}

/** Returns the body with the id of a photo in its place, or without the photo if `by` is null. */
export function withPhoto(body: Request['body'], id: string, by: string | null): Request['body'] {
  return replaced(body, placeOf(id), by) as Request['body'];
}

/**
 * Returns a later write of the same record after `sent` was carried out. It names the revision that the record has now, if it builds on
 * `sent`. So a person can write several changes of one record without the gateway. A write that does not build on `sent` keeps its
 * revision, so that it cannot overwrite what the person did not see.
 */
export function after(
  item: Item,
  sent: Item,
  answer: { readonly id: string | null; readonly revision: number | null },
): Item {
  if (item.state === 'sent' || item.subject !== sent.subject) return item;
  const { request } = item;
  const follows = request.if_match !== null && item.follows === sent.id && answer.revision !== null;
  return {
    ...item,
    request: {
      ...request,
      if_match: follows ? answer.revision : request.if_match,
      body: answer.id === null ? request.body : withPhoto(request.body, sent.id, answer.id),
    },
  };
}

/** What the bounds say before a person writes: null if there is room. */
export function fullness(items: readonly Item[]): 'items' | 'photos' | null {
  const waiting = items.filter(({ state }) => state !== 'sent');
  if (waiting.length >= MOST_ITEMS) return 'items';
  return waiting.reduce((sum, { photo_bytes }) => sum + photo_bytes, 0) >= MOST_PHOTO_BYTES ? 'photos' : null;
}

/** How a refusal is treated: `later` is sent again without a person, `conflict` needs a choice, `refused` needs a person. */
export function verdict(status: number | null, code: string): 'later' | 'wait-for-person' | 'conflict' | 'refused' {
  if (status === null || status >= 500 || status === 408 || status === 429) return 'later';
  if (code === 'operation_in_progress' || code === 'write_conflict' || code === 'unexpected_answer') return 'later';
  if (status === 401 || code === 'claim_required' || code === 'written_by_other') return 'wait-for-person';
  if (code === 'revision_mismatch' || code === 'invalid_transition') return 'conflict';
  return 'refused';
}

/**
 * Returns true if the gateway certainly does not have a refused write, because only its pass counts no more. Its person may then write it
 * now. After other refusals of a pass the gateway may have the write, so writing it under another name could store it twice.
 */
export function isPassOver({ state, problem }: Item): boolean {
  const reason = problem?.code === 'writing_pass_refused' ? (problem.reason ?? '') : '';
  return state === 'refused' && ['pass_ended', 'tablet_changed'].includes(reason);
}

/** Returns the value of a field of a record as text. */
export function textAt(record: unknown, path: string): string {
  let value: unknown = record;
  for (const step of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined;
  return shownText(value);
}

/** Returns a value of a record as text that a person can read. Ids are left out. */
export function shownText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(shownText).join('; ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .filter(([name, one]) => one !== null && one !== '' && !/(^|_)ids?$/.test(name))
    .map(([name, one]) => `${name.replaceAll('_', ' ')} ${shownText(one)}`)
    .join(', ');
}
