/** Users: people with an account. Nobody but the person knows the passphrase; an admin makes an invitation, which is valid once. */

import { OperationError } from '#contract/base/errors.ts';
import { foldText } from '#contract/base/names.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { InvitationData, User, UserData } from '#contract/site/user.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { applyFields, checkRevision, requireRecord } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { claimNames } from '#handlers/base/names.ts';
import { guardOwners, hasOtherOwner } from './owners.ts';

const HOUR_MS = 3_600_000;
/** Largest number of users of a gateway. */
const MOST_USERS = 2_000;
/** Passphrases of at least 10 characters that people choose most often. */
const COMMON = new Set([
  '1234567890',
  '0123456789',
  '1q2w3e4r5t',
  'qwertyuiop',
  'password12',
  'password123',
  'password1234',
  'passphrase',
  'passw0rd123',
  'administrator',
  'iloveyou123',
  'letmein123',
  'welcome123',
  'changeme123',
  'headframe1',
  'headframe123',
  'qwerty12345',
  'abcdefghij',
]);

export function toUser(document: Stored<UserData>): User {
  const { passphrase, pin: stored, pass_generation: _, ...data } = document.data;
  const { id, revision, created_at, updated_at } = document;
  const pin = stored == null ? 'none' : stored.one_time_until === null ? 'set' : 'one_time';
  return { object: 'user', id, revision, ...data, has_passphrase: passphrase !== null, pin, created_at, updated_at };
}

/** Throws `parameter_invalid` if a passphrase is easy to guess. */
export function checkPassphrase(passphrase: string, name: string): void {
  const folded = foldText(passphrase);
  const easy = COMMON.has(folded) || new Set(folded).size < 4 || folded.replaceAll(foldText(name), '').length < 4;
  if (easy)
    throw new OperationError(
      'parameter_invalid',
      'This passphrase is easy to guess. Choose three or more words that do not belong together.',
      { param: 'passphrase' },
    );
}

/** Returns true if the caller has access to every project of the user. */
function reaches({ caller }: HandlerContext, project_ids: readonly string[] | null): boolean {
  const own = caller.project_ids;
  return own === null || (project_ids?.every((id) => own.includes(id)) ?? false);
}

/** Throws if the caller may not give this role, these projects and this person to a user. */
async function checkAccess(
  context: HandlerContext,
  { role, project_ids, person }: Pick<UserData, 'role' | 'project_ids' | 'person'>,
): Promise<void> {
  if (role === 'owner' && context.caller.role !== 'owner')
    throw new OperationError('permission_denied', 'Only an owner can create or change an owner.', { param: 'role' });
  if (role === 'owner' && project_ids !== null)
    throw new OperationError('parameter_invalid', 'An owner has access to all projects; leave out `project_ids`.', {
      param: 'project_ids',
    });
  const known = new Set(
    (await context.node.getMany('records', project_ids ?? []))
      .filter(({ object }) => object === 'project')
      .map(({ id }) => id),
  );
  const missing = project_ids?.find((id) => !known.has(id));
  if (missing !== undefined || !reaches(context, project_ids))
    throw new OperationError(
      'project_not_found',
      say('The project {missing} does not exist, or you have no access to it.', { missing: missing ?? '(all)' }),
      { param: 'project_ids' },
    );
  if (person === null) return;
  if (!reaches(context, [person.project_id]))
    throw new OperationError('not_found', 'There is no such person.', { param: 'person' });
  await requireRecord(context.project(person.project_id), person.object, person.id, 'person');
}

/** Reads a user; throws `not_found` if the caller does not have access to all projects of the user. */
export async function requireUser(context: HandlerContext, id: string): Promise<Stored<UserData>> {
  const found = await requireRecord<UserData>(context.node, 'user', id, 'id', 'local');
  if (found.id !== context.caller.id && !reaches(context, found.data.project_ids))
    throw new OperationError('not_found', 'There is no such user.', { param: 'id' });
  return found;
}

export async function stageUser(
  context: HandlerContext,
  id: string,
  data: UserData,
  current?: Stored<UserData>,
): Promise<Stored<UserData>> {
  await claimNames(context, context.node, 'user_name', id, current === undefined ? [] : [current.data.name], [
    data.name,
  ]);
  return context.node.stage<UserData>({
    collection: 'local',
    id,
    object: 'user',
    data,
    current,
    expected: current?.revision ?? 0,
  });
}

/** Returns the data of a user whose passes of late writes have ended. */
export const withoutPasses = (data: UserData): UserData => ({
  ...data,
  pass_generation: (data.pass_generation ?? 0) + 1,
});

/** Stages the end of the sessions of a user, except one. */
export async function endSessions(context: HandlerContext, user: string, except?: string): Promise<void> {
  const where = { 'data.parent': user, 'data.kind': 'session' };
  for (const session of await context.node.find<KeyData>('local', { object: 'key', where, limit: 1_000 }))
    if (session.id !== except) stageSessionEnd(context, session);
}

