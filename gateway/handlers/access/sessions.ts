/** Sessions of users: sign in, sign out, and the list of browsers in which a user is signed in. */

import { OperationError } from '#contract/base/errors.ts';
import { foldText } from '#contract/base/names.ts';
import { ADMINS } from '#contract/base/operation.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { UserSession } from '#contract/site/session.ts';
import type { TabletData } from '#contract/site/tablet.ts';
import type { InvitationData, UserData } from '#contract/site/user.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { notFound } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { holderOf } from '#handlers/base/names.ts';
import { useClaimCode } from './claim.ts';
import { lastUses, mintKey } from './keys.ts';
import { guardOwners } from './owners.ts';
import { checkNewPin, checkPinRole } from './pin-rules.ts';
import {
  checkPassphrase,
  endInvitations,
  endSessions,
  invitationId,
  requireUser,
  stageSessionEnd,
  stageUser,
  toUser,
  withoutPasses,
} from './users.ts';

const HOUR_MS = 3_600_000;
/** How long a session lasts: in all, and without use. */
interface Lasts {
  readonly most_ms: number;
  readonly idle_ms: number;
}
/** A session that the person did not choose to keep ends after the longest shift. */
export const LASTS = {
  kept: { most_ms: 720 * HOUR_MS, idle_ms: 168 * HOUR_MS },
  short: { most_ms: 16 * HOUR_MS, idle_ms: 2 * HOUR_MS },
} as const satisfies Record<string, Lasts>;
/** Largest number of sessions of a user. A further sign-in ends the oldest session. */
const MOST = 20;

type Began = Output<'session_create'>;
type Context = HandlerContext<'signIn'>;

const at = (ms: number) => new Date(ms).toISOString();
const lasting = (remember: boolean) => (remember ? LASTS.kept : LASTS.short);

/** Stages a new session of a user, and returns the answer with its token. `tablet` is the shared tablet on which it begins. */
export async function begin(
  context: HandlerContext<'signIn'>,
  user: Stored<UserData>,
  { most_ms, idle_ms }: Lasts,
  tablet: { readonly id: string; readonly name: string } | null = null,
): Promise<Began> {
  const { node, signIn, caller } = context;
  const where = { 'data.parent': user.id, 'data.kind': 'session' };
  const open = await node.find<KeyData>('local', { object: 'key', where, limit: 1_000 });
  for (const oldest of open.slice(MOST - 1)) stageSessionEnd(context, oldest);
  const end = Math.min(signIn.now() + most_ms, Date.parse(user.data.ends_at ?? at(8.64e15)));
  const { name, role, project_ids } = user.data;
  const { secret, data } = mintKey(context, {
    kind: 'session',
    name,
    role,
    project_ids,
    parent: user.id,
    expires_at: at(end),
    idle_ms,
    began_at: at(signIn.now()),
    address: caller.address,
    ...(tablet !== null && { tablet: tablet.id }),
  });
  const id = context.newId('user_session');
  node.stage<KeyData>({ collection: 'local', id, object: 'key', data, expected: 0 });
  return {
    object: 'session',
    kind: 'user',
    name,
    role,
    project_ids,
    scopes: null,
    user: toUser(user),
    tablet: tablet && { ...tablet, idle_s: idle_ms / 1_000 },
    ends_at: data.expires_at,
    token: secret,
    remembered: idle_ms === LASTS.kept.idle_ms,
  };
}

/** Returns true if the user may sign in now. */
export function isActive({ disabled_at, ends_at }: UserData, now: number): boolean {
  return disabled_at === null && (ends_at === null || Date.parse(ends_at) > now);
}

/** Reads an invitation and its user; throws `invitation_invalid`. */
async function requireInvitation(context: Context, token: string) {
  const found = await context.node.get<InvitationData>('local', invitationId(context, token));
  const user = found && (await context.node.get<UserData>('local', found.data.user));
  const now = context.signIn.now();
  if (
    found === undefined ||
    user === undefined ||
    Date.parse(found.data.expires_at) <= now ||
    !isActive(user.data, now)
  )
    throw new OperationError(
      'invitation_invalid',
      'This invitation is used, replaced or expired. Ask an admin for a new one.',
      { param: 'token' },
    );
  return { invitation: found, user };
}

function toSession({ id, created_at, data }: Stored<KeyData>, used: string | undefined, current: boolean): UserSession {
  return {
    object: 'user_session',
    id,
    user_id: data.parent ?? '',
    current,
    address: data.address ?? '',
    remembered: data.idle_ms === LASTS.kept.idle_ms,
    tablet_id: data.tablet ?? null,
    last_used_at: used ?? created_at,
    ends_at: data.expires_at ?? created_at,
    created_at,
  };
}

function isAdmin({ caller }: HandlerContext): boolean {
  return caller.role !== null && ADMINS.includes(caller.role);
}

