/** Workspace keys: the keys of people and agents. A key is shown once and stored as a hash. The last owner key cannot be revoked. */

import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import { covers, SCOPES } from '#contract/scopes.ts';
import type { Key, KeyData } from '#contract/site/node.ts';
import type { UserData } from '#contract/site/user.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { guardOwners, hasOtherOwner } from './owners.ts';

const DAY_MS = 86_400_000;
const TAG = { workspace: 'wk', personal: 'pat', device: 'dk', session: 'ses', tablet: 'tab', gateway: 'gw' } as const;

/** Fields of a new key that the caller of `mintKey` chooses. `prefix` and `hash` are computed from the secret. */
type KeyFields = Pick<KeyData, 'name' | 'role'> & Partial<Omit<KeyData, 'prefix' | 'hash'>>;

/**
 * Makes the document of a key, and its secret. The secret is `wk_`, `pat_`, `dk_`, `ses_`, `tab_` or `gw_`, then 8 letters or digits with which the gateway finds
 * the key, `_`, and 256 random bits as 43 base64url characters. `given` is an existing secret, for example the owner key that an
 * administrator configures for the first start.
 */
export function mintKey(
  tools: Pick<HandlerContext, 'secret' | 'sha256'>,
  fields: KeyFields,
  given?: string,
): { secret: string; data: KeyData } {
  const kind = fields.kind ?? 'workspace';
  const secret = given ?? `${TAG[kind]}_${tools.sha256(tools.secret(16)).slice(0, 8)}_${tools.secret(32)}`;
  const data: KeyData = {
    kind,
    project_ids: null,
    device: null,
    device_id: null,
    expires_at: null,
    revoked_at: null,
    ...fields,
    prefix: secret.split('_')[1] ?? '',
    hash: tools.sha256(secret),
  };
  return { secret, data };
}

/** Stages (adds to the commit of this call) a new key. */
export function stageKey(context: HandlerContext, data: KeyData): Stored<KeyData> {
  return context.node.stage<KeyData>({
    collection: 'local',
    id: context.newId('key'),
    object: 'key',
    data,
    expected: 0,
  });
}

/** Returns the time of the last use of each of these keys, by id. */
export async function lastUses(
  context: HandlerContext,
  keys: readonly Stored<KeyData>[],
): Promise<Map<string, string>> {
  const notes = await context.node.getMany<{ last_used_at: string }>(
    'local',
    keys.map(({ id }) => `use_${id}`),
  );
  return new Map(notes.map(({ id, data }) => [id.slice('use_'.length), data.last_used_at]));
}

/** Converts a stored workspace key to the API form. */
function toKey(document: Stored<KeyData>, last_used_at: string | null = null): Key {
  const { name, role, prefix, project_ids, expires_at, revoked_at } = document.data;
  const { scopes = null, allowed_cidrs = null, replaced_by = null } = document.data;
  if (role === 'device' || role === 'display' || role === 'tablet' || role === 'gateway')
    throw new Error(`key ${document.id} is not a workspace key`);
  return {
    object: 'key',
    id: document.id,
    name,
    role,
    prefix: `${TAG.workspace}_${prefix}`,
    project_ids,
    scopes,
    allowed_cidrs,
    last_used_at,
    replaced_by,
    expires_at,
    revoked_at,
    created_at: document.created_at,
  };
}

async function toKeys(context: HandlerContext, keys: readonly Stored<KeyData>[]): Promise<Key[]> {
  const uses = await lastUses(context, keys);
  return keys.map((key) => toKey(key, uses.get(key.id) ?? null));
}

/** Returns the answer to the creation of a key, which shows its secret. */
export function keyCreated(document: Stored<KeyData>, secret: string): Output<'keys_create'> {
  return { object: 'key_created', key: toKey(document), secret };
}

/** Returns true if the caller has access to every project of the key. */
function reaches(context: HandlerContext, project_ids: readonly string[] | null): boolean {
  const own = context.caller.project_ids;
  return own === null || (project_ids?.every((id) => own.includes(id)) ?? false);
}

/**
 * Returns the restrictions of a new key. Throws `parameter_invalid` for an unknown scope, and `permission_denied` if the new key would be
 * less restricted than the caller's key.
 */
