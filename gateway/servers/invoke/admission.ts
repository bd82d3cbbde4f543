/** Decides whether a call may run: the role and scopes of its key, its project, and its input. */
import { OperationError } from '#contract/base/errors.ts';
import type { Caller } from '#contract/context.ts';
import type { OperationName } from '#contract/operations.ts';
import { mayCall, scopeOf } from '#contract/scopes.ts';
import type { Store } from '#store/open-store.ts';
import { parseInput } from './input.ts';
import { operationRow } from './json-schemas.ts';

type Input = Readonly<Record<string, unknown>>;

/** A call before its checks. */
interface Request {
  readonly name: OperationName;
  readonly caller: Caller;
  readonly input: Input;
  /** The Project-ID header, or the `project_id` of a tool. */
  readonly project_id?: string | undefined;
}

/** A call that passed all checks. */
export interface Admitted {
  readonly project_id: string;
  readonly input: Record<string, unknown>;
}

/** Checks a call; throws the error for the caller. */
export type Admit = (request: Request) => Promise<Admitted>;

/** Project ids that are remembered as existing. */
const MAX_PROJECTS = 1_000;

/** `serves` is false for an operation that this node lacks a service for. */
export function createAdmission(store: Store, serves: (name: OperationName) => boolean): Admit {
  /** Projects that exist. The change feed reports each deletion, so no entry is stale. */
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

  /** The project of a call, and the input without a repeated `project_id`. */
  async function projectOf({ name, caller, input, project_id: header }: Request): Promise<{ id: string; rest: Input }> {
    const row = operationRow(name);
    if (row.scope !== 'project') {
      // The two ids contradict each other: one of them is a mistake of the caller.
      if (row.projectInPath && header !== undefined && header !== input.id)
        throw new OperationError('project_mismatch', 'The path and Project-ID name two projects.', { param: 'id' });
      return { id: store.node.project_id, rest: input };
    }
    const { project_id: named, ...without } = input;
    const rest = 'project_id' in row.input.shape ? input : without;
    if (caller.kind === 'device') {
      const own = caller.device_project;
      if (own === null || [header, named].some((id) => id !== undefined && id !== own))
        throw new OperationError('project_not_found', 'No such project within reach of this credential.');
      return { id: own, rest };
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
    return { id: header, rest };
  }

  return async (request) => {
    const { name, caller } = request;
    if (!serves(name))
      throw new OperationError(
        'operation_unavailable',
        'This node does not provide the service behind this operation.',
      );
    checkRole(name, caller);
    const { id, rest } = await projectOf(request);
    // A device key gets the same error for another device, whether that device exists or not.
    if (caller.kind === 'device' && operationRow(name).path.includes('{id}') && rest.id !== caller.device)
      throw new OperationError('not_found', 'No such device within reach of this key.', { param: 'id' });
    return { project_id: id, input: await parseInput(name, rest) };
  };
}

/** Throws `permission_denied` unless the role and the scopes of the key allow the operation. */
function checkRole(name: OperationName, caller: Caller): void {
  const row = operationRow(name);
  if (row.scope === 'none') return;
  if (caller.role === null || !row.roles.includes(caller.role))
    throw new OperationError(
      'permission_denied',
      caller.kind === 'device'
        ? 'A device key may call only the operations of its own device, and this is not one of them.'
        : `The role ${caller.role ?? '(none)'} may not call this operation; allowed roles: ${row.roles.join(', ')}.`,
    );
  if (!mayCall(caller.scopes ?? null, name))
    throw new OperationError(
      'permission_denied',
      caller.kind === 'personal'
        ? 'A personal token reads transcripts and nothing else.'
        : `This key does not have the scope ${scopeOf(name)}.`,
      { details: [{ scope: scopeOf(name) }] },
    );
}
