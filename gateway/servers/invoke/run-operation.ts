/**
 * Runs the handler of an admitted call and commits its writes.
 *
 *   handler (reads and stages) -> output checked -> ONE commit with the receipt
 *
 * "Stages" means that the handler collects its writes in memory. The receipt is the stored answer, for a repeated call with the same
 * Idempotency-Key. If the commit fails because another call has changed a document, the handler runs again and reads the documents again.
 */
import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { Spending } from '#contract/base/budget.ts';
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { OperationError } from '#contract/base/errors.ts';
import { makeId } from '#contract/base/ids.ts';
import { createPager } from '#contract/base/page.ts';
import { type Stored, WriteConflict } from '#contract/base/view.ts';
import type { Caller, CommonServices, HandlerContext, NodeServices, ServiceName } from '#contract/context.ts';
import type { HandlerGroup } from '#contract/handler.ts';
import type { OperationName } from '#contract/operations.ts';
import type { DocumentStore } from '#store/open-store.ts';
import type { Admitted } from './admission.ts';
import { operationRow } from './json-schemas.ts';
import { type CheckedOutput, checkOutput, readsOneObject, unreadableError, withWarnings } from './output.ts';
import type { Answer, FreeKey, Receipts } from './receipts.ts';
import { payForWrites } from './spending.ts';
import { createStage, type Stage } from './staged.ts';
import type { Unreadable, UnreadableDocuments } from './unreadable.ts';

/** The services that handlers use. If this gateway does not run a service, it refuses the operations that need this service. */
export type Services = CommonServices & Partial<NodeServices> & { readonly budgets: Spending };

/** The fields of a call that its handler needs. */
interface RunningCall {
  readonly name: OperationName;
  readonly caller: Caller;
  readonly if_match?: number | null;
  /** Set for a late write. */
  readonly late?: Written | undefined;
}

/** When a person wrote a late write, in milliseconds since 1970 by the clock of the gateway. */
export interface Written {
  /** Null: the gateway cannot know it. */
  readonly at_ms: number | null;
  /** The earliest possible time. */
  readonly earliest_ms: number;
}

