/** Operations on the listeners of the gateway. An admin can allow connections with TLS only, but cannot lock people out. */
import { OperationError } from '#contract/base/errors.ts';
import { type Sayable, say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import { LISTENERS, type Listener, type ListenerData, type ListenerName, listenerId } from '#contract/site/listener.ts';
import { stageAudit } from '#handlers/base/audit.ts';

/** Most clients in an answer, and most names in an entry of the audit log. */
const SHOWN = 100;
const NAMED = 20;

type Context = HandlerContext<'listeners'>;

function requireAllProjects({ caller }: Context): void {
  if (caller.project_ids !== null)
    throw new OperationError(
      'permission_denied',
      'This key is restricted to some projects. The listeners belong to the whole gateway, so use a key for all projects.',
    );
}

const stored = ({ node }: Context, name: ListenerName) => node.get<ListenerData>('local', listenerId(name));

/** Returns undefined if this gateway does not run the listener. */
function shown(context: Context, name: ListenerName, document: Stored<ListenerData> | undefined): Listener | undefined {
  const state = context.listeners.state(name);
  if (state === undefined) return undefined;
  const { host, port, tls_port, plain_users } = state;
  return {
    object: 'listener',
    name,
    host,
    port,
    tls_port,
    encrypted_only: document?.data.encrypted_only ?? false,
    changed_at: document?.updated_at ?? null,
    plain_users: plain_users.slice(0, SHOWN),
    plain_users_total: plain_users.length,
  };
}

/** Throws `lockout_refused` if nobody could use the listener, or the caller could not, after it is encrypted only. */
function guard({ caller, listeners }: Context, { name, host, tls_port }: Listener): void {
  const refuse = (message: Sayable): never => {
    throw new OperationError('lockout_refused', message, { param: 'encrypted_only' });
  };
  if (tls_port === null) refuse('This listener has no port with TLS, so nobody could use it.');
  if (!listeners.certificateIsValid())
    refuse('The TLS certificate of the gateway is not valid now, so clients would refuse it. See the page Health.');
  if (name === 'http' && !caller.base_url.startsWith('https:'))
    refuse(
      say(
        'You use the gateway without TLS. First open https://{host}:{tls_port} and repeat this there. So you know that you can get in with TLS.',
        { host, tls_port: tls_port ?? '' },
      ),
    );
}

export const listenerHandlers = handlerGroup(['listeners'], {
  async listeners_list(_input, context) {
    requireAllProjects(context);
    const data = await Promise.all(LISTENERS.map(async (name) => shown(context, name, await stored(context, name))));
    return { object: 'listeners', data: data.filter((one) => one !== undefined) };
  },

  async listeners_update({ name, encrypted_only }, context) {
    requireAllProjects(context);
    const current = await stored(context, name);
    const before = shown(context, name, current);
    if (before === undefined)
      throw new OperationError('not_found', 'This gateway does not run this listener.', { param: 'name' });
    if (before.encrypted_only === encrypted_only) return before;
    if (encrypted_only) guard(context, before);
    const document = context.node.stage<ListenerData>({
      collection: 'local',
      id: listenerId(name),
      object: 'listener',
      data: { encrypted_only },
      current,
      expected: current?.revision ?? 0,
    });
    const connected = before.plain_users.filter(({ is_connected }) => is_connected).map(({ name: one }) => one);
    stageAudit(context, context.node, 'listener', name, 'updated', {
      encrypted_only,
      ...(encrypted_only ? { disconnected: connected.slice(0, NAMED), plain_users: before.plain_users_total } : {}),
    });
    return { ...before, encrypted_only, changed_at: document.updated_at };
  },
});
