/**
 * The one road from every door to a handler:
 *
 *   role -> project -> input -> receipt -> handler (reads and stages) -> output checked -> ONE commit with the receipt.
 *
 * Invariants: nothing is written unless the answer fits its schema; an effect and its receipt land together or not at all;
 * a call that lost a race runs again on fresh documents.
 */
import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { z } from 'zod';
import type { Spending } from '#contract/base/budget.ts';
import { OperationError } from '#contract/base/errors.ts';
import { makeId } from '#contract/base/ids.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { createPager } from '#contract/base/page.ts';
import { type Change, type Stored, WriteConflict } from '#contract/base/view.ts';
import type { Caller, CommonServices, HandlerContext, NodeServices, ServiceName } from '#contract/context.ts';
import { NotTaken } from '#contract/fleet/ingest.ts';
import { type HandlerGroup, operationsWithout } from '#contract/handler.ts';
import type { OperationName } from '#contract/operations.ts';
import { mayCall, scopeOf } from '#contract/scopes.ts';
import { isLong } from '#servers/base/json-text.ts';
import type { Log } from '#servers/base/log.ts';
import { inSlices } from '#servers/base/pause.ts';
import type { Store } from '#store/open-store.ts';
import { canonicalJson } from './canonical-json.ts';
import { takesIdempotencyKey } from './catalog.ts';
import { parseInput } from './input.ts';
import { type Issue, parseInPieces } from './input-pieces.ts';
import { operationRow } from './json-schemas.ts';
import { type Answer, createReceipts, fingerprintOf, type Receipts, receiptId } from './receipts.ts';
import { payForWrites } from './spending.ts';
import { createStage } from './staged.ts';

/** Services of the node that runs the handlers. Operations that need an absent one are refused. */
export type Services = CommonServices & Partial<NodeServices> & { readonly budgets: Spending };

