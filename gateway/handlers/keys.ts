/** Workspace keys: shown once, kept as a hash; a gateway never loses its last owner. */
import type { HandlerContext } from '#contract/context.ts';
import { OperationError } from '#contract/errors.ts';
import type { Key, KeyData } from '#contract/node.ts';
import type { Output } from '#contract/operations.ts';
import type { Stored } from '#contract/view.ts';
import { stageAudit } from './audit.ts';
import { requireRecord } from './documents.ts';
import type { Handlers } from './handler.ts';
import { listPage } from './lists.ts';

const DAY_MS = 86_400_000;
const TAG = { workspace: 'wk', device: 'dk' } as const;

/** What is told of a key when it is made; the rest follows from the secret. */
type KeyFields = Pick<KeyData, 'name' | 'role'> & Partial<Omit<KeyData, 'prefix' | 'hash'>>;

/**
 * A key at rest and its secret: `wk_` or `dk_`, 8 letters or digits that find it, `_`, 43 base64url characters of 256 random bits.
 * `given` takes a secret that exists already, as at an unattended first start.
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

/** Stages a new key. */
export function stageKey(context: HandlerContext, data: KeyData): Stored<KeyData> {
  return context.node.stage<KeyData>({
    collection: 'local',
    id: context.newId('key'),
    object: 'key',
    data,
    expected: 0,
  });
}

/** The wire shape of a workspace key. */
function toKey(document: Stored<KeyData>): Key {
  const { name, role, prefix, project_ids, expires_at, revoked_at } = document.data;
  if (role === 'device' || role === 'display') throw new Error(`key ${document.id} is no workspace key`);
  return {
    object: 'key',
    id: document.id,
    name,
    role,
    prefix: `${TAG.workspace}_${prefix}`,
    project_ids,
    expires_at,
    revoked_at,
    created_at: document.created_at,
  };
}

/** The answer that shows a secret, once. */
export function keyCreated(document: Stored<KeyData>, secret: string): Output<'keys_create'> {
  return { object: 'key_created', key: toKey(document), secret };
}

/** Makes two calls that change the set of owners meet: both write this document, and one runs again. */
export async function guardOwners(context: HandlerContext): Promise<void> {
  const id = 'owner_keys';
  const current = await context.node.get('local', id);
  context.node.stage({
    collection: 'local',
    id,
    object: 'guard',
    data: { changed_at: context.now },
    current,
    expected: current?.revision ?? 0,
  });
}

/** True when the caller reaches every project that the key reaches. */
function reaches(context: HandlerContext, project_ids: readonly string[] | null): boolean {
  const own = context.caller.project_ids;
  return own === null || (project_ids?.every((id) => own.includes(id)) ?? false);
}

async function hasOtherOwner(context: HandlerContext, id: string): Promise<boolean> {
  const owners = await context.node.find<KeyData>('local', {
    object: 'key',
    where: { 'data.kind': 'workspace', 'data.role': 'owner', 'data.revoked_at': null },
    limit: 1_000,
  });
  return owners.some((key) => key.id !== id && (key.data.expires_at === null || key.data.expires_at > context.now));
}

export const keyHandlers = {
  async keys_create(input, context) {
    const { caller, node } = context;
    if (input.role === 'owner' && caller.role !== 'owner')
      throw new OperationError('permission_denied', 'Only an owner makes owner keys.', { param: 'role' });
    const project_ids = input.project_ids ?? (caller.project_ids === null ? null : [...caller.project_ids]);
    if (input.role === 'owner' && project_ids !== null)
      throw new OperationError('parameter_invalid', 'An owner key reaches all projects; give it no project_ids.', {
        param: 'project_ids',
      });
    const found = new Set(
      (await node.getMany('records', project_ids ?? []))
        .filter(({ object }) => object === 'project')
        .map(({ id }) => id),
    );
    const missing = project_ids?.find((id) => !found.has(id) || !reaches(context, [id]));
    if (missing !== undefined)
      throw new OperationError('project_not_found', `There is no project ${missing} within reach.`, {
        param: 'project_ids',
      });
    const expires_at =
      input.expires_in_days === undefined
        ? null
        : new Date(Date.parse(context.now) + input.expires_in_days * DAY_MS).toISOString();
    const { secret, data } = mintKey(context, { name: input.name, role: input.role, project_ids, expires_at });
    const document = stageKey(context, data);
    stageAudit(context, node, 'key', document.id, 'created', { role: data.role, project_ids });
    return keyCreated(document, secret);
  },

  async keys_list(input, context) {
    return listPage<KeyData, Key>(
      context,
      context.node,
      'local',
      input,
      { object: 'key', where: { 'data.kind': 'workspace' } },
      (keys) => keys.filter(({ data }) => reaches(context, data.project_ids)).map(toKey),
    );
  },

  async keys_revoke({ id }, context) {
    const current = await requireRecord<KeyData>(context.node, 'key', id, 'id', 'local');
    const { data } = current;
    if (data.kind !== 'workspace' || !reaches(context, data.project_ids))
      throw new OperationError('not_found', 'There is no such workspace key.', { param: 'id' });
    if (data.revoked_at !== null) return toKey(current);
    if (data.role === 'owner') {
      if (context.caller.role !== 'owner')
        throw new OperationError('permission_denied', 'Only an owner revokes an owner key.');
      if (!(await hasOtherOwner(context, id)))
        throw new OperationError('permission_denied', 'This is the last owner key; make another one first.');
      await guardOwners(context);
    }
    stageAudit(context, context.node, 'key', id, 'revoked');
    return toKey(
      context.node.stage<KeyData>({
        collection: 'local',
        id,
        object: 'key',
        data: { ...data, revoked_at: context.now },
        current,
        expected: current.revision,
      }),
    );
  },
} satisfies Handlers;
