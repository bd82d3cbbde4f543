/** People with accounts for the tests of this room: users, and the browsers in which they are signed in. */
import assert from 'node:assert/strict';
import { type Client, createClient } from '#contract/client.ts';
import { sessionHandlers } from '#handlers/access/sessions.ts';
import { userHandlers } from '#handlers/access/users.ts';
import { type Rig, type RigOptions, startRig } from './rig.ts';

export const PASSPHRASE = 'seven quiet haul roads';
/** A rig with the handlers of users and sessions. */
export const startPeople = (options: RigOptions = {}) =>
  startRig({ ...options, groups: [userHandlers, sessionHandlers] });

/** A browser of one person: it holds the cookie and sends what a page of the gateway sends. */
export interface Browser {
  readonly cookie: string;
  readonly client: Client;
  readonly setCookie: string;
}

export type UserRole = 'owner' | 'admin' | 'supervisor' | 'mechanic' | 'operator' | 'viewer';

/** The browser that got this Set-Cookie header. */
export function browserWith(rig: Rig, setCookie: string): Browser {
  const cookie = setCookie.split(';')[0] ?? '';
  const send: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), cookie, origin: rig.base } });
  return {
    cookie,
    setCookie,
    client: createClient({ base_url: rig.base, page: true, project_id: rig.project, fetch: send }),
  };
}

export const post = (rig: Rig, path: string, body: object) =>
  fetch(`${rig.base}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

export async function signIn(rig: Rig, name: string, remember = false): Promise<Browser> {
  const response = await post(rig, 'session', { name, passphrase: PASSPHRASE, remember });
  assert.equal(response.status, 201, await response.clone().text());
  return browserWith(rig, response.headers.get('set-cookie') ?? '');
}

/** Makes a user in the way of an admin and the person: create, invite, accept. */
export async function enrol(
  rig: Rig,
  name: string,
  role: UserRole,
  project_ids?: string[],
): Promise<{ id: string; browser: Browser }> {
  const { id } = await rig.client().call('users_create', { name, role, ...(project_ids && { project_ids }) });
  const { url } = await rig.client().call('users_invite', { id });
  const token = url.split('#invite=')[1] ?? '';
  const response = await post(rig, 'invitation-acceptances', { token, passphrase: PASSPHRASE, remember: true });
  assert.equal(response.status, 201, await response.clone().text());
  return { id, browser: browserWith(rig, response.headers.get('set-cookie') ?? '') };
}