function boundsOf(
  { caller }: HandlerContext,
  wanted: { readonly scopes?: readonly string[] | undefined; readonly allowed_cidrs?: readonly string[] | undefined },
): { scopes: string[] | null; allowed_cidrs: string[] | null } {
  const { scopes: own = null, allowed_cidrs: from = null } = caller;
  const scopes = wanted.scopes ?? own;
  const allowed_cidrs = wanted.allowed_cidrs ?? from;
  const unknown = scopes?.find((scope) => !SCOPES.has(scope));
  if (unknown !== undefined)
    throw new OperationError('parameter_invalid', say('There is no scope with the name {unknown}.', { unknown }), {
      param: 'scopes',
      details: [{ allowed: [...SCOPES].sort() }],
    });
  const wider = scopes?.find((scope) => !covers(own, scope));
  if (wider !== undefined || (own !== null && scopes === null))
    throw new OperationError(
      'permission_denied',
      wider === undefined
        ? 'Your key has only some scopes, so it cannot create a key with all of them.'
        : say('Your key does not have the scope {wider}, so it cannot create a key with that scope.', { wider }),
      {
        param: 'scopes',
      },
    );
  const elsewhere = allowed_cidrs?.find((cidr) => from !== null && !from.includes(cidr));
  if (elsewhere !== undefined)
    throw new OperationError(
      'permission_denied',
      say('Your key is not valid for clients at {elsewhere}, so it cannot create a key for them.', {
        elsewhere: elsewhere ?? '',
      }),
      {
        param: 'allowed_cidrs',
      },
    );
  return { scopes: scopes && [...new Set(scopes)], allowed_cidrs: allowed_cidrs && [...new Set(allowed_cidrs)] };
}

/** Returns true if the key has at least the restrictions of the caller's key. Only then could the caller have created it. */
function isWithin({ caller }: HandlerContext, { scopes = null, allowed_cidrs = null }: KeyData): boolean {
  const { scopes: own = null, allowed_cidrs: from = null } = caller;
  return (
    (own === null || (scopes?.every((scope) => covers(own, scope)) ?? false)) &&
    (from === null || (allowed_cidrs?.every((cidr) => from.includes(cidr)) ?? false))
  );
}

/** Reads a workspace key. Throws `not_found` if the caller does not have access to all projects of the key. */
async function requireKey(context: HandlerContext, id: string): Promise<Stored<KeyData>> {
  const current = await requireRecord<KeyData>(context.node, 'key', id, 'id', 'local');
  if (current.data.kind !== 'workspace' || !reaches(context, current.data.project_ids))
    throw new OperationError('not_found', 'There is no such workspace key.', { param: 'id' });
  return current;
}

/** Stages a change of a stored key. */
export function stageKeyChange(
  context: HandlerContext,
  current: Stored<KeyData>,
  change: Partial<KeyData>,
): Stored<KeyData> {
  return context.node.stage<KeyData>({
    collection: 'local',
    id: current.id,
    object: 'key',
    data: { ...current.data, ...change },
    current,
    expected: current.revision,
  });
}

