/** The first address of the office window: signed in, or the claim of a new gateway. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:tls';
import { ClientError, createClient } from '#contract/client.ts';
import { readControl } from '#settings/control-file.ts';
import type { Ready } from './gateway-events.ts';

export interface Entrance {
  readonly url: string;
  /** True if the gateway no longer lets the remembered user sign in. */
  readonly forget: boolean;
}

/** Returns true if somebody owns the gateway. */
async function isClaimed(base_url: string): Promise<boolean> {
  try {
    await createClient({ base_url }).call('session_get', {});
    return true;
  } catch (error) {
    return !(error instanceof ClientError && error.code === 'claim_required');
  }
}

/**
 * Returns the address for the office window. On a gateway without an owner, the claim page with a new claim code. For a remembered user, the
 * office page with a code for local sign-in, which is valid once and for 30 s. Otherwise the sign-in page.
 */
export async function entrance(ready: Pick<Ready, 'https' | 'data'>, user_id: string | null): Promise<Entrance> {
  const plain = { url: `${ready.https}/`, forget: false };
  const control = await readControl(ready.data);
  if (control === undefined) return plain;
  const client = createClient({ base_url: control.http, key: control.token });
  try {
    if (user_id !== null) {
      const { code } = await client.call('local_code', { user_id });
      return { url: `${ready.https}/#local=${code}`, forget: false };
    }
    // A new claim code replaces the earlier one, which an owner may have printed. So it is only made if nobody owns the gateway.
    if (await isClaimed(control.http)) return plain;
    const { code } = await client.call('claim_code', {});
    return { url: `${ready.https}/#claim=${code}`, forget: false };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { ...plain, forget: error.code === 'not_found' || error.code === 'permission_denied' };
  }
}

/** Returns a new claim code with the time of its end; throws `ClientError`, or `Error` if no gateway runs. */
export async function newClaimCode(data: string): Promise<{ code: string; claimed: boolean; expires_at: string }> {
  const control = await readControl(data);
  if (control === undefined) throw new Error('The gateway does not run. Wait until it runs, then try again.');
  return createClient({ base_url: control.http, key: control.token }).call('claim_code', {});
}

/** The name of the cookie with which the gateway keeps a person signed in. A shared tablet has another cookie. */
export function isSessionCookie(name: string): boolean {
  return /^(__Host-)?headframe_[a-z0-9]{8}$/i.test(name);
}

/**
 * Returns the user of a session cookie (`NAME=VALUE`); null if it is the cookie of nobody, undefined if the gateway does not answer. The app
 * asks the gateway itself, because a page could name another user. `accept` checks the certificate before the cookie is sent.
 */
export async function signedInUser(
  https: string,
  cookie: string,
  accept: (host: string, pem: string) => boolean,
): Promise<string | null | undefined> {
  try {
    const send = ((address: string, init?: RequestInit) => pinnedGet(address, init, cookie, accept)) as typeof fetch;
    const { user, tablet } = await createClient({ base_url: https, page: true, fetch: send }).call('session_get', {});
    // On a shared tablet a person is signed in with a PIN, for a short time only.
    return tablet === null ? (user?.id ?? null) : null;
  } catch (error) {
    return error instanceof ClientError && error.status === 401 ? null : undefined;
  }
}

const LONGEST_BYTES = 1 << 20;

/** Sends a GET over TLS, after the certificate of the server was checked. */
async function pinnedGet(
  address: string,
  init: RequestInit | undefined,
  cookie: string,
  accept: (host: string, pem: string) => boolean,
): Promise<Response> {
  const { hostname, port } = new URL(address);
  // `accept` checks the certificate instead of Node.js, which does not know the authority of the site.
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    const pem = socket.getPeerX509Certificate()?.toString() ?? '';
    if (!accept(hostname, pem)) throw new Error('The certificate is not the one of this gateway.');
    const headers = { ...(init?.headers as Record<string, string>), cookie };
    const sent = request(address, { headers, createConnection: () => socket, timeout: 10_000 });
    sent.on('timeout', () => sent.destroy(new Error('The gateway does not answer.')));
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > LONGEST_BYTES) throw new Error('The answer is too long.');
      parts.push(part);
    }
    return new Response(Buffer.concat(parts), { status: answer.statusCode ?? 500 });
  } finally {
    socket.destroy();
  }
}
