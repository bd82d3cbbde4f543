/**
 * Decides whether a call of an operation may run. It checks the role and the scopes (allowed kinds of operations) of the API key, the
 * project, and the input.
 */
import { OperationError } from '#contract/base/errors.ts';
import { part, say } from '#contract/base/told.ts';
import type { Caller } from '#contract/context.ts';
import type { OperationName } from '#contract/operations.ts';
import { refusedField } from '#contract/permissions.ts';
import { mayCall, scopeOf } from '#contract/scopes.ts';
import type { Store } from '#store/open-store.ts';
import { parseInput } from './input.ts';
import { operationRow } from './json-schemas.ts';

type Input = Readonly<Record<string, unknown>>;

/** A call of an operation that this file has not checked yet. */
interface Request {
  readonly name: OperationName;
  readonly caller: Caller;
  readonly input: Input;
  /** Value of the Project-ID header, or `project_id` of a tool call. */
  readonly project_id?: string | undefined;
}

/** A call that passed all checks. */
export interface Admitted {
  readonly project_id: string;
  readonly input: Record<string, unknown>;
}

/** Checks a call; throws an `OperationError` for a call that may not run. */
export type Admit = (request: Request) => Promise<Admitted>;

/** Largest number of project ids in the cache of existing projects. */
const MAX_PROJECTS = 1_000;

/**
 * Creates the function that checks calls. `serves` must return false for an operation if this gateway does not run a service that the
 * operation needs.
 */
export function createAdmission(store: Store, serves: (name: OperationName) => boolean): Admit {
  /** A cache with the ids of existing projects. When a commit deletes a project, this file removes its id from the cache. */
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

  /** Returns the project of a call, and the input without `project_id` if the operation does not declare that field. */
  async function projectOf({ name, caller, input, project_id: header }: Request): Promise<{ id: string; rest: Input }> {
    const row = operationRow(name);
    if (row.scope !== 'project') {
      // If the path and the header name different projects, the caller made a mistake. Refuse the call instead of choosing one of the two
      // projects.
      if (row.projectInPath && header !== undefined && header !== input.id)
        throw new OperationError(
          'project_mismatch',
          'The path and Project-ID name different projects. Leave out Project-ID.',
          { param: 'id' },
        );
      return { id: store.node.project_id, rest: input };
    }
    const { project_id: named, ...without } = input;
    const rest = 'project_id' in row.input.shape ? input : without;
    if (caller.kind === 'device') {
      const own = caller.device_project;
      if (own === null || [header, named].some((id) => id !== undefined && id !== own))
        throw new OperationError('project_not_found', 'This device key has no access to this project.');
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
      throw new OperationError('project_not_found', 'There is no such project, or this key has no access to it.', {
        param: 'Project-ID',
      });
    if (named !== undefined && named !== header)
      throw new OperationError(
        'project_mismatch',
        '`project_id` and Project-ID name different projects. Send only one of them.',
        {
          param: 'project_id',
        },
      );
    return { id: header, rest };
  }

  return async (request) => {
    const { name, caller } = request;
    if (!serves(name))
      throw new OperationError(
        'operation_unavailable',
        'This node does not run the service that this operation needs.',
      );
    checkRole(name, caller);
    const { id, rest } = await projectOf(request);
    // A device key gets this error for every other device, so that it cannot find out which devices exist.
    if (caller.kind === 'device' && operationRow(name).path.includes('{id}') && rest.id !== caller.device)
      throw new OperationError('not_found', 'There is no such device, or this key has no access to it.', {
        param: 'id',
      });
    checkFields(name, caller, rest);
    return { project_id: id, input: await parseInput(name, rest) };
  };
}

/** Throws `permission_denied` for the first field that the role of the caller may not send. */
function checkFields(name: OperationName, { role }: Caller, input: Input): void {
  const refused = refusedField(role, name, input);
  // `parseInput` refuses a name that the operation does not declare.
  if (refused === undefined || !Object.hasOwn(operationRow(name).input.shape, refused.field)) return;
  const { field, values } = refused;
  throw new OperationError(
    'permission_denied',
    values.length === 0
      ? say('The role {role} may not set `{field}` with this operation.', { role: part(role ?? 'no role'), field })
      : say('The role {role} may set `{field}` only to: {values}.', {
          role: part(role ?? 'no role'),
          field,
          values: values.join(', '),
        }),
    { param: field, details: [{ allowed: values }] },
  );
}

/** Throws `permission_denied` if the role or the scopes of the key do not allow the operation. */
function checkRole(name: OperationName, caller: Caller): void {
  const row = operationRow(name);
  if (row.scope === 'none') return;
  if (caller.role === null || !row.roles.includes(caller.role))
    throw new OperationError(
      'permission_denied',
      caller.kind === 'device'
        ? 'A device key may not call this operation; it may call only operations of its own device.'
        : say('The role {role} may not call this operation. Allowed roles: {roles}.', {
            role: part(caller.role ?? 'no role'),
            roles: row.roles.join(', '),
          }),
    );
  if (!mayCall(caller.scopes ?? null, name))
    throw new OperationError(
      'permission_denied',
      caller.kind === 'personal'
        ? 'A personal token may only read transcripts.'
        : say('This key does not have the scope {scope}.', { scope: scopeOf(name) }),
      { details: [{ scope: scopeOf(name) }] },
    );
}
