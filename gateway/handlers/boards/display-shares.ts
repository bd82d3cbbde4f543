/**
 * Display links. A link shows one object on a screen without a login. Each playlist or dashboard has one link. The id of the link is
 * derived from the id of the object, so that two concurrent calls cannot create two links. The address of the link contains a token. The
 * gateway finds a link by the hash of its token. It also stores the token sealed (encrypted), so that it can show the link again. When a
 * link is rotated or revoked, the same commit ends the old link.
 */

import { OperationError } from '#contract/base/errors.ts';
import { hashId } from '#contract/base/ids.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { ShareData } from '#contract/site/display.ts';
import { notFound, requireRecord } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { freshToken, REVOKED, shortCode } from '#handlers/base/link-tokens.ts';

type Kind = ShareData['kind'];
type Action = Parsed<'display_shares'>['action'];

function shareId(context: HandlerContext, project_id: string, kind: Kind, object_id: string): string {
  return hashId('display_share', context.sha256(`${project_id}\n${kind}\n${object_id}`));
}

/** Returns the link to an object; undefined if none was ever created. */
async function findShare(
  context: HandlerContext,
  view: StagedView,
  kind: Kind,
  object_id: string,
): Promise<Stored<ShareData> | undefined> {
  return view.get<ShareData>('local', shareId(context, view.project_id, kind, object_id));
}

/** Returns the address of a link, with the host name that the caller used; null if the link is revoked. */
function shareUrl(context: HandlerContext, share: Stored<ShareData>): string | null {
  const { token, token_hash } = share.data;
  const plain = token === null ? undefined : context.sealer.tryOpen(token, token_hash);
  return plain === undefined ? null : `${context.caller.base_url}/tv/${plain}`;
}

/** Returns true if a link is neither revoked nor expired. */
export function isOpen({ status, expires_at }: ShareData, now: string): boolean {
  return status !== 'revoked' && (expires_at == null || expires_at > now);
}

function toShare(context: HandlerContext<'qr'>, share: Stored<ShareData>): Output<'display_shares'> {
  const { kind, object_id, rotated_at, last_seen_at, expires_at = null } = share.data;
  const open = isOpen(share.data, context.now);
  const url = open ? shareUrl(context, share) : null;
  return {
    object: 'display_share',
    id: share.id,
    kind,
    object_id,
    status: open ? share.data.status : 'revoked',
    url,
    qr: url === null ? null : context.qr(url),
    short_code: shortCode(share.id),
    scope: ['display:read'],
    expires_at,
    created_at: share.created_at,
    rotated_at,
    last_seen_at,
  };
}

function stageShare(view: StagedView, id: string, data: ShareData, current: Stored<ShareData> | undefined) {
  const expected = current?.revision ?? 0;
  return view.stage<ShareData>({ collection: 'local', id, object: 'display_share', data, current, expected });
}

const DAY_MS = 86_400_000;

function expiry(context: HandlerContext, days: number | undefined): string | null {
  return days === undefined ? null : new Date(Date.parse(context.now) + days * DAY_MS).toISOString();
}

/** The change that each action makes to a link that is not revoked. */
const CHANGES: Readonly<
  Record<Exclude<Action, 'create' | 'read' | 'read-or-create'>, (context: HandlerContext) => Partial<ShareData>>
> = {
  rotate: (context) => ({ ...freshToken(context, 'dsp'), rotated_at: context.now }),
  revoke: () => REVOKED,
  pause: () => ({ status: 'paused' }),
  resume: () => ({ status: 'active' }),
};

/** Reads, creates or changes the link to an object. Throws `not_found` if there is none, and `already_exists` if `create` finds one. */
async function changeShare(
  context: HandlerContext,
  kind: Kind,
  object_id: string,
  action: Action,
  expires_in_days?: number,
): Promise<Stored<ShareData>> {
  const { view } = context;
  await requireRecord(view, kind, object_id, 'object_id');
  const current = await findShare(context, view, kind, object_id);
  const open = current !== undefined && isOpen(current.data, context.now);
  if (action === 'create' && open)
    throw new OperationError(
      'already_exists',
      'There is a link already; read it with `read-or-create`, or `rotate` it.',
      {
        param: 'action',
        details: [{ held_by: current.id }],
      },
    );
  if (action === 'create' || action === 'read-or-create') {
    if (open) return current;
    const id = shareId(context, view.project_id, kind, object_id);
    const data: ShareData = {
      kind,
      object_id,
      status: 'active',
      ...freshToken(context, 'dsp'),
      rotated_at: null,
      last_seen_at: null,
      expires_at: expiry(context, expires_in_days),
    };
    stageEvent(context, view, kind, object_id, 'published', { display_share: id });
    return stageShare(view, id, data, current);
  }
  if (current !== undefined && (action === 'read' || (action === 'revoke' && !open))) return current;
  if (!open || action === 'read') throw notFound('display_share', 'object_id');
  const data: ShareData = {
    ...current.data,
    ...CHANGES[action](context),
    ...(action === 'rotate' ? { expires_at: expiry(context, expires_in_days) } : {}),
  };
  if (action !== 'rotate' && data.status === current.data.status) return current;
  stageEvent(context, view, kind, object_id, 'updated', { fields: ['display_share'], action });
  return stageShare(view, current.id, data, current);
}

export type LinkStatus = Exclude<ShareData['status'], 'revoked'>;

/** Returns the state of the display link of each object, by the id of the object. Leaves out objects without a link. */
export async function linkStates(
  context: HandlerContext,
  kind: Kind,
  objects: readonly Stored<unknown>[],
): Promise<Map<string, LinkStatus>> {
  const { view, now } = context;
  const ids = new Map(objects.map(({ id }) => [shareId(context, view.project_id, kind, id), id]));
  const shares = await view.getMany<ShareData>('local', [...ids.keys()]);
  return new Map(
    shares.flatMap(({ id, data }) => {
      const object_id = ids.get(id);
      const { status } = data;
      return object_id === undefined || status === 'revoked' || !isOpen(data, now)
        ? []
        : [[object_id, status] as const];
    }),
  );
}

/** Stages the end of the link to a deleted object. */
export async function stageShareEnd(context: HandlerContext, kind: Kind, object_id: string): Promise<void> {
  const current = await findShare(context, context.view, kind, object_id);
  if (current !== undefined && current.data.status !== 'revoked')
    stageShare(context.view, current.id, { ...current.data, ...REVOKED }, current);
}

export const shareHandlers = handlerGroup(['qr'], {
  async display_shares({ kind, object_id, action, expires_in_days }, context) {
    return toShare(context, await changeShare(context, kind, object_id, action, expires_in_days));
  },
});