/** The time at which the caller's key expires, or the access of the user ends. A key that the caller creates cannot expire later. */
async function endOfCaller({ caller, node }: HandlerContext): Promise<string | null> {
  if (caller.id === null) return null;
  if (caller.kind === 'user') return (await node.get<UserData>('local', caller.id))?.data.ends_at ?? null;
  return caller.kind === 'workspace' ? ((await node.get<KeyData>('local', caller.id))?.data.expires_at ?? null) : null;
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

export const keyHandlers = handlerGroup([], {
  async keys_create(input, context) {
    const { caller, node } = context;
    if (input.role === 'owner' && caller.role !== 'owner')
      throw new OperationError('permission_denied', 'Only an owner can create owner keys.', { param: 'role' });
    const project_ids = input.project_ids ?? (caller.project_ids === null ? null : [...caller.project_ids]);
    if (input.role === 'owner' && project_ids !== null)
      throw new OperationError(
        'parameter_invalid',
        'An owner key has access to all projects; leave out `project_ids`.',
        {
          param: 'project_ids',
        },
      );
    const found = new Set(
      (await node.getMany('records', project_ids ?? []))
        .filter(({ object }) => object === 'project')
        .map(({ id }) => id),
    );
    const missing = project_ids?.find((id) => !found.has(id) || !reaches(context, [id]));
    if (missing !== undefined)
      throw new OperationError(
        'project_not_found',
        say('The project {missing} does not exist, or this key has no access to it.', { missing }),
        {
          param: 'project_ids',
        },
      );
    const bounds = boundsOf(context, input);
    if (input.role === 'owner' && (bounds.scopes ?? bounds.allowed_cidrs) !== null)
      throw new OperationError(
        'parameter_invalid',
        'An owner key cannot be restricted; leave out scopes and addresses.',
        {
          param: bounds.scopes === null ? 'allowed_cidrs' : 'scopes',
        },
      );
    const asked =
      input.expires_in_days === undefined
        ? null
        : new Date(Date.parse(context.now) + input.expires_in_days * DAY_MS).toISOString();
    const expires_at = earlier(asked, await endOfCaller(context));
    const { secret, data } = mintKey(context, {
      name: input.name,
      role: input.role,
      project_ids,
      expires_at,
      ...bounds,
    });
    const document = stageKey(context, data);
    stageAudit(context, node, 'key', document.id, 'created', { role: data.role, project_ids, ...bounds });
    return keyCreated(document, secret);
  },

  async keys_list(input, context) {
    return listPage<KeyData, Key>(
      context,
      context.node,
      'local',
      input,
      { object: 'key', where: { 'data.kind': 'workspace' } },
      (keys) =>
        toKeys(
          context,
          keys.filter(({ data }) => reaches(context, data.project_ids)),
        ),
    );
  },

  async keys_roll({ id, overlap_hours }, context) {
    const { node, now } = context;
    const current = await requireKey(context, id);
    const { data } = current;
    if (data.revoked_at !== null || (data.expires_at !== null && data.expires_at <= now))
      throw new OperationError('not_found', 'This key is no longer valid; create a new one.', { param: 'id' });
    if (data.role === 'owner' && context.caller.role !== 'owner')
      throw new OperationError('permission_denied', 'Only an owner can roll an owner key.');
    if (!isWithin(context, data))
      throw new OperationError('permission_denied', 'This key has more access than your key, so you cannot roll it.');
    if (data.role === 'owner') await guardOwners(context);
    const later = (ms: number) => new Date(Date.parse(now) + ms).toISOString();
    // The new key gets the same lifetime as the old key had when it was created.
    const renewed =
      data.expires_at === null ? null : later(Date.parse(data.expires_at) - Date.parse(current.created_at));
    const expires_at = earlier(renewed, await endOfCaller(context));
    const { name, role, project_ids, scopes = null, allowed_cidrs = null } = data;
    const made = mintKey(context, { name, role, project_ids, scopes, allowed_cidrs, expires_at });
    const document = stageKey(context, made.data);
    const end = later(overlap_hours * 3_600_000);
    const previous = stageKeyChange(context, current, {
      replaced_by: document.id,
      expires_at: data.expires_at !== null && data.expires_at < end ? data.expires_at : end,
    });
    stageAudit(context, node, 'key', id, 'rolled', { replaced_by: document.id, overlap_hours });
    return { object: 'key_rolled', key: toKey(document), secret: made.secret, previous: toKey(previous) };
  },

  async keys_revoke({ id }, context) {
    const current = await requireKey(context, id);
    const { data } = current;
    if (data.revoked_at === null) {
      if (data.role === 'owner') {
        if (context.caller.role !== 'owner')
          throw new OperationError('permission_denied', 'Only an owner can revoke an owner key.');
        if (!(await hasOtherOwner(context, id)))
          throw new OperationError('permission_denied', 'This is the last owner; create another owner first.');
        await guardOwners(context);
      }
      stageAudit(context, context.node, 'key', id, 'revoked');
    }
    const after = data.revoked_at === null ? stageKeyChange(context, current, { revoked_at: context.now }) : current;
    return toKey(after, (await lastUses(context, [current])).get(id) ?? null);
  },
});