interface Call {
  readonly name: OperationName;
  readonly caller: Caller;
  /** What was sent, in wire types: path, query and body as one flat object. */
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

/** A call that may go ahead. */
interface Admitted {
  readonly project_id: string;
  readonly input: Record<string, unknown>;
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
  /** Forgets receipts that have expired or are over their bound; to be called every minute. */
  sweep(): Promise<void>;
}

/** Projects remembered as such. */
const MAX_PROJECTS = 1_000;
const TRIES = 16;
const KEY_LENGTH = LIMITS.idempotency_key.value;

type Body = Record<string, unknown>;
/** A handler of any operation; `parseInput` and `checkOutput` check what its type says. */
type Handler = (input: Record<string, unknown>, context: HandlerContext<ServiceName>) => unknown;

/** An answer as its schema gives it out, that of a long list in slices; throws a plain error, a fault of the gateway, when it does not fit. */
async function checkOutput(name: OperationName, schema: z.ZodType, output: unknown): Promise<Body> {
  if (isLong(output as Body)) {
    const issues: Issue[] = [];
    const body = await inSlices(parseInPieces(schema, output, issues));
    if (issues.length > 0) throw misfit(name, issues);
    return body as Body;
  }
  const checked = schema.safeParse(output);
  if (!checked.success) throw misfit(name, checked.error.issues);
  return checked.data as Body;
}

function misfit(name: OperationName, issues: readonly Issue[]): Error {
  const faults = issues.slice(0, 5).map((issue) => `${issue.path.join('.')} ${issue.code}`);
  return new Error(`the answer of ${name} does not fit its schema: ${faults.join('; ')}`);
}

/** Every handler by its operation. */
function byOperation(groups: readonly HandlerGroup[]): ReadonlyMap<string, Handler> {
  return new Map(groups.flatMap(({ handlers }) => Object.entries(handlers) as [string, Handler][]));
}

/** Throws `permission_denied` for a caller whose role or scopes do not include the operation. */
function checkCaller(name: OperationName, caller: Caller): void {
  const row = operationRow(name);
  if (row.scope !== 'none' && (caller.role === null || !row.roles.includes(caller.role)))
    throw new OperationError(
      'permission_denied',
      caller.kind === 'device'
        ? 'A device key works on the routes of its own device alone, and not on this one.'
        : `The role ${caller.role ?? 'of nobody'} may not do this; it takes one of ${row.roles.join(', ')}.`,
    );
  if (row.scope !== 'none' && !mayCall(caller.scopes ?? null, name))
    throw new OperationError(
      'permission_denied',
      caller.kind === 'personal'
        ? 'A personal token reads transcripts and nothing else.'
        : `This key was made without the scope ${scopeOf(name)}.`,
      { details: [{ scope: scopeOf(name) }] },
    );
}

/** The invoker over a store and handlers; `signingKey` signs cursors and must outlive restarts. */
export function createInvoke(options: {
  store: Store;
  groups: readonly HandlerGroup[];
  services: Services;
  signingKey: Uint8Array;
  clock: () => number;
  random: (bytes: number) => Uint8Array;
  log: Log;
  /** Receipts kept at most; 20,000 when absent. */
  maxReceipts?: number;
}): Invoke {
  const { store, groups, services, clock, random, log } = options;
  const handlers = byOperation(groups);
  const unavailable = operationsWithout(groups, services);
  const serves = (name: OperationName): boolean => !unavailable.has(name);
  const receipts: Receipts = createReceipts({
    store,
    sealer: services.sealer,
    clock,
    log,
    ...(options.maxReceipts === undefined ? {} : { max: options.maxReceipts }),
  });
  const signingKey = createSecretKey(options.signingKey);
  const sign = (text: string) =>
    createHmac('sha256', signingKey).update(`cursor\n${text}`).digest('base64url').slice(0, 32);
  const shared = {
    // `admit` refuses operations whose services are absent, so each handler gets those that its group declares.
    ...(services as Services & NodeServices),
    newId: (...[kind, place]: Parameters<HandlerContext['newId']>) => makeId(kind, clock(), random(10), place),
    secret: (bytes: number) => Buffer.from(random(bytes)).toString('base64url'),
    sha256: (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex'),
  };

  async function admit({ name, caller, input, project_id }: Omit<Call, 'request_id'>): Promise<Admitted> {
    const row = operationRow(name);
    if (!serves(name))
      throw new OperationError(
        'operation_unavailable',
        'This node does not provide the service behind this operation.',
      );
    checkCaller(name, caller);
    const { project, rest } = await projectOf(name, caller, input, project_id);
    // Another device does not exist for a device key, whether it does or not (decisions R11).
    if (caller.kind === 'device' && row.path.includes('{id}') && rest.id !== caller.device)
      throw new OperationError('not_found', 'No such device within reach of this key.', { param: 'id' });
    return { project_id: project, input: await parseInput(name, rest) };
  }

  /** Projects that were seen; they do not go away but by a deletion, which is heard of. */
  const projects = new Set<string>();
  store.changes((changes) => {
    for (const { operation, document } of changes) if (operation === 'DELETE') projects.delete(document.id);
  });
  async function isProject(id: string): Promise<boolean> {
    if (projects.has(id)) return true;
    if ((await store.node.get('records', id))?.object !== 'project') return false;
    if (projects.size < MAX_PROJECTS) projects.add(id);
    return true;
  }

  /** The project of a call (decisions D-10, R2) and the input without a repeated `project_id`. */
  async function projectOf(
    name: OperationName,
    caller: Caller,
    input: Readonly<Record<string, unknown>>,
    header: string | undefined,
  ): Promise<{ project: string; rest: Readonly<Record<string, unknown>> }> {
    const row = operationRow(name);
    if (row.scope !== 'project') {
      // Who changes a project under the Project-ID of another one means one of the two by mistake.
      if (row.projectInPath && header !== undefined && header !== input.id)
        throw new OperationError('project_mismatch', 'The path and Project-ID name two projects.', { param: 'id' });
      return { project: store.node.project_id, rest: input };
    }
    const { project_id: named, ...without } = input;
    const rest = 'project_id' in row.input.shape ? input : without;
    if (caller.kind === 'device') {
      const own = caller.device_project;
      if (own === null || [header, named].some((id) => id !== undefined && id !== own))
        throw new OperationError('project_not_found', 'No such project within reach of this credential.');
      return { project: own, rest };
    }
    if (header === undefined)
      throw new OperationError(
        'project_required',
        'Send the project as `Project-ID` (REST) or as `project_id` (tools). `projects_list` (GET /api/v1/projects) lists them.',
        { param: 'Project-ID' },
      );
    const reached = caller.project_ids === null || caller.project_ids.includes(header);
    if (!reached || !(await isProject(header)))
      throw new OperationError('project_not_found', 'No such project within reach of this credential.', {
        param: 'Project-ID',
      });
    if (named !== undefined && named !== header)
      throw new OperationError('project_mismatch', '`project_id` and Project-ID name two projects.', {
        param: 'project_id',
      });
    return { project: header, rest };
  }

  async function run(call: Call, admitted: Admitted, receipt: { id: string; fingerprint: string } | undefined) {
    const { name } = call;
    const row = operationRow(name);
    const handler = handlers.get(name);
    if (handler === undefined)
      throw new OperationError('backend_unavailable', 'This gateway does not run the part behind this operation.');
    const list = (): string => {
      const { id = null, limit: _, cursor: __, ...filter } = admitted.input;
      return canonicalJson([name, admitted.project_id, id, filter]);
    };
    /** A call that runs again after a conflict has paid already. */
    let paid: ReturnType<typeof payForWrites> | undefined;
    for (let attempt = 1; ; attempt++) {
      const nowMs = clock();
      const now = new Date(nowMs).toISOString();
      const stage = createStage(store, now);
      const output = await handler(admitted.input, {
        ...shared,
        caller: call.caller,
        view: stage.view(admitted.project_id),
        node: stage.view(store.node.project_id),
        project: (id) => stage.view(id),
        now,
        if_match: call.if_match ?? null,
        page: createPager(sign, list, nowMs),
      });
      const body = await checkOutput(name, row.output, output);
      const revision = row.revision !== undefined && typeof body.revision === 'number' ? body.revision : null;
      const staged = stage.writes();
      const status = staged.length === 0 ? (row.unchanged ?? row.status) : row.status;
      const answer: Answer = { status, body, revision };
      // A dry run has been judged like the real one, and leaves nothing behind, no receipt either.
      if (admitted.input.dry_run === true) return answer;
      const own = [...staged, ...(receipt ? receipts.writes(receipt.id, name, receipt.fingerprint, answer) : [])];
      if (own.length === 0) return answer;
      paid ??= payForWrites(services.budgets, call.caller, own, row.bytes === 'frame');
      const writes = [...own, ...paid];
      try {
        return withSequence(answer, await store.commit(writes));
      } catch (error) {
        if (!(error instanceof WriteConflict) || attempt === TRIES) throw error;
      }
    }
  }

  async function invoke(call: Call): Promise<Reply> {
    const admitted = await admit(call);
    const key = takesIdempotencyKey(call.name) ? call.idempotency_key : undefined;
    if (key === undefined) return { ...(await run(call, admitted, undefined)), replayed: false };
    if (key.length === 0 || key.length > KEY_LENGTH || !/^[\x21-\x7e]+$/.test(key))
      throw new OperationError(
        'parameter_invalid',
        `An Idempotency-Key has 1 to ${KEY_LENGTH} visible ASCII characters.`,
        {
          param: 'Idempotency-Key',
        },
      );
    const { method, path } = operationRow(call.name);
    const fullPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(admitted.input[name]).toWellFormed()),
    );
    const id = receiptId([call.caller.kind, call.caller.id, admitted.project_id, method, fullPath], key);
    const fingerprint = await fingerprintOf(admitted.input);
    // A replay is answered before If-Match is looked at (decisions R7): the revision has moved because of the first call.
    const earlier = await receipts.claim(id, fingerprint);
    if (earlier !== undefined) {
      const stored = isUncounted(earlier)
        ? await store.view(admitted.project_id).getMany('events', [String(earlier.body.id)])
        : [];
      return { ...withSequence(earlier, stored), replayed: true };
    }
    try {
      return { ...(await run(call, admitted, { id, fingerprint })), replayed: false };
    } finally {
      receipts.release(id);
    }
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
  };
}

