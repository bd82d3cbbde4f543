/**
 * The one path from every server to a handler:
 *
 *   role -> project -> input -> receipt -> handler (reads and stages) -> output checked -> ONE commit with the receipt.
 *
 * Invariants: nothing is written unless the answer fits its schema; an effect and its receipt are stored together or not at all; a call
 * whose commit conflicts runs again on fresh documents.
 */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Change } from '#contract/base/view.ts';
import type { Caller } from '#contract/context.ts';
import { type HandlerGroup, operationsWithout } from '#contract/handler.ts';
import type { OperationName } from '#contract/operations.ts';
import type { Log } from '#servers/base/log.ts';
import type { Store } from '#store/open-store.ts';
import { type Admitted, createAdmission } from './admission.ts';
import { takesIdempotencyKey } from './catalog.ts';
import { operationRow } from './json-schemas.ts';
import { asOperationError } from './operation-errors.ts';
import { type Answer, createReceipts, fingerprintOf, receiptId } from './receipts.ts';
import { createRunner, type Services, uncountedEvent, withSequence } from './run-operation.ts';
import { createUnreadableDocuments } from './unreadable.ts';

export type { Services } from './run-operation.ts';

interface Call {
  readonly name: OperationName;
  readonly caller: Caller;
  /** Path, query and body as one flat object, before parsing. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The Project-ID of the call. */
  readonly project_id?: string | undefined;
  readonly idempotency_key?: string | undefined;
  /** The revision in If-Match. */
  readonly if_match?: number | null;
  readonly request_id: string;
}

interface Reply extends Answer {
  /** The answer of an earlier call with the same Idempotency-Key. */
  readonly replayed: boolean;
}

export interface Invoke {
  /** False for an operation that this node refuses because it lacks a service behind it; catalogs leave it out. */
  serves(name: OperationName): boolean;
  /** Runs an operation; throws OperationError, and nothing else. */
  call(call: Call): Promise<Reply>;
  /** Checks role, project and input without running anything: for streams. */
  admit(call: Omit<Call, 'request_id'>): Promise<Admitted>;
  /** Calls back after each commit that touched the project; returns the unsubscribe. */
  watch(project_id: string, listener: (changes: readonly Change[]) => void): () => void;
  /** Removes receipts that have expired or are over the limit; to be called every minute. */
  sweep(): Promise<void>;
  /** Problems for health: stored documents that could not be read. */
  problems(): { readonly code: string; readonly message: string }[];
}

const KEY_LENGTH = LIMITS.idempotency_key.value;

/** The invoker over a store and handlers; `signingKey` signs cursors and must be the same after a restart. */
export function createInvoke(options: {
  store: Store;
  groups: readonly HandlerGroup[];
  services: Services;
  signingKey: Uint8Array;
  clock: () => number;
  random: (bytes: number) => Uint8Array;
  log: Log;
  /** The most receipts that are kept; 20,000 when absent. */
  maxReceipts?: number;
}): Invoke {
  const { store, groups, services, clock, log, maxReceipts } = options;
  const unavailable = operationsWithout(groups, services);
  const serves = (name: OperationName): boolean => !unavailable.has(name);
  const receipts = createReceipts({
    store,
    sealer: services.sealer,
    clock,
    log,
    ...(maxReceipts === undefined ? {} : { max: maxReceipts }),
  });
  const unreadable = createUnreadableDocuments(store, log);
  const admit = createAdmission(store, serves);
  const run = createRunner({ ...options, receipts, unreadable });

  async function invoke(call: Call): Promise<Reply> {
    const admitted = await admit(call);
    const sent = takesIdempotencyKey(call.name) ? call.idempotency_key : undefined;
    if (sent === undefined) return run(call, admitted, undefined);
    checkKey(sent);
    const id = receiptId(scopeOfKey(call, admitted), sent);
    // A replay is answered before If-Match is checked: the first call has changed the revision.
    const found = await receipts.claim(id, await fingerprintOf(admitted.input));
    if ('answer' in found) return { ...(await counted(found.answer, admitted.project_id)), replayed: true };
    try {
      const reply = await run(call, admitted, found.key);
      return reply.replayed ? { ...(await counted(reply, admitted.project_id)), replayed: true } : reply;
    } finally {
      receipts.release(id);
    }
  }

  /** A stored answer with the sequence number of its event, which was not known when the receipt was written. */
  async function counted(answer: Answer, project_id: string): Promise<Answer> {
    const event = uncountedEvent(answer);
    return event === undefined ? answer : withSequence(answer, await store.view(project_id).getMany('events', [event]));
  }

  return {
    serves,
    admit,
    async call(call) {
      try {
        return await invoke(call);
      } catch (error) {
        throw asOperationError(error, log, call.request_id, call.name);
      }
    },
    watch: (project_id, listener) => store.view(project_id).changes(listener),
    sweep: () => receipts.sweep(),
    problems: () => unreadable.problems(),
  };
}

function checkKey(key: string): void {
  if (key.length > 0 && key.length <= KEY_LENGTH && /^[\x21-\x7e]+$/.test(key)) return;
  throw new OperationError('parameter_invalid', `An Idempotency-Key has 1 to ${KEY_LENGTH} visible ASCII characters.`, {
    param: 'Idempotency-Key',
  });
}

/** A key belongs to a credential, a project, a method and a path. */
function scopeOfKey({ name, caller }: Call, { project_id, input }: Admitted): (string | null)[] {
  const { method, path } = operationRow(name);
  const fullPath = path.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(input[key]).toWellFormed()),
  );
  return [caller.kind, caller.id, project_id, method, fullPath];
}
