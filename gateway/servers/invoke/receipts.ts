/**
 * Idempotency receipts (decisions D-4, R8): what a write answered, kept so that the same call sent again gets the same answer.
 *
 *   key + scope --> receipt id      in flight in memory; done in the store, in the same commit as the effect.
 *
 * Invariants: a receipt exists if and only if its effect does; a crash leaves neither or both; at most `max` receipts are kept,
 * the oldest give way first; what holds a secret is sealed, and after ten minutes the secret part is gone for good.
 */
import { createHash } from 'node:crypto';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { HttpOnly } from '#contract/base/operation.ts';
import type { Stored } from '#contract/base/view.ts';
import type { Sealer } from '#contract/context.ts';
import type { OperationName } from '#contract/operations.ts';
import type { Log } from '#servers/base/log.ts';
import { inSlices } from '#servers/base/pause.ts';
import type { Store } from '#store/open-store.ts';
import { walkChunks } from '#store/walk.ts';
import { canonicalJson, canonicalParts } from './canonical-json.ts';
import { isLarge } from './input-pieces.ts';
import { operationRow } from './json-schemas.ts';
import type { ProjectWrite } from './staged.ts';

const KEPT_MS = LIMITS.receipt.value * 3_600_000;
const SECRET_KEPT_MS = LIMITS.sealed_receipt.value * 60_000;
const PAGE = 500;

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
  /** JSON of the body; sealed in the second receipt of a secret; null where nothing without the secret can be told. */
  body: string | null;
  /** Id of the sealed receipt that holds the whole answer for a while. */
  sealed_id: string | null;
  expires_ms: number;
}

/** The answer with null for the fields that hold a secret; undefined for an operation that declares no such fields. */
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

/** What keeps models away from an answer keeps it out of the receipts, too. */
const SECRET_ANSWERS: ReadonlySet<HttpOnly | undefined> = new Set(['provision', 'share', 'secret']);

/** What devices send often keeps its receipts apart: a camera must not push out those of people (decisions R17). */
const SHELVES = ['receipt', 'ingest_receipt'] as const;
type Shelf = (typeof SHELVES)[number];
const shelfOf = (name: OperationName): Shelf => (operationRow(name).frequent ? 'ingest_receipt' : 'receipt');

export interface Receipts {
  /**
   * Claims a key for a call: gives the earlier answer, or undefined and the key stays claimed until `release`.
   * Throws `idempotency_key_reused` for other input and `operation_in_progress` while the first call runs.
   */
  claim(id: string, fingerprint: string): Promise<Answer | undefined>;
  release(id: string): void;
  /** The documents that keep this answer, for the commit of its effect. */
  writes(id: string, name: OperationName, fingerprint: string, answer: Answer): ProjectWrite[];
  /** Removes what has expired and what is over the bound; to be called every minute. */
  sweep(): Promise<void>;
}

/** The receipt id of a key in its scope: credential, project, method, path. */
export function receiptId(scope: readonly (string | null)[], key: string): string {
  return `rcp_${createHash('sha256')
    .update(canonicalJson([...scope, key]))
    .digest('hex')
    .slice(0, 40)}`;
}

/** SHA-256 over the canonical JSON of an input; of a large one in slices, so that others get their turn. */
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