/** True for an event whose number the commit had yet to give when the answer was made. */
function isUncounted({ body }: Answer): boolean {
  return body.object === 'event' && body.sequence === null;
}

/** The answer with the number that the commit gave to the event. */
function withSequence(answer: Answer, stored: readonly Stored[]): Answer {
  if (!isUncounted(answer)) return answer;
  const sequence = stored.find(({ id }) => id === answer.body.id)?.origin_seq ?? null;
  return { ...answer, body: { ...answer.body, sequence } };
}

const SQLITE_FULL = 13;
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'disk_full']);
/** Faults of the store that may pass; a read succeeds meanwhile. */
const NO_WRITES = new Set(['EROFS', 'read_only', 'io_error', 'locked', 'overloaded']);

/** The error to show for whatever was thrown; what is our own fault is logged under the request id and told as `internal_error`. */
export function asOperationError(error: unknown, log: Log, requestId: string, where: string): OperationError {
  if (error instanceof OperationError) return error;
  if (error instanceof WriteConflict)
    return new OperationError('write_conflict', 'Others kept changing the same object. Read it again and retry.', {
      cause: error,
    });
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  const known = typeof code === 'string' ? code : '';
  const full = NO_ROOM.has(known) || errcode === SQLITE_FULL || error instanceof NotTaken;
  const stuck = NO_WRITES.has(known);
  log(full || stuck ? 'warn' : 'error', full ? 'the disk has no room' : `${where} failed`, {
    request_id: requestId,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  if (stuck)
    return new OperationError('storage_unavailable', 'The disk of the gateway takes no writes now; reads go on.', {
      cause: error,
    });
  return full
    ? new OperationError('storage_full', 'The disk of the gateway is too full to accept this write.', { cause: error })
    : new OperationError('internal_error', `A fault of this gateway; its log holds it under ${requestId}.`, {
        cause: error,
      });
}
