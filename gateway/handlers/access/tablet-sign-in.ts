/** A shared tablet: it is enrolled with a link, shows the people who may use it, and begins the session of the person with the right PIN. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { KeyData } from '#contract/site/node.ts';
import { MOST_PEOPLE, mayUseTablet, type TabletData, type TabletLinkData } from '#contract/site/tablet.ts';
import type { UserData } from '#contract/site/user.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { notFound } from '#handlers/base/documents.ts';
import { walk } from '#store/walk.ts';
import { mintKey } from './keys.ts';
import { checkNewPin, checkPinRole } from './pin-rules.ts';
import { begin, isActive } from './sessions.ts';
import { stageGone, stageTablet, tabletLinkId } from './tablets.ts';
import { stageUser, withoutPasses } from './users.ts';

const MINUTE_MS = 60_000;
/** A session ends when nobody uses it for this time. */
const IDLE_MS = 15 * MINUTE_MS;
/** A session lasts until the end of the shift, and between shifts until the next one begins; but at least and at most this long. */
const SHORTEST_MS = 15 * MINUTE_MS;
const LONGEST_MS = 16 * 60 * MINUTE_MS;

/** Reads the tablet that calls. */
async function ownTablet({ caller, node }: HandlerContext): Promise<Stored<TabletData>> {
  const tablet = await node.get<TabletData>('local', caller.id ?? '');
  if (caller.kind !== 'tablet' || tablet?.object !== 'tablet')
    throw new OperationError('permission_denied', 'Only an enrolled tablet may call this operation.');
  return tablet;
}

/** Returns how long a session that begins now may last. */
async function lastingOf({ shifts, now }: HandlerContext<'shifts'>, project_id: string): Promise<number> {
  const clock = await shifts.shift(project_id);
  const end = clock.now?.to_ms ?? clock.next?.from_ms ?? Number.POSITIVE_INFINITY;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, end - Date.parse(now)));
}

export const tabletSignInHandlers = handlerGroup(['signIn', 'shifts'], {
  async tablet_enrol({ token }, context) {
    const { node, signIn, caller } = context;
    const link = await node.get<TabletLinkData>('local', tabletLinkId(context, token));
    const tablet = link && (await node.get<TabletData>('local', link.data.tablet));
    if (link === undefined || tablet === undefined || Date.parse(link.data.expires_at) <= signIn.now())
      throw new OperationError(
        'invitation_invalid',
        'This link is used, replaced or expired. Ask an admin for a new one on the page Tablets.',
        { param: 'token' },
      );
    const { name, project_id, key: earlier } = tablet.data;
    if (earlier !== null) await stageGone(context, 'key', earlier);
    await stageGone(context, 'tablet_link', link.id);
    const fields = { kind: 'tablet', name, role: 'tablet', parent: tablet.id, address: caller.address } as const;
    const { secret, data } = mintKey(context, { ...fields, project_ids: [project_id] });
    const key = context.newId('key');
    node.stage<KeyData>({ collection: 'local', id: key, object: 'key', data, expected: 0 });
    const enrolled_at = new Date(signIn.now()).toISOString();
    stageTablet(context, tablet.id, { ...tablet.data, key, link: null, enrolled_at }, tablet);
    stageAudit(context, context.project(project_id), 'tablet', tablet.id, 'enrolled', { address: caller.address });
    return { object: 'tablet_enrolment', name, token: secret };
  },

  async tablet_get(_input, context) {
    const { data } = await ownTablet(context);
    const now = context.signIn.now();
    const people: { id: string; name: string }[] = [];
    for await (const user of walk<UserData>(context.node, 'local', { object: 'user' }))
      if (isActive(user.data, now) && mayUseTablet(data, { id: user.id, ...user.data }))
        people.push({ id: user.id, name: user.data.name });
    people.sort((a, b) => a.name.localeCompare(b.name));
    const has_more = people.length > MOST_PEOPLE;
    return { object: 'tablet_screen', name: data.name, people: people.slice(0, MOST_PEOPLE), has_more };
  },

  async tablet_sign_in({ user_id, pin, new_pin }, context) {
    const { node, signIn, caller } = context;
    const tablet = await ownTablet(context);
    const user = await node.get<UserData>('local', user_id);
    if (user?.object !== 'user' || !isActive(user.data, signIn.now())) throw notFound('person', 'user_id');
    const named = tablet.data.user_ids.includes(user_id);
    if (named) checkPinRole(user.data);
    if (!mayUseTablet(tablet.data, { id: user_id, ...user.data })) throw notFound('person', 'user_id');
    const { name, pin: stored } = user.data;
    const onceUntil = stored?.one_time_until ?? null;
    if (stored == null || (onceUntil !== null && Date.parse(onceUntil) <= signIn.now()))
      throw new OperationError(
        'pin_not_set',
        stored == null
          ? say('{name} has no PIN yet. Ask an admin for a one-time PIN, or set a PIN on the page My account.', {
              name,
            })
          : say(
              '{name} has no valid PIN: the one-time PIN has expired. Ask an admin for a one-time PIN, or set a PIN on the page My account.',
              { name },
            ),
      );
    const of = { user: { id: user_id, name }, tablet: { id: tablet.id, name: tablet.data.name } };
    await signIn.pins.check({ ...of, stored, pin, address: caller.address });
    if ((onceUntil !== null) !== (new_pin !== undefined))
      throw onceUntil === null
        ? new OperationError('parameter_invalid', 'Change your PIN on the page My account.', { param: 'new_pin' })
        : new OperationError('pin_change_required', 'Choose your own PIN of 6 digits.', { param: 'new_pin' });
    let current = user;
    if (new_pin !== undefined) {
      checkNewPin(new_pin, 'new_pin');
      const chosen = { ...(await signIn.pins.seal(new_pin, caller.address)), one_time_until: null };
      current = await stageUser(context, user_id, withoutPasses({ ...user.data, pin: chosen }), user);
      stageAudit(context, node, 'user', user_id, 'pin_set', { tablet: tablet.id });
    }
    const lasts = { most_ms: await lastingOf(context, tablet.data.project_id), idle_ms: IDLE_MS };
    const began = await begin(context, current, lasts, { id: tablet.id, name: tablet.data.name });
    stageAudit(context, node, 'user', user_id, 'signed_in', { tablet: tablet.id, address: caller.address });
    return began;
  },
});
