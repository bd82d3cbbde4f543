/** Shared tablets, as an admin sees them: create, enrol with a link, change, list and revoke. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { KeyData } from '#contract/site/node.ts';
import { mayUseTablet, type Tablet, type TabletData, type TabletLinkData } from '#contract/site/tablet.ts';
import type { UserData } from '#contract/site/user.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { applyFields, checkRevision, notFound } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { lastUses } from './keys.ts';
import { checkPinRole } from './pin-rules.ts';

const LINK_MS = 15 * 60_000;
/** Largest number of tablets of a gateway, with those that were revoked in the last 30 days. */
const MOST_TABLETS = 200;

type Context = HandlerContext<'signIn' | 'qr'>;

/** Returns the id of the stored link with this token. */
export const tabletLinkId = (context: HandlerContext, token: string) => `tlk_${context.sha256(token).slice(0, 40)}`;

function toTablet({ id, revision, created_at, data }: Stored<TabletData>, last_used_at: string | null): Tablet {
  const { name, roles, user_ids, enrolled_at, revoked_at } = data;
  const state = revoked_at !== null ? 'revoked' : enrolled_at === null ? 'waiting' : 'enrolled';
  return {
    object: 'tablet',
    id,
    revision,
    name,
    roles,
    user_ids,
    state,
    enrolled_at,
    last_used_at,
    revoked_at,
    created_at,
  };
}

async function toTablets(context: HandlerContext, tablets: readonly Stored<TabletData>[]): Promise<Tablet[]> {
  const keys = await context.node.getMany<KeyData>(
    'local',
    tablets.flatMap(({ data }) => data.key ?? []),
  );
  const uses = await lastUses(context, keys);
  return tablets.map((one) => toTablet(one, uses.get(one.data.key ?? '') ?? null));
}

async function answer(context: HandlerContext, tablet: Stored<TabletData>): Promise<Tablet> {
  const [one] = await toTablets(context, [tablet]);
  if (one === undefined) throw notFound('tablet', 'id');
  return one;
}

/** Reads a tablet of the project; throws `not_found`. */
async function requireTablet(context: HandlerContext, id: string): Promise<Stored<TabletData>> {
  const found = await context.node.get<TabletData>('local', id);
  if (found?.object !== 'tablet' || found.data.project_id !== context.view.project_id) throw notFound('tablet', 'id');
  return found;
}

/** Stages a tablet. */
export function stageTablet(
  context: HandlerContext,
  id: string,
  data: TabletData,
  current?: Stored<TabletData>,
): Stored<TabletData> {
  const expected = current?.revision ?? 0;
  return context.node.stage<TabletData>({ collection: 'local', id, object: 'tablet', data, current, expected });
}

/** Stages the deletion of a document about a tablet: its link or its credential. */
export async function stageGone(context: HandlerContext, object: 'tablet_link' | 'key', id: string): Promise<void> {
  const current = await context.node.get('local', id);
  if (current === undefined) return;
  const { data, revision: expected } = current;
  context.node.stage({ collection: 'local', id, object, data, current, expected, deleted: true });
}

/** Throws if nobody may use the tablet, or if one of the named users can never sign in on it. */
async function checkPeople(context: HandlerContext, data: TabletData): Promise<void> {
  if (data.roles.length === 0 && data.user_ids.length === 0)
    throw new OperationError('parameter_invalid', 'Name at least one role or one user who may use the tablet.', {
      param: 'roles',
    });
  const users = await context.node.getMany<UserData>('local', data.user_ids);
  for (const id of data.user_ids) {
    const user = users.find((one) => one.id === id && one.object === 'user');
    if (user !== undefined) checkPinRole(user.data);
    if (user === undefined || !mayUseTablet(data, { id, ...user.data }))
      throw new OperationError('not_found', say('There is no user {id} with access to this project.', { id }), {
        param: 'user_ids',
      });
  }
}

/** Stages a new link of a tablet, and deletes the earlier one. */
async function newLink(
  context: Context,
  id: string,
  data: TabletData,
  current?: Stored<TabletData>,
): Promise<Output<'tablets_link'>> {
  const { node, caller, signIn } = context;
  if (data.link !== null) await stageGone(context, 'tablet_link', data.link);
  const token = context.secret(32);
  const link = tabletLinkId(context, token);
  const expires_at = new Date(signIn.now() + LINK_MS).toISOString();
  const of: TabletLinkData = { tablet: id, expires_at };
  node.stage<TabletLinkData>({ collection: 'local', id: link, object: 'tablet_link', data: of, expected: 0 });
  const document = stageTablet(context, id, { ...data, link }, current);
  const url = `${caller.base_url}/#tablet=${token}`;
  const tablet = await answer(context, document);
  return { object: 'tablet_link', tablet, url, qr: context.qr(url), expires_at };
}

export const tabletHandlers = handlerGroup(['signIn', 'qr'], {
  async tablets_create({ name, roles, user_ids }, context) {
    const { node, view } = context;
    const all = await node.find('local', { object: 'tablet', limit: MOST_TABLETS });
    if (all.length >= MOST_TABLETS)
      throw new OperationError(
        'limit_reached',
        say('A gateway can have at most {most_tablets} tablets.', { most_tablets: MOST_TABLETS }),
      );
    const data: TabletData = {
      project_id: view.project_id,
      name,
      roles: [...new Set(roles)],
      user_ids: [...new Set(user_ids)],
      key: null,
      link: null,
      enrolled_at: null,
      revoked_at: null,
    };
    await checkPeople(context, data);
    const id = context.newId('tablet');
    stageAudit(context, view, 'tablet', id, 'created', { name, roles, user_ids });
    return newLink(context, id, data);
  },

  async tablets_list(input, context) {
    const where = { 'data.project_id': context.view.project_id };
    return listPage<TabletData, Tablet>(
      context,
      context.node,
      'local',
      input,
      { object: 'tablet', where, text: ({ data }) => [data.name] },
      (found) => toTablets(context, found),
    );
  },

  async tablets_update({ id, ...given }, context) {
    const current = await requireTablet(context, id);
    checkRevision(context, current);
    const { data, fields } = applyFields<TabletData>(current.data, given as Partial<TabletData>);
    if (fields.length === 0) return answer(context, current);
    if (data.revoked_at !== null) throw notFound('valid tablet', 'id');
    await checkPeople(context, data);
    const document = stageTablet(context, id, data, current);
    stageAudit(context, context.view, 'tablet', id, 'updated', { fields });
    return answer(context, document);
  },

  async tablets_link({ id }, context) {
    const current = await requireTablet(context, id);
    if (current.data.revoked_at !== null) throw notFound('valid tablet', 'id');
    stageAudit(context, context.view, 'tablet', id, 'linked');
    return newLink(context, id, current.data, current);
  },

  async tablets_revoke({ id }, context) {
    const current = await requireTablet(context, id);
    if (current.data.revoked_at !== null) return answer(context, current);
    if (current.data.link !== null) await stageGone(context, 'tablet_link', current.data.link);
    const revoked_at = new Date(context.signIn.now()).toISOString();
    const document = stageTablet(context, id, { ...current.data, link: null, revoked_at }, current);
    stageAudit(context, context.view, 'tablet', id, 'revoked');
    return answer(context, document);
  },
});
