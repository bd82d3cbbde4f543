/** The cookies of sessions and tablets over HTTPS and over HTTP, on a real gateway. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';

interface Reply {
  readonly status: number;
  readonly cookies: readonly string[];
}

/** Sends a request as a page of the gateway would, over TLS with the site authority or without TLS. */
function ask(
  { node, folder }: TestGateway,
  scheme: 'http' | 'https',
  { method = 'GET', path, body, cookie = '' }: { method?: string; path: string; body?: object; cookie?: string },
): Promise<Reply> {
  const port = scheme === 'https' ? node.httpsPort : node.httpPort;
  const options: RequestOptions & { ca?: Buffer } = {
    host: '127.0.0.1',
    port,
    method,
    path: `/api/v1/${path}`,
    headers: {
      'headframe-page': '1',
      origin: `${scheme}://127.0.0.1:${port}`,
      'content-type': 'application/json',
      ...(cookie !== '' && { cookie }),
    },
    ...(scheme === 'https' && { ca: readFileSync(join(folder, 'tls', 'ca.pem')) }),
  };
  return new Promise((resolve, reject) => {
    const sent = (scheme === 'https' ? httpsRequest : httpRequest)(options, (answer) => {
      answer.resume();
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, cookies: answer.headers['set-cookie'] ?? [] }));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

test('[K30] [K40] over HTTPS the cookies are Secure and count only there; over HTTP they are not', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const { id } = await client.call('users_create', { name: 'Olaf', role: 'operator' });
  const tablet = await client.call('tablets_create', { name: 'Gate', roles: ['operator'] });
  for (const scheme of ['https', 'http'] as const) {
    const prefix = scheme === 'https' ? '__Host-' : '';
    const secure = scheme === 'https' ? '; Secure' : '';
    const invited = await client.call('users_invite', { id });
    const { url } = await client.call('tablets_link', { id: tablet.tablet.id });
    const session = await ask(gateway, scheme, {
      method: 'POST',
      path: 'invitation-acceptances',
      body: { token: invited.url.split('=')[1], passphrase: 'seven quiet haul roads' },
    });
    const enrolled = await ask(gateway, scheme, {
      method: 'POST',
      path: 'tablet-enrolments',
      body: { token: url.split('=')[1] },
    });
    for (const [{ status, cookies }, name, path, end] of [
      [session, 'headframe_\\w{8}', 'session', ''],
      [enrolled, 'headframe_tablet_\\w{8}', 'tablet', '; Max-Age=34560000'],
    ] as const) {
      assert.equal(status, 201, `${scheme} ${path}`);
      const form = `^${prefix}${name}=[\\w-]+; Path=/; HttpOnly; SameSite=Strict${secure}${end}$`;
      assert.match(cookies.join(), new RegExp(form), scheme);
      const cookie = cookies[0]?.split(';')[0] ?? '';
      assert.equal((await ask(gateway, scheme, { path, cookie })).status, 200, `${scheme} ${path}`);
      const other = scheme === 'https' ? 'http' : 'https';
      assert.equal((await ask(gateway, other, { path, cookie })).status, 401, `${path} of ${scheme} over ${other}`);
    }
  }
});
