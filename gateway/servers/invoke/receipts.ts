/**
 * Idempotency receipts. A receipt is the stored answer of a write: if a caller repeats a call with the same Idempotency-Key, it gets this
 * answer, and the call does not run again.
 *
 * The id of a receipt is a hash of the key and its scope. A set in memory contains the keys of running calls. One commit stores
 * the receipt and the effect of the call.
 *
 * Invariants:
 * - A receipt exists if and only if the effect of its call is stored.
 * - The commit expects the revision of the receipt that was read. So two processes cannot both carry out a call with one key.
 * - At most `max` receipts of each kind are stored; the oldest are removed first.
 * - A receipt of a late write is never removed before its time; at the limit the gateway refuses further late writes. It has at most
 *   `LATE_BYTES` bytes, because it has only the fields of the answer that a browser needs after a repeat.
 * - An answer with a secret is stored encrypted, and the secret is deleted after ten minutes.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { HttpOnly } from '#contract/base/operation.ts';
import type { Stored } from '#contract/base/view.ts';
import type { Sealer } from '#contract/context.ts';
import type { OperationName } from '#contract/operations.ts';
import type { Log } from '#servers/base/log.ts';
import { inSlices } from '#servers/base/pause.ts';
import type { Store } from '#store/open-store.ts';
import { canonicalParts } from './canonical-parts.ts';
import { isLarge } from './input-pieces.ts';
import { operationRow } from './json-schemas.ts';
import { createReceiptSweep } from './receipt-sweep.ts';
import type { ReceiptKind, Tally } from './receipt-tally.ts';
import { isSpent } from './spent-secrets.ts';
import type { ProjectWrite } from './staged.ts';

const KEPT_MS = LIMITS.receipt.value * 3_600_000;
const LATE_KEPT_MS = LIMITS.late_receipt.value * 86_400_000;
const SECRET_KEPT_MS = LIMITS.sealed_receipt.value * 60_000;
/** Largest size of a receipt of a late write in bytes of JSON. */
const LATE_BYTES = 1_000;
/** The fields of an answer that a receipt of a late write keeps. */
const LATE_FIELDS = ['object', 'id', 'revision', 'number', 'unit_number', 'sequence'] as const;
/** Longest text of such a field, so that the receipt stays small. */
const LATE_TEXT = 100;

/** How many receipts of late writes the gateway stores. */
export interface LateBounds {
  readonly site: Readonly<Tally>;
  readonly person: Readonly<Tally>;
}
const LATE_BOUNDS: LateBounds = {
  site: { items: LIMITS.late_receipts.value, bytes: LIMITS.late_receipts_bytes.value },
  person: { items: LIMITS.late_receipts_person.value, bytes: LIMITS.late_receipts_person_bytes.value },
};

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly revision: number | null;
}

interface ReceiptData {
  operation: string;
  fingerprint: string;
  status: number;
  revision: number | null;
  /**
   * JSON of the answer's body without its secret; null if the body has only the secret. In a sealed receipt (an encrypted one, for an
   * answer with a secret) this is the whole body, encrypted.
   */
  body: string | null;
  /** Id of the sealed receipt, which has the whole answer until the secret expires; null if the answer has no secret. */
  sealed_id: string | null;
  expires_ms: number;
  /** Only in a receipt of a late write: who wrote, and the size of the receipt. */
  owner?: string;
  bytes?: number;
}

/** An Idempotency-Key without a receipt. The call that claimed the key stores a receipt together with its effect. */
export interface FreeKey {
  readonly id: string;
  readonly fingerprint: string;
  /** Revision of the expired receipt with this id; 0 without one. The commit fails if the stored receipt has another revision. */
  readonly expected: number;
}

/** The result of looking up an Idempotency-Key: the answer of an earlier call with the key, or the key if no call has used it. */
export type Lookup = { readonly answer: Answer } | { readonly key: FreeKey };

