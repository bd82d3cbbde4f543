/**
 * Local sign-in: the desktop app on the computer of the gateway signs a user in without a passphrase. It gets a code with the control token,
 * which only the operating system user of the data folder can read. The page exchanges the code for a session.
 */
import { OperationError } from '#contract/base/errors.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { LocalCodes } from '#contract/sign-in.ts';
import type { UserData } from '#contract/site/user.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { notFound } from '#handlers/base/documents.ts';
import { begin, isActive, LASTS } from './sessions.ts';

const LIFETIME_MS = 30_000;
/** Codes that wait for their use. A further code discards the oldest. */
const MOST = 20;
const CODE_BYTES = 32;

interface Waiting {
  readonly user_id: string;
  readonly expires_ms: number;
  /** The call that used the code. */
  readonly by: WeakRef<object> | null;
}

/** Creates the codes. They are only in memory, so a restart of the gateway ends them. */
export function createLocalCodes(options: { now: () => number; random: (bytes: number) => Uint8Array }): LocalCodes {
  const { now, random } = options;
  const waiting = new Map<string, Waiting>();
  return {
    make(user_id) {
      for (const [code, { expires_ms }] of waiting) if (expires_ms <= now()) waiting.delete(code);
      if (waiting.size === MOST) waiting.delete(waiting.keys().next().value as string);
      const code = Buffer.from(random(CODE_BYTES)).toString('base64url');
      const expires_ms = now() + LIFETIME_MS;
      waiting.set(code, { user_id, expires_ms, by: null });
      return { code, expires_at: new Date(expires_ms).toISOString() };
    },
    use(code, call) {
      const found = waiting.get(code);
      if (found === undefined || found.expires_ms <= now()) return undefined;
      if (found.by !== null && found.by.deref() !== call) return undefined;
      waiting.set(code, { ...found, by: new WeakRef(call) });
      return found.user_id;
    },
  };
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
      throw new OperationError('permission_denied', `The user ${user.data.name} may not sign in.`, {
        param: 'user_id',
      });
    return { object: 'local_code', user_id, ...context.signIn.localCodes.make(user_id) };
  },

  async local_sign_in({ code }, context) {
    const { caller, node, signIn } = context;
    // The code of another computer is not even looked up, so it stays valid.
    const user_id = isLoopback(caller.address) ? signIn.localCodes.use(code, caller) : undefined;
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
