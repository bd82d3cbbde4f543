/**
 * Runs the handler of an admitted call and commits its writes.
 *
 *   handler (reads and stages) -> output checked -> ONE commit with the receipt
 *
 * A call whose commit conflicts runs again on fresh documents.
 */
import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { Spending } from '#contract/base/budget.ts';
import { OperationError } from '#contract/base/errors.ts';
import { makeId } from '#contract/base/ids.ts';
import { createPager } from '#contract/base/page.ts';
import { type Stored, WriteConflict } from '#contract/base/view.ts';
import type { Caller, CommonServices, HandlerContext, NodeServices, ServiceName } from '#contract/context.ts';
import type { HandlerGroup } from '#contract/handler.ts';
import type { OperationName } from '#contract/operations.ts';
import type { Store } from '#store/open-store.ts';
import type { Admitted } from './admission.ts';
import { canonicalJson } from './canonical-json.ts';
import { operationRow } from './json-schemas.ts';
import { type CheckedOutput, checkOutput, readsOneObject, unreadableError, withWarnings } from './output.ts';
import type { Answer, FreeKey, Receipts } from './receipts.ts';
import { payForWrites } from './spending.ts';
import { createStage, type Stage } from './staged.ts';
import type { Unreadable, UnreadableDocuments } from './unreadable.ts';

/** Services of the node that runs the handlers. Operations that need an absent one are refused. */
export type Services = CommonServices & Partial<NodeServices> & { readonly budgets: Spending };

/** The call, as far as its handler depends on it. */
interface RunningCall {
  readonly name: OperationName;
  readonly caller: Caller;
  readonly if_match?: number | null;
}

export interface RunOptions {
  readonly store: Store;
  readonly groups: readonly HandlerGroup[];
  readonly services: Services;
  readonly receipts: Receipts;
  readonly unreadable: UnreadableDocuments;
  /** Signs cursors; the same key after a restart keeps them valid. */
  readonly signingKey: Uint8Array;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** The answer of a run; `replayed` when another process had run the same key. */
type Outcome = Answer & { readonly replayed: boolean };

/** Runs an admitted call; `key` is the idempotency key that the call claimed. */
export type Run = (call: RunningCall, admitted: Admitted, key: FreeKey | undefined) => Promise<Outcome>;

/** A handler of any operation; `parseInput` and `checkOutput` check what its type promises. */
type Handler = (input: Record<string, unknown>, context: HandlerContext<ServiceName>) => unknown;

/** Runs of one call, the first included. */
const TRIES = 16;

export function createRunner(options: RunOptions): Run {
  const { store, groups, services, receipts, unreadable, clock } = options;
  const handlers = new Map(groups.flatMap((group) => Object.entries(group.handlers) as [string, Handler][]));
  const contextFor = createContexts(options);

  return async (call, admitted, claimed) => {
    const { name } = call;
    const row = operationRow(name);
    const handler = handlers.get(name);
    if (handler === undefined)
      throw new OperationError('backend_unavailable', 'This gateway does not run the part behind this operation.');
    let key = claimed;
    // Charged once, however often the call runs.
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
      // A dry run is checked like a real one, and stores nothing, not even a receipt.
      if (admitted.input.dry_run === true) return { ...answer, replayed: false };
      const own = [...staged, ...(key ? receipts.writes(key, name, answer) : [])];
      if (own.length === 0) return { ...answer, replayed: false };
      charged ??= payForWrites(services.budgets, call.caller, own, row.bytes === 'frame');
      try {
        const stored = await store.commit([...own, ...charged]);
        if (key !== undefined) receipts.stored(name);
        return { ...withSequence(answer, stored), replayed: false };
      } catch (error) {
        if (!(error instanceof WriteConflict) || attempt === TRIES) throw error;
        if (key === undefined || error.id !== key.id) continue;
        // Another process stored the receipt first: its answer is the answer of this call, too.
        const found = await receipts.lookUp(key.id, key.fingerprint);
        if ('answer' in found) return { ...found.answer, replayed: true };
        key = found.key;
      }
    }
  };
}

/**
 * Runs a handler and the check of its output. If a read of one object fails because its stored document does not fit, that document is
 * named in health and in the log. A TypeError comes from a document without the fields that the handler reads.
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

/** What differs between two attempts of one call. */
interface Attempt {
  readonly stage: Stage;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Receives the documents that the handler could not read. */
  readonly left: Unreadable[];
}

/** The function that makes the context of one attempt. */
function createContexts({ store, services, signingKey, clock, random }: RunOptions) {
  const secretKey = createSecretKey(signingKey);
  const sign = (text: string) =>
    createHmac('sha256', secretKey).update(`cursor\n${text}`).digest('base64url').slice(0, 32);
  const shared = {
    // Admission refuses operations whose services are absent, so each handler gets those that its group declares.
    ...(services as Services & NodeServices),
    nodeId: store.nodeId,
    newId: (...[kind, place]: Parameters<HandlerContext['newId']>) => makeId(kind, clock(), random(10), place),
    secret: (bytes: number) => Buffer.from(random(bytes)).toString('base64url'),
    sha256: (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex'),
  };
  return (call: RunningCall, admitted: Admitted, { stage, now, left }: Attempt): HandlerContext<ServiceName> => {
    /** Identifies the list that a cursor belongs to. */
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
      if_match: call.if_match ?? null,
      page: createPager(sign, list, now),
      reportUnreadable: (id, error) =>
        left.push(
          error instanceof Error ? { id, faults: error.message, stack: error.stack } : { id, faults: String(error) },
        ),
    };
  };
}

/** True for an event that gets its sequence number from the commit. */
function isUncounted({ body }: Answer): boolean {
  return body.object === 'event' && body.sequence === null;
}

/** The id of the event in this answer whose sequence number has to be read from the store; undefined when there is none. */
export function uncountedEvent(answer: Answer): string | undefined {
  return isUncounted(answer) ? String(answer.body.id) : undefined;
}

/** The answer with the sequence number that the commit gave to its event. */
export function withSequence(answer: Answer, stored: readonly Stored[]): Answer {
  if (!isUncounted(answer)) return answer;
  const sequence = stored.find(({ id }) => id === answer.body.id)?.origin_seq ?? null;
  return { ...answer, body: { ...answer.body, sequence } };
}