export interface Receipts {
  /**
   * Claims an Idempotency-Key for a call. If the key has no receipt, the key stays claimed in this process until `release`.
   * Throws `idempotency_key_reused` if the key was used with other input, and `operation_in_progress` while another call uses the key.
   */
  claim(id: string, fingerprint: string): Promise<Lookup>;
  /** Throws `rate_limited` if the gateway cannot store a further receipt of a late write of this person. */
  checkRoom(owner: string): Promise<void>;
  /** Looks up a key again, after the commit failed because another process had stored the receipt. */
  lookUp(id: string, fingerprint: string): Promise<Lookup>;
  release(id: string): void;
  /**
   * Returns the writes that store this answer as a receipt. The caller adds them to the commit of the call. `owner`: the call is a late write
   * of this person.
   */
  writes(key: FreeKey, name: OperationName, answer: Answer, owner?: string): ProjectWrite[];
  /** Removes expired receipts, and the oldest receipts above the limit. The gateway calls this function every minute. */
  sweep(): Promise<void>;
}

/** Returns the receipt id of an Idempotency-Key in its scope (caller's key, project, method, path). */
export function receiptId(scope: readonly (string | null)[], key: string): string {
  return `rcp_${createHash('sha256')
    .update(canonicalJson([...scope, key]))
    .digest('hex')
    .slice(0, 40)}`;
}

/** Returns the SHA-256 of the canonical JSON of an input. A large input is hashed in slices, between which other requests are served. */
export async function fingerprintOf(input: unknown): Promise<string> {
  return isLarge(input)
    ? inSlices(fingerprinting(input))
    : createHash('sha256').update(canonicalJson(input)).digest('hex');
}

function* fingerprinting(input: unknown): Generator<void, string> {
  const hash = createHash('sha256');
  for (const part of canonicalParts(input)) {
    hash.update(part);
    yield;
  }
  return hash.digest('hex');
}