export interface RunOptions {
  readonly store: DocumentStore;
  readonly groups: readonly HandlerGroup[];
  readonly services: Services;
  readonly receipts: Receipts;
  readonly unreadable: UnreadableDocuments;
  /** Key that signs cursors. It must stay the same after a restart, so that cursors stay valid. */
  readonly signingKey: Uint8Array;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** The answer of a call. `replayed` is true if another process carried out a call with the same Idempotency-Key first. */
type Outcome = Answer & { readonly replayed: boolean };

/** Runs an admitted call; `key` is the Idempotency-Key that the call claimed. */
export type Run = (call: RunningCall, admitted: Admitted, key: FreeKey | undefined) => Promise<Outcome>;

/** The handler of any operation. Its types are wide, because `parseInput` and `checkOutput` validate input and output at run time. */
type Handler = (input: Record<string, unknown>, context: HandlerContext<ServiceName>) => unknown;

/**
 * If the commit of a call fails because another call has changed a document, the handler runs again. It runs at most this many times for
 * one call.
 */
export const TRIES = 16;

export function createRunner(options: RunOptions): Run {
  const { store, groups, services, receipts, unreadable, clock } = options;
  const handlers = new Map(groups.flatMap((group) => Object.entries(group.handlers) as [string, Handler][]));
  const contextFor = createContexts(options);

  return async (call, admitted, claimed) => {
    const { name, late } = call;
    const owner = late === undefined ? undefined : ownerOf(call.caller);
    const row = operationRow(name);
    const handler = handlers.get(name);
    if (handler === undefined)
      throw new OperationError('backend_unavailable', 'This gateway has no handler for this operation.');
    let key = claimed;
    // Charge the budget of a device only once, even if the handler runs several times because of conflicts.
    let charged: ReturnType<typeof payForWrites> | undefined;
    for (let attempt = 1; ; attempt++) {
      const now = clock();
      const stage = createStage(store, new Date(now).toISOString());
      const left: Unreadable[] = [];
      const context = contextFor(call, admitted, { stage, now, left });
      const checked = await readable(name, admitted.input.id, unreadable, async () => {
        const output = await handler(admitted.input, context);
        return checkOutput(name, output, admitted.input.id);
      });
      left.push(...checked.unreadable);
      unreadable.add(name, left);
      const body = withWarnings(name, checked.body, left);
      const revision = row.revision !== undefined && typeof body.revision === 'number' ? body.revision : null;
      const staged = stage.writes();
      const status = staged.length === 0 ? (row.unchanged ?? row.status) : row.status;
      const answer: Answer = { status, body, revision };
      // A call with `dry_run` ends here. It has passed all checks. It stores nothing, not even a receipt.
      if (admitted.input.dry_run === true) return { ...answer, replayed: false };
      const own = [...staged, ...(key ? receipts.writes(key, name, answer, owner) : [])];
      if (own.length === 0) return { ...answer, replayed: false };
      charged ??= payForWrites(services.budgets, call.caller, own, row.bytes === 'frame');
      try {
        const stored = await store.commit([...own, ...charged]);
        return { ...withSequence(answer, stored), replayed: false };
      } catch (error) {
        if (!(error instanceof WriteConflict) || attempt === TRIES) throw error;
        if (key === undefined || error.id !== key.id) continue;
        // Another process carried out a call with the same key first: return its answer.
        const found = await receipts.lookUp(key.id, key.fingerprint);
        if ('answer' in found) return { ...found.answer, replayed: true };
        key = found.key;
      }
    }
  };
}

/**
 * Calls `run`, which runs a handler and checks its output. If a read of one object fails because its stored document does not fit the
 * schema, `GET /api/v1/health` and the log name that document. A TypeError counts as the same failure, because the document probably lacks
 * fields that the handler reads.
 */
async function readable(
  name: OperationName,
  id: unknown,
  unreadable: UnreadableDocuments,
  run: () => Promise<CheckedOutput>,
): Promise<CheckedOutput> {
  try {
    return await run();
  } catch (thrown) {
    const isMisfit = thrown instanceof TypeError && readsOneObject(name);
    const error = isMisfit ? unreadableError(id, thrown.message, thrown) : thrown;
    if (error instanceof OperationError && error.code === 'document_unreadable') {
      const [{ faults }] = error.details as [{ faults: string }];
      unreadable.add(name, [{ id: typeof id === 'string' ? id : null, faults, stack: (thrown as Error).stack }]);
    }
    throw error;
  }
}

/** The values of one run of a handler. A call that runs its handler again has new values. */
interface Attempt {
  readonly stage: Stage;
  /** Time of this run in milliseconds since 1970. */
  readonly now: number;
  /** List to which the run adds each stored document that the handler could not read. */
  readonly left: Unreadable[];
}

/** Returns the function that creates the handler context for one run. */
export function createContexts({
  store,
  services,
  signingKey,
  clock,
  random,
}: Pick<RunOptions, 'store' | 'services' | 'signingKey' | 'clock' | 'random'>) {
  const secretKey = createSecretKey(signingKey);
  const sign = (text: string) =>
    createHmac('sha256', secretKey).update(`cursor\n${text}`).digest('base64url').slice(0, 32);
  const shared = {
    // The cast is safe. If a service that an operation needs is absent, the gateway refuses the calls of this operation before this code
    // runs. So each handler gets the services that it declares.
    ...(services as Services & NodeServices),
    nodeId: store.nodeId,
    newId: (...[kind, place]: Parameters<HandlerContext['newId']>) => makeId(kind, clock(), random(10), place),
    secret: (bytes: number) => Buffer.from(random(bytes)).toString('base64url'),
    sha256: (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex'),
  };
  return (
    call: Omit<RunningCall, 'name'> & { readonly name: string },
    admitted: Admitted,
    { stage, now, left }: Attempt,
  ): HandlerContext<ServiceName> => {
    /** Returns a text that identifies a list by operation, project and filters. A cursor is valid only for the same list. */
    const list = (): string => {
      const { id = null, limit: _, cursor: __, ...filter } = admitted.input;
      return canonicalJson([call.name, admitted.project_id, id, filter]);
    };
    return {
      ...shared,
      caller: call.caller,
      view: stage.view(admitted.project_id),
      node: stage.view(store.node.project_id),
      project: (id) => stage.view(id),
      now: new Date(now).toISOString(),
      ...timesOf(now, call.late),
      if_match: call.if_match ?? null,
      page: createPager(sign, list, now),
      reportUnreadable: (id, error) =>
        left.push(
          error instanceof Error ? { id, faults: error.message, stack: error.stack } : { id, faults: String(error) },
        ),
    };
  };
}

/** Returns the person to whose quota a late write counts. */
export const ownerOf = ({ kind, id }: Caller): string => `${kind}:${id}`;

/** Returns when a person did it. If the gateway cannot know that, it is the time of this call. */
function timesOf(now: number, late: Written | undefined): Pick<HandlerContext, 'happened_at' | 'unsure_since'> {
  const { at_ms = now, earliest_ms = now } = late ?? {};
  const iso = (ms: number) => new Date(Math.min(now, ms)).toISOString();
  return { happened_at: iso(at_ms ?? now), unsure_since: at_ms === null ? iso(earliest_ms) : null };
}

/** Returns true if the answer is an event that has no sequence number yet. The commit assigns this number. */
function isUncounted({ body }: Answer): boolean {
  return body.object === 'event' && body.sequence === null;
}

/** Returns the id of the event in a stored answer if its sequence number must be read from the store; undefined otherwise. */
export function uncountedEvent(answer: Answer): string | undefined {
  return isUncounted(answer) ? String(answer.body.id) : undefined;
}

/** Returns the answer with the sequence number that the commit assigned to its event. */
export function withSequence(answer: Answer, stored: readonly Stored[]): Answer {
  if (!isUncounted(answer)) return answer;
  const sequence = stored.find(({ id }) => id === answer.body.id)?.origin_seq ?? null;
  return { ...answer, body: { ...answer.body, sequence } };
}
