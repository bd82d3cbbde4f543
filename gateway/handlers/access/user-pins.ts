/** The PIN of a user: the person sets it, and an admin replaces it by a PIN that is valid once. Nobody can read a PIN. */
import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { TabletData } from '#contract/site/tablet.ts';
import type { UserData } from '#contract/site/user.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { checkNewPin, checkPinRole } from './pin-rules.ts';
import { requireUser, stageSessionEnd, stageUser, toUser, withoutPasses } from './users.ts';

/** A one-time PIN is valid for a day. */
const ONCE_MS = 24 * 3_600_000;

/** Stages the end of the sessions that began with a PIN, except one. */
async function endPinSessions(context: HandlerContext, user: string, except?: string): Promise<void> {
  const where = { 'data.parent': user, 'data.kind': 'session' };
  for (const session of await context.node.find<KeyData>('local', { object: 'key', where, limit: 1_000 }))
    if (session.data.tablet !== undefined && session.id !== except) stageSessionEnd(context, session);
}

/** Checks the passphrase of the caller; in a session that began with a PIN, the current PIN. */
async function checkCurrent(
  context: HandlerContext<'signIn'>,
  { id, data }: Stored<UserData>,
  current: string,
): Promise<void> {
  const { caller, signIn, node } = context;
  if (caller.tablet === undefined) {
    if (await signIn.check(data.passphrase, current, { account: id, address: caller.address, user: id })) return;
    throw new OperationError('sign_in_failed', 'The passphrase is wrong.', { param: 'current' });
  }
  const tablet = await node.get<TabletData>('local', caller.tablet);
  if (data.pin == null || tablet === undefined) throw new OperationError('pin_not_set', 'You have no PIN.');
  const on = { id: tablet.id, name: tablet.data.name };
  const tried = { stored: data.pin, pin: current, tablet: on, address: caller.address };
  await signIn.pins.check({ user: { id, name: data.name }, ...tried });
}

/** Returns six random digits that are not easy to guess. */
function randomPin(context: HandlerContext): string {
  for (;;) {
    // The first 48 bits of a hash of random bytes, modulo a million: each PIN has the same chance, up to 1 in 10^8.
    const number = Number.parseInt(context.sha256(context.secret(16)).slice(0, 12), 16) % 1_000_000;
    const pin = String(number).padStart(6, '0');
    try {
      checkNewPin(pin, 'pin');
      return pin;
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
    }
  }
}

export const userPinHandlers = handlerGroup(['signIn'], {
  async users_pin({ id, current: given, pin }, context) {
    const { caller, signIn, node } = context;
    if (caller.kind !== 'user' || caller.id !== id)
      throw new OperationError('permission_denied', 'Only the user can do this. For another user reset the PIN.');
    const current = await requireUser(context, id);
    checkPinRole(current.data);
    await checkCurrent(context, current, given);
    checkNewPin(pin, 'pin');
    const stored = { ...(await signIn.pins.seal(pin, caller.address)), one_time_until: null };
    await endPinSessions(context, id, caller.session);
    const document = await stageUser(context, id, withoutPasses({ ...current.data, pin: stored }), current);
    stageAudit(context, node, 'user', id, 'pin_set', { tablet: caller.tablet ?? null });
    return toUser(document);
  },

  async users_pin_reset({ id }, context) {
    const { caller, signIn, node } = context;
    const current = await requireUser(context, id);
    checkPinRole(current.data);
    if (current.data.disabled_at !== null)
      throw new OperationError('permission_denied', 'This user is disabled; enable the user first.');
    const pin = randomPin(context);
    const expires_at = new Date(signIn.now() + ONCE_MS).toISOString();
    const stored = { ...(await signIn.pins.seal(pin, caller.address)), one_time_until: expires_at };
    await endPinSessions(context, id);
    const document = await stageUser(context, id, withoutPasses({ ...current.data, pin: stored }), current);
    stageAudit(context, node, 'user', id, 'pin_reset', { expires_at });
    return { object: 'one_time_pin', user: toUser(document), pin, expires_at };
  },
});
