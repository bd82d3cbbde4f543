/**
 * Local sign-in: the desktop app on the computer of the gateway signs a user in without a passphrase. It gets a code with the control token,
 * which only the operating system user of the data folder can read. The page exchanges the code for a session.
 */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { UserData } from '#contract/site/user.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { notFound } from '#handlers/base/documents.ts';
import { begin, isActive, LASTS } from './sessions.ts';

const LIFETIME_MS = 30_000;
/** Codes that wait for their use. A further code discards the oldest. */
const MOST = 20;
const CODE_BYTES = 32;
const KIND = 'local_code';

/** A code that waits for its use. Its id has the hash of the code. */
interface LocalCodeData {
  readonly user_id: string;
  readonly expires_ms: number;
}

const idOf = ({ sha256 }: HandlerContext, code: string): string => `${KIND}_${sha256(code)}`;

function stageEnd(context: HandlerContext, current: Stored<LocalCodeData>): void {
  const { id, data, revision: expected } = current;
  context.node.stage({ collection: 'local', id, object: KIND, data, current, expected, deleted: true });
}

/** Stages a code for a user. */
async function stageCode(
  context: HandlerContext<'signIn'>,
  user_id: string,
): Promise<{ code: string; expires_at: string }> {
  const now = context.signIn.now();
  const waiting = await context.node.find<LocalCodeData>('local', { object: KIND, limit: 2 * MOST });
  const kept = waiting.filter(({ data }) => data.expires_ms > now).slice(0, MOST - 1);
  for (const old of waiting) if (!kept.includes(old)) stageEnd(context, old);
  const code = context.secret(CODE_BYTES);
  const data: LocalCodeData = { user_id, expires_ms: now + LIFETIME_MS };
  context.node.stage({ collection: 'local', id: idOf(context, code), object: KIND, data, expected: 0 });
  return { code, expires_at: new Date(data.expires_ms).toISOString() };
}

/** Stages the use of a code and returns the id of its user; undefined if the code is unknown, used or expired. */
async function useCode(context: HandlerContext<'signIn'>, code: string): Promise<string | undefined> {
  const found = await context.node.get<LocalCodeData>('local', idOf(context, code));
  if (found === undefined || found.data.expires_ms <= context.signIn.now()) return undefined;
  stageEnd(context, found);
  return found.data.user_id;
}

/** Returns true for an address that only programs on this computer have. */
const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

export const localSignInHandlers = handlerGroup(['signIn'], {
  async local_code({ user_id }, context) {
    if (context.caller.kind !== 'control')
      throw new OperationError(
        'permission_denied',
        'A code for local sign-in is only made for the desktop app on the computer of the gateway.',
      );
    const user = await context.node.get<UserData>('local', user_id);
    if (user?.object !== 'user') throw notFound('user', 'user_id');
    if (!isActive(user.data, context.signIn.now()))
      throw new OperationError('permission_denied', say('The user {name} may not sign in.', { name: user.data.name }), {
        param: 'user_id',
      });
    return { object: 'local_code', user_id, ...(await stageCode(context, user_id)) };
  },

  async local_sign_in({ code }, context) {
    const { caller, node, signIn } = context;
    // The code of another computer is not even looked up, so it stays valid.
    const user_id = isLoopback(caller.address) ? await useCode(context, code) : undefined;
    const user = user_id === undefined ? undefined : await node.get<UserData>('local', user_id);
    if (user === undefined || !isActive(user.data, signIn.now()))
      throw new OperationError(
        'sign_in_failed',
        'The code for local sign-in is unknown, used or expired. Sign in with your name and your passphrase.',
      );
    const began = await begin(context, user, LASTS.short);
    stageAudit(context, node, 'user', user.id, 'signed_in', { address: caller.address, with: 'local_code' });
    return began;
  },
});