export function stageSessionEnd(context: HandlerContext, session: Stored<KeyData>): void {
  const { id, data, revision: expected } = session;
  context.node.stage({ collection: 'local', id, object: 'key', data, current: session, expected, deleted: true });
}

/** Deletes the invitations of a user, so that no earlier link is valid. */
export async function endInvitations(context: HandlerContext, user: string): Promise<void> {
  const where = { 'data.user': user };
  for (const current of await context.node.find('local', { object: 'invitation', where, limit: 100 })) {
    const { id, data, revision: expected } = current;
    context.node.stage({ collection: 'local', id, object: 'invitation', data, current, expected, deleted: true });
  }
}

export const invitationId = (context: HandlerContext, token: string) => `inv_${context.sha256(token).slice(0, 40)}`;

export const userHandlers = handlerGroup(['signIn', 'qr'], {
  async users_create(input, context) {
    const { name, role, person = null, ends_at = null } = input;
    const own = context.caller.project_ids;
    const project_ids = input.project_ids ?? (own === null ? null : [...own]);
    await checkAccess(context, { role, project_ids, person });
    const all = await context.node.find('local', { object: 'user', limit: 1_000, order: 'asc' });
    if (all.length >= MOST_USERS)
      throw new OperationError(
        'limit_reached',
        say('A gateway can have at most {most_users} users.', { most_users: MOST_USERS }),
      );
    const data = { name, role, project_ids, person, ends_at, disabled_at: null, passphrase: null };
    const document = await stageUser(context, context.newId('user'), data);
    stageAudit(context, context.node, 'user', document.id, 'created', { name, role, project_ids });
    return toUser(document);
  },

  async users_list(input, context) {
    return listPage<UserData, User>(context, context.node, 'local', input, { object: 'user' }, (found) =>
      found.filter(({ data }) => reaches(context, data.project_ids)).map(toUser),
    );
  },

  async users_get({ id }, context) {
    return toUser(await requireUser(context, id));
  },

  async users_update({ id, disabled, ...given }, context) {
    const current = await requireUser(context, id);
    checkRevision(context, current);
    const disabled_at =
      disabled === undefined ? undefined : disabled ? (current.data.disabled_at ?? context.now) : null;
    const { data, fields } = applyFields<UserData>(current.data, { ...given, disabled_at } as Partial<UserData>);
    if (fields.length === 0) return toUser(current);
    await checkAccess(context, current.data);
    await checkAccess(context, data);
    if (current.data.role === 'owner') {
      const stays = data.role === 'owner' && data.disabled_at === null && data.ends_at === null;
      if (!stays && !(await hasOtherOwner(context, id)))
        throw new OperationError('permission_denied', 'This is the last owner; make another owner first.');
      await guardOwners(context);
    }
    if (data.disabled_at !== null) {
      await endSessions(context, id);
      await endInvitations(context, id);
    }
    const ends = data.disabled_at !== null && current.data.disabled_at === null;
    const document = await stageUser(context, id, ends ? withoutPasses(data) : data, current);
    stageAudit(context, context.node, 'user', id, 'updated', { fields });
    return toUser(document);
  },

  async users_invite({ id, expires_in_hours }, context) {
    const user = await requireUser(context, id);
    await checkAccess(context, user.data);
    if (user.data.disabled_at !== null)
      throw new OperationError('permission_denied', 'This user is disabled; enable the user first.');
    await endInvitations(context, id);
    const token = context.secret(32);
    const expires_at = new Date(context.signIn.now() + expires_in_hours * HOUR_MS).toISOString();
    context.node.stage<InvitationData>({
      collection: 'local',
      id: invitationId(context, token),
      object: 'invitation',
      data: { user: id, expires_at },
      expected: 0,
    });
    stageAudit(context, context.node, 'user', id, 'invited', { expires_at });
    const url = `${context.caller.base_url}/#invite=${token}`;
    return { object: 'user_invitation', user: toUser(user), url, qr: context.qr(url), expires_at };
  },

  async users_passphrase({ id, current: given, passphrase }, context) {
    const { caller, signIn } = context;
    if (caller.kind !== 'user' || caller.id !== id)
      throw new OperationError('permission_denied', 'Only the user can do this. For another user make an invitation.');
    const current = await requireUser(context, id);
    const from = { account: id, address: caller.address, user: id };
    if (!(await signIn.check(current.data.passphrase, given, from)))
      throw new OperationError('sign_in_failed', 'The current passphrase is wrong.', { param: 'current' });
    checkPassphrase(passphrase, current.data.name);
    const hash = await signIn.hash(passphrase, caller.address);
    await endSessions(context, id, caller.session);
    const document = await stageUser(context, id, withoutPasses({ ...current.data, passphrase: hash }), current);
    stageAudit(context, context.node, 'user', id, 'passphrase_changed');
    return toUser(document);
  },
});