export const sessionHandlers = handlerGroup(['signIn'], {
  async session_create({ name, passphrase, remember }, context) {
    const { node, signIn, caller } = context;
    const holder = await holderOf(context, node, 'user_name', name);
    const user = holder === undefined ? undefined : await node.get<UserData>('local', holder);
    const account = foldText(name);
    const from = { account, address: caller.address, user: user?.id ?? null };
    const fits = await signIn.check(user?.data.passphrase ?? null, passphrase, from);
    if (user === undefined || !fits || !isActive(user.data, signIn.now()))
      throw new OperationError(
        'sign_in_failed',
        'The name or the passphrase is wrong, or the user may not sign in. If you forgot it, ask an admin for an invitation.',
      );
    const began = await begin(context, user, lasting(remember));
    stageAudit(context, node, 'user', user.id, 'signed_in', { address: caller.address });
    return began;
  },

  async session_get(_input, context) {
    const { kind, id, name, role, project_ids, scopes = null, session, tablet: on } = context.caller;
    const user = kind === 'user' && id !== null ? await context.node.get<UserData>('local', id) : undefined;
    const key = await context.node.get<KeyData>('local', session ?? id ?? '');
    const tablet = on === undefined ? undefined : await context.node.get<TabletData>('local', on);
    return {
      object: 'session',
      kind,
      name,
      role,
      project_ids: project_ids && [...project_ids],
      scopes: scopes && [...scopes],
      user: user === undefined ? null : toUser(user),
      tablet:
        tablet === undefined
          ? null
          : { id: tablet.id, name: tablet.data.name, idle_s: (key?.data.idle_ms ?? 0) / 1_000 },
      ends_at: key?.data.expires_at ?? null,
    };
  },

  async session_end(_input, context) {
    const current = await context.node.get<KeyData>('local', context.caller.session ?? '');
    if (current !== undefined) stageSessionEnd(context, current);
    return { object: 'session', ended: true };
  },

  async sessions_list({ user_id, ...input }, context) {
    const { caller } = context;
    if (user_id !== undefined && user_id !== caller.id) {
      if (!isAdmin(context))
        throw new OperationError('permission_denied', 'Only owners and admins can list the sessions of another user.', {
          param: 'user_id',
        });
      await requireUser(context, user_id);
    }
    const where = { 'data.kind': 'session', 'data.parent': user_id ?? caller.id ?? '' };
    return listPage<KeyData, UserSession>(
      context,
      context.node,
      'local',
      input,
      { object: 'key', where },
      async (all) => {
        const uses = await lastUses(context, all);
        return all.map((one) => toSession(one, uses.get(one.id), one.id === caller.session));
      },
    );
  },

  async sessions_revoke({ id }, context) {
    const current = await context.node.get<KeyData>('local', id);
    if (current?.object !== 'key' || current.data.kind !== 'session') throw notFound('session', 'id');
    const user = current.data.parent ?? '';
    if (user !== context.caller.id && !isAdmin(context)) throw notFound('session', 'id');
    const person = await requireUser(context, user);
    stageSessionEnd(context, current);
    await stageUser(context, user, withoutPasses(person.data), person);
    stageAudit(context, context.node, 'user', user, 'session_revoked', { session: id });
    return { object: 'user_session', id, deleted: true };
  },

  async account_claim({ code, name, passphrase, remember }, context) {
    const { node, signIn, caller } = context;
    await useClaimCode(context, code);
    checkPassphrase(passphrase, name);
    const holder = await holderOf(context, node, 'user_name', name);
    const current = holder === undefined ? undefined : await node.get<UserData>('local', holder);
    if (current !== undefined && current.data.role !== 'owner')
      throw new OperationError('already_exists', 'Another user who is not an owner has this name. Use another name.', {
        param: 'name',
      });
    const access = { name, role: 'owner', project_ids: null, person: null, ends_at: null, disabled_at: null } as const;
    const hash = await signIn.hash(passphrase, caller.address);
    const id = current?.id ?? context.newId('user');
    await guardOwners(context);
    if (current !== undefined) await endSessions(context, id);
    const data: UserData = { ...current?.data, ...access, passphrase: hash };
    const user = await stageUser(context, id, current === undefined ? data : withoutPasses(data), current);
    stageAudit(context, node, 'user', id, current === undefined ? 'claimed' : 'recovered');
    return begin(context, user, lasting(remember));
  },

  async invitation_get({ token }, context) {
    const { invitation, user } = await requireInvitation(context, token);
    const { name, role } = user.data;
    return { object: 'invitation', name, role, expires_at: invitation.data.expires_at };
  },

  async invitation_accept({ token, passphrase, pin, remember }, context) {
    const { caller, signIn } = context;
    const { user } = await requireInvitation(context, token);
    checkPassphrase(passphrase, user.data.name);
    if (pin !== undefined) {
      checkPinRole(user.data);
      checkNewPin(pin, 'pin');
    }
    const hash = await signIn.hash(passphrase, caller.address);
    const chosen =
      pin === undefined ? null : { ...(await signIn.pins.seal(pin, caller.address)), one_time_until: null };
    await endSessions(context, user.id);
    await endInvitations(context, user.id);
    const data = { ...user.data, passphrase: hash, ...(chosen !== null && { pin: chosen }) };
    const document = await stageUser(context, user.id, withoutPasses(data), user);
    stageAudit(context, context.node, 'user', user.id, 'invitation_accepted', { address: caller.address });
    if (chosen !== null) stageAudit(context, context.node, 'user', user.id, 'pin_set', { tablet: null });
    return begin(context, document, lasting(remember));
  },
});