/** Creates the receipts, which are stored in the collection `local`. */
export function createReceipts(options: {
  store: Store;
  sealer: Sealer;
  clock: () => number;
  log: Log;
  max?: number;
  late?: LateBounds;
}): Receipts {
  const { store, sealer, clock, log, max = LIMITS.receipts.value, late = LATE_BOUNDS } = options;
  const { sweep, tally } = createReceiptSweep({ store, clock, log, max });
  const running = new Set<string>();

  async function answerOf(receipt: Stored<ReceiptData>): Promise<Answer | undefined> {
    const { status, revision, body, sealed_id } = receipt.data;
    if (sealed_id !== null) {
      const whole = await store.node.get<ReceiptData>('local', sealed_id);
      if (whole && whole.data.expires_ms >= clock() && whole.data.body !== null) {
        const plain = sealer.tryOpen(whole.data.body, sealed_id);
        const shown = plain === undefined ? undefined : (JSON.parse(plain) as Record<string, unknown>);
        if (shown !== undefined && !(await isSpent(store, receipt.data.operation as OperationName, shown)))
          return { status, revision, body: shown };
      }
    }
    return body === null ? undefined : { status, revision, body: JSON.parse(body) };
  }

  async function lookUp(id: string, fingerprint: string): Promise<Lookup> {
    const receipt = await store.node.get<ReceiptData>('local', id);
    if (receipt === undefined || receipt.data.expires_ms < clock())
      return { key: { id, fingerprint, expected: receipt?.revision ?? 0 } };
    if (receipt.data.fingerprint !== fingerprint)
      throw new OperationError(
        'idempotency_key_reused',
        'This Idempotency-Key was used with other input. Send the same input as before, or choose a new key.',
        { details: [{ first_seen_at: receipt.created_at }] },
      );
    const answer = await answerOf(receipt);
    if (answer === undefined)
      throw new OperationError(
        'idempotency_key_reused',
        'The call succeeded earlier, and its answer contained a secret that is no longer available. Read what the call created, or repeat it with a new Idempotency-Key.',
        { details: [{ first_seen_at: receipt.created_at, operation: receipt.data.operation }] },
      );
    return { answer };
  }

  return {
    lookUp,
    async claim(id, fingerprint) {
      if (running.has(id))
        throw new OperationError(
          'operation_in_progress',
          'An earlier call with this Idempotency-Key is still running. Before you send the call with a new key, read the resource.',
        );
      running.add(id);
      try {
        const found = await lookUp(id, fingerprint);
        if ('answer' in found) running.delete(id);
        return found;
      } catch (error) {
        running.delete(id);
        throw error;
      }
    },
    async checkRoom(owner) {
      await tally.ready();
      const isOwn = isFull(tally.ofOwner(owner), late.person);
      if (!isOwn && !isFull(tally.of('late_receipt'), late.site)) return;
      throw new OperationError(
        'rate_limited',
        isOwn
          ? 'The gateway keeps so many late writes of this person that it cannot take more now. Keep this one. It is sent again later.'
          : 'The gateway keeps so many late writes that it cannot take more now. Keep this one. It is sent again later.',
      );
    },
    release(id) {
      running.delete(id);
    },
    writes(key, name, answer, owner) {
      const common = {
        operation: name,
        fingerprint: key.fingerprint,
        status: answer.status,
        revision: answer.revision,
      };
      const put = (id: string, data: ReceiptData, expected?: number): ProjectWrite => ({
        project_id: store.node.project_id,
        collection: 'local',
        id,
        object: owner === undefined ? kindOf(name) : 'late_receipt',
        data: data as unknown as Record<string, unknown>,
        ...(expected === undefined ? {} : { expected }),
      });
      if (owner !== undefined) {
        const body = JSON.stringify(smallAnswer(answer.body));
        const small = { ...common, body, sealed_id: null, owner, expires_ms: clock() + LATE_KEPT_MS };
        return [put(key.id, { ...small, bytes: JSON.stringify(small).length }, key.expected)];
      }
      const whole = JSON.stringify(answer.body);
      const expires_ms = clock() + KEPT_MS;
      if (!hasSecret(name)) return [put(key.id, { ...common, body: whole, sealed_id: null, expires_ms }, key.expected)];
      const shown = withoutSecret(name, answer.body);
      const body = shown === undefined ? null : JSON.stringify(shown);
      const sealed_id = `rcs_${key.id.slice(4)}`;
      const sealed = { ...common, body: sealer.seal(whole, sealed_id), sealed_id: null };
      return [
        put(key.id, { ...common, body, sealed_id, expires_ms }, key.expected),
        put(sealed_id, { ...sealed, expires_ms: clock() + SECRET_KEPT_MS }),
      ];
    },
    sweep,
  };
}

const kindOf = (name: OperationName): ReceiptKind => (operationRow(name).frequent ? 'ingest_receipt' : 'receipt');

const isFull = (has: Readonly<Tally>, most: Readonly<Tally>): boolean =>
  has.items >= most.items || has.bytes + LATE_BYTES > most.bytes;

/** Returns the part of an answer that the receipt of a late write keeps. */
function smallAnswer(body: Record<string, unknown>): Record<string, unknown> {
  const fields = LATE_FIELDS.filter((field) => field in body && String(body[field]).length <= LATE_TEXT);
  return Object.fromEntries(fields.map((field) => [field, body[field]]));
}

/** The reasons for which an operation is HTTP only because its answer has a secret. Receipts of such answers are encrypted. */
const SECRET_ANSWERS: ReadonlySet<HttpOnly | undefined> = new Set(['provision', 'share', 'secret']);
const hasSecret = (name: OperationName): boolean => SECRET_ANSWERS.has(operationRow(name).httpOnly);

/** Returns the answer with null in the fields that have a secret; undefined if the operation does not declare these fields. */
function withoutSecret(name: OperationName, body: Record<string, unknown>): Record<string, unknown> | undefined {
  const { secretFields } = operationRow(name);
  return secretFields?.reduce((rest, field) => withoutField(rest, field.split('.')), body);
}

function withoutField(
  body: Record<string, unknown>,
  [name = '', ...inner]: readonly string[],
): Record<string, unknown> {
  const value = inner.length === 0 ? null : withoutField(body[name] as Record<string, unknown>, inner);
  return { ...body, [name]: value };
}
