/**
 * Calls handlers. REST, MCP and all other servers call operations through this file:
 *
 *   role -> project -> input -> receipt -> handler (reads and stages) -> output checked -> ONE commit with the receipt.
 *
 * Invariants:
 * - The gateway writes nothing if the answer of the handler does not fit its schema.
 * - One commit stores the effect of a call and its receipt (the answer for a repeated call with the same Idempotency-Key). So the store has
 * both of them, or none of them.
 * - If the commit fails because another call has changed a document, the handler runs again and reads the documents again.
 */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { type BriefProblem, say } from '#contract/base/told.ts';
import type { Change } from '#contract/base/view.ts';
import type { Caller } from '#contract/context.ts';
import { type HandlerGroup, operationsWithout } from '#contract/handler.ts';
import type { OperationName } from '#contract/operations.ts';
import type { Log } from '#servers/base/log.ts';
import type { Store } from '#store/open-store.ts';
import { type Admitted, createAdmission } from './admission.ts';
import { takesIdempotencyKey } from './catalog.ts';
import { operationRow } from './json-schemas.ts';
import { createLateWrites, type Late } from './late-writes.ts';
import { asOperationError } from './operation-errors.ts';
import { type Answer, createReceipts, fingerprintOf, type LateBounds, receiptId } from './receipts.ts';
import { createRunner, ownerOf, type Services, uncountedEvent, type Written, withSequence } from './run-operation.ts';
import { createUnreadableDocuments } from './unreadable.ts';

export type { Services } from './run-operation.ts';

interface Call {
  readonly name: OperationName;
  readonly caller: Caller;
  /** Parameters of path, query and body in one flat object, before validation. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Value of the Project-ID header, or `project_id` of a tool call. */
  readonly project_id?: string | undefined;
  readonly idempotency_key?: string | undefined;
  /** Revision that the If-Match header names; null without that header. */
  readonly if_match?: number | null;
  readonly request_id: string;
  /** Set for a late write. `caller` is then the sender, which may be another person on the same tablet. */
  readonly late?: Late | undefined;
}

interface Reply extends Answer {
  /** True if this is the stored answer of an earlier call with the same Idempotency-Key. */
  readonly replayed: boolean;
}

export interface Invoke {
  /**
   * Returns false for an operation if this gateway does not run a service that the operation needs. The gateway refuses calls of such an
   * operation, and its lists of operations leave the operation out.
   */
  serves(name: OperationName): boolean;
  /** Runs an operation. All errors that it throws are OperationErrors. */
  call(call: Call): Promise<Reply>;
  /**
   * Checks role, project and input of a call, and does not run a handler. The code for event streams and file transfers calls it before it
   * begins.
   */
  admit(call: Omit<Call, 'request_id' | 'late'>): Promise<Admitted>;
  /** Calls `listener` after each commit that changed documents of the project. Returns the function that unsubscribes. */
  watch(project_id: string, listener: (changes: readonly Change[]) => void): () => void;
  /** Removes expired receipts, and the oldest receipts above the limit. The gateway calls this function every minute. */
  sweep(): Promise<void>;
  /** Returns the problem that `GET /api/v1/health` shows if operations could not read stored documents; an empty list otherwise. */
  problems(): BriefProblem[];
}

const KEY_LENGTH = LIMITS.idempotency_key.value;

/** Creates the invoker. `signingKey` signs cursors; it must stay the same after a restart, so that cursors stay valid. */
export function createInvoke(options: {
  store: Store;
  groups: readonly HandlerGroup[];
  services: Services;
  signingKey: Uint8Array;
  clock: () => number;
  random: (bytes: number) => Uint8Array;
  log: Log;
  /** Limit for the stored receipts; default 20,000. */
  maxReceipts?: number;
  /** Limits for the stored receipts of late writes; default: those of the table of limits. */
  lateBounds?: LateBounds;
}): Invoke {
  const { store, groups, services, clock, log, maxReceipts, lateBounds } = options;
  const unavailable = operationsWithout(groups, services);
  const serves = (name: OperationName): boolean => !unavailable.has(name);
  const receipts = createReceipts({
    store,
    sealer: services.sealer,
    clock,
    log,
    ...(maxReceipts === undefined ? {} : { max: maxReceipts }),
    ...(lateBounds === undefined ? {} : { late: lateBounds }),
  });
  const unreadable = createUnreadableDocuments(store, log);
  const admit = createAdmission(store, serves);
  const run = createRunner({ ...options, receipts, unreadable });
  const openLate = createLateWrites({
    store,
    sealer: services.sealer,
    accessTime: services.signIn?.now ?? clock,
    clock,
  });

  /** Returns the call of the person who wrote a late write. */
  async function fromAuthor(call: Call, late: Late) {
    if (call.idempotency_key === undefined)
      throw new OperationError('idempotency_key_required', 'Send the id of the write as Idempotency-Key.', {
        param: 'Idempotency-Key',
      });
    const { author, written, refusal } = await openLate(call.name, call.caller, late);
    return { ...call, caller: author, late: written, refusal };
  }

  async function invoke(sent: Call): Promise<Reply> {
    return sent.late === undefined
      ? carryOut({ ...sent, late: undefined })
      : carryOut(await fromAuthor(sent, sent.late));
  }

  /** `refusal`: the pass has ended, so only a repeat of a call that was carried out gets an answer. */
  async function carryOut(
    call: Omit<Call, 'late'> & { readonly late: Written | undefined; readonly refusal?: OperationError | undefined },
  ): Promise<Reply> {
    const admitted = await admit(call);
    const sent = takesIdempotencyKey(call.name) ? call.idempotency_key : undefined;
    if (sent === undefined) return run(call, admitted, undefined);
    checkKey(sent);
    const id = receiptId(scopeOfKey(call, admitted), sent);
    // Answer a repeated call before checking If-Match: the first call has changed the revision, so the check would fail.
    const fingerprint = await fingerprintOf(admitted.input);
    const replay = async (answer: Answer): Promise<Reply> => ({
      ...(await counted(answer, admitted.project_id)),
      replayed: true,
    });
    const found = await receipts.claim(id, fingerprint);
    if ('answer' in found) return replay(found.answer);
    try {
      if (call.refusal !== undefined) throw call.refusal;
      if (call.late !== undefined) await receipts.checkRoom(ownerOf(call.caller));
      const reply = await run(call, admitted, found.key);
      return reply.replayed ? replay(reply) : reply;
    } catch (error) {
      // Another process of this head office may have carried out the same call since the look-up, and its effect refuses this one.
      const again = await receipts.lookUp(id, fingerprint);
      if (!('answer' in again)) throw error;
      return replay(again.answer);
    } finally {
      receipts.release(id);
    }
  }

  /**
   * Adds the sequence number to the event in a stored answer. The number was not known when the answer was stored, because the same commit
   * assigned it.
   */
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
  throw new OperationError(
    'parameter_invalid',
    say('An Idempotency-Key must have 1 to {key_length} visible ASCII characters.', { key_length: KEY_LENGTH }),
    {
      param: 'Idempotency-Key',
    },
  );
}

/** Returns the scope in which an Idempotency-Key must be unique: the caller's key, the project, the method and the path. */
function scopeOfKey(
  { name, caller }: Pick<Call, 'name' | 'caller'>,
  { project_id, input }: Admitted,
): (string | null)[] {
  const { method, path } = operationRow(name);
  const fullPath = path.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(input[key]).toWellFormed()),
  );
  return [caller.kind, caller.id, project_id, method, fullPath];
}