/** Receipts in the `local` collection of the store. */
export function createReceipts(options: {
  store: Store;
  sealer: Sealer;
  clock: () => number;
  log: Log;
  max?: number;
}): Receipts {
  const { store, sealer, clock, log, max = LIMITS.receipts.value } = options;
  const running = new Set<string>();
  /** How many each shelf holds, once counted. */
  const kept = new Map<Shelf, number>();
  let sweeping = false;

  async function sweep(): Promise<void> {
    if (sweeping) return;
    sweeping = true;
    try {
      for (const shelf of SHELVES) await sweepShelf(shelf);
    } finally {
      sweeping = false;
    }
  }

  async function sweepShelf(object: Shelf): Promise<void> {
    kept.set(object, await count(object));
    for (;;) {
      const expired = await store.node.find<ReceiptData>('local', {
        object,
        where: { 'data.expires_ms': { lt: clock() } },
        limit: PAGE,
      });
      await remove(object, expired);
      if (expired.length < PAGE) break;
    }
    for (let over = (kept.get(object) ?? 0) - max; over > 0; over = (kept.get(object) ?? 0) - max)
      await remove(
        object,
        await store.node.find<ReceiptData>('local', { object, order: 'asc', limit: Math.min(PAGE, over) }),
      );
  }

  async function count(object: Shelf): Promise<number> {
    let total = 0;
    for await (const some of walkChunks(store.node, 'local', { object })) total += some.length;
    return total;
  }

  async function remove(object: Shelf, documents: readonly Stored<ReceiptData>[]): Promise<void> {
    if (documents.length === 0) return;
    await store.node.commit(
      documents.map((d) => ({
        collection: 'local',
        id: d.id,
        object,
        data: { ...d.data, body: null } as unknown as Record<string, unknown>,
        deleted: true,
      })),
    );
    kept.set(object, Math.max(0, (kept.get(object) ?? 0) - documents.length));
  }

  async function answerOf(receipt: Stored<ReceiptData>): Promise<Answer | undefined> {
    const { status, revision, body, sealed_id } = receipt.data;
    if (sealed_id !== null) {
      const whole = await store.node.get<ReceiptData>('local', sealed_id);
      if (whole && whole.data.expires_ms >= clock() && whole.data.body !== null)
        return { status, revision, body: JSON.parse(sealer.open(whole.data.body, sealed_id)) };
    }
    return body === null ? undefined : { status, revision, body: JSON.parse(body) };
  }

  return {
    async claim(id, fingerprint) {
      if (running.has(id))
        throw new OperationError(
          'operation_in_progress',
          'An earlier call with this Idempotency-Key is still running. Inspect the resource before retrying under a new key.',
        );
      running.add(id);
      try {
        const receipt = await store.node.get<ReceiptData>('local', id);
        if (receipt === undefined || receipt.data.expires_ms < clock()) return undefined;
        if (receipt.data.fingerprint !== fingerprint)
          throw new OperationError(
            'idempotency_key_reused',
            'This Idempotency-Key was used with other input. Send the first input again, or choose a new key.',
            { details: [{ first_seen_at: receipt.created_at }] },
          );
        const answer = await answerOf(receipt);
        if (answer === undefined)
          throw new OperationError(
            'idempotency_key_reused',
            'The call succeeded earlier; its answer held a secret that is no longer shown. Look at what exists, or make a new one under a new key.',
            { details: [{ first_seen_at: receipt.created_at, operation: receipt.data.operation }] },
          );
        running.delete(id);
        return answer;
      } catch (error) {
        running.delete(id);
        throw error;
      }
    },
    release(id) {
      running.delete(id);
    },
    writes(id, name, fingerprint, answer) {
      const object = shelfOf(name);
      const secret = SECRET_ANSWERS.has(operationRow(name).httpOnly);
      const common = { operation: name, fingerprint, status: answer.status, revision: answer.revision };
      const put = (docId: string, data: ReceiptData): ProjectWrite => ({
        project_id: store.node.project_id,
        collection: 'local',
        id: docId,
        object,
        data: data as unknown as Record<string, unknown>,
      });
      const now = clock();
      const known = kept.get(object);
      if (known !== undefined) kept.set(object, known + (secret ? 2 : 1));
      if (known !== undefined && known > max + PAGE)
        setImmediate(() => void sweep().catch((error) => log('warn', 'receipts could not be swept', { error })));
      if (!secret)
        return [put(id, { ...common, body: JSON.stringify(answer.body), sealed_id: null, expires_ms: now + KEPT_MS })];
      const shown = withoutSecret(name, answer.body);
      const sealed_id = `rcs_${id.slice(4)}`;
      return [
        put(id, {
          ...common,
          body: shown === undefined ? null : JSON.stringify(shown),
          sealed_id,
          expires_ms: now + KEPT_MS,
        }),
        put(sealed_id, {
          ...common,
          body: sealer.seal(JSON.stringify(answer.body), sealed_id),
          sealed_id: null,
          expires_ms: now + SECRET_KEPT_MS,
        }),
      ];
    },
    sweep,
  };
}
