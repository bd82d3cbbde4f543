/**
 * Personal tokens. A token belongs to the user or workspace key that issued it. It allows reading transcripts of runs, and becomes invalid
 * when that key becomes invalid or the user is disabled.
 */

import { OperationError } from '#contract/base/errors.ts';
import { ADMINS } from '#contract/base/operation.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import { mayCall, TRANSCRIPT } from '#contract/scopes.ts';
import type { KeyData, PersonalToken } from '#contract/site/node.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { notFound } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { lastUses, mintKey, stageKey } from './keys.ts';

const DAY_MS = 86_400_000;
/** Largest number of valid tokens of one key. */
const MOST = 20;

function toToken({ id, created_at, data }: Stored<KeyData>, last_used_at: string | null = null): PersonalToken {
  const { name, prefix, parent, scopes, expires_at, revoked_at } = data;
  return {
    object: 'personal_token',
    id,
    name,
    prefix: `pat_${prefix}`,
    key_id: parent ?? '',
    scopes: scopes ?? [],
    last_used_at,
    expires_at,
    revoked_at,
    created_at,
  };
}

function isAdmin({ caller }: HandlerContext): boolean {
  return caller.role !== null && ADMINS.includes(caller.role) && caller.project_ids === null;
}

export const personalTokenHandlers = handlerGroup([], {
  async personal_tokens_create({ name, expires_in_days }, context) {
    const { caller, node, now } = context;
    if ((caller.kind !== 'workspace' && caller.kind !== 'user') || caller.id === null)
      throw new OperationError('permission_denied', 'Only a user or a workspace key can issue personal tokens.');
    if (caller.tablet !== undefined)
      throw new OperationError(
        'permission_denied',
        'You signed in with a PIN on a shared tablet. To issue a token, sign in with your passphrase on another device.',
      );
    if (!mayCall(caller.scopes ?? null, 'tasks_messages'))
      throw new OperationError(
        'permission_denied',
        'Your key is not allowed to read transcripts, so it cannot issue a token for that.',
      );
    const where = { 'data.parent': caller.id, 'data.kind': 'personal', 'data.revoked_at': null };
    const issued = await node.find<KeyData>('local', { object: 'key', where, limit: 1_000 });
    if (issued.filter(({ data }) => (data.expires_at ?? '~') > now).length >= MOST)
      throw new OperationError(
        'limit_reached',
        say('A user or key can have at most {most} tokens; revoke one first.', { most: MOST }),
      );
    const { secret, data } = mintKey(context, {
      kind: 'personal',
      name,
      role: caller.role ?? 'viewer',
      project_ids: caller.project_ids === null ? null : [...caller.project_ids],
      scopes: [TRANSCRIPT],
      parent: caller.id,
      expires_at: new Date(Date.parse(now) + expires_in_days * DAY_MS).toISOString(),
    });
    const document = stageKey(context, data);
    stageAudit(context, node, 'key', document.id, 'issued', { kind: 'personal', key_id: caller.id });
    return { object: 'personal_token_created', token: toToken(document), secret };
  },

  async personal_tokens_list({ key_id, ...input }, context) {
    if (key_id !== undefined && key_id !== context.caller.id && !isAdmin(context))
      throw new OperationError('permission_denied', 'Only owners and admins can list the tokens of another key.', {
        param: 'key_id',
      });
    const where = { 'data.parent': key_id ?? context.caller.id ?? '', 'data.kind': 'personal' };
    return listPage<KeyData, PersonalToken>(
      context,
      context.node,
      'local',
      input,
      { object: 'key', where },
      async (found) => {
        const uses = await lastUses(context, found);
        return found.map((token) => toToken(token, uses.get(token.id) ?? null));
      },
    );
  },

  async personal_tokens_revoke({ id }, context) {
    const current = await context.node.get<KeyData>('local', id);
    const own = current?.data.parent === context.caller.id || isAdmin(context);
    if (current?.object !== 'key' || current.data.kind !== 'personal' || !own) throw notFound('personal token', 'id');
    if (current.data.revoked_at !== null) return toToken(current);
    stageAudit(context, context.node, 'key', id, 'revoked', { kind: 'personal' });
    return toToken(
      context.node.stage<KeyData>({
        collection: 'local',
        id,
        object: 'key',
        data: { ...current.data, revoked_at: context.now },
        current,
        expected: current.revision,
      }),
    );
  },
});
