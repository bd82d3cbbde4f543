/** Sessions of people: the cookie, requests of other sites, and the end of a session. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserData } from '#contract/site/user.ts';
import { createSignIn } from '#gateway/sign-in.ts';
import { createForwardClock } from '#host/forward-clock.ts';
import { createAuth } from '#servers/http/auth.ts';
import { type Browser, browserWith, enrol, PASSPHRASE, post, signIn, startPeople } from '#test/servers/people.ts';
import { CONTROL, sendRaw } from '#test/servers/rig.ts';

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

test('[K30] sign-in sets a cookie that scripts cannot read, and sign-out ends the session', async () => {
  await using rig = await startPeople();
  await enrol(rig, 'Maria', 'supervisor');
  const response = await post(rig, 'session', { name: ' maria ', passphrase: PASSPHRASE });
  const body = (await response.json()) as { token: unknown; role: string; user: { name: string } };
  assert.deepEqual([response.status, body.token, body.role, body.user.name], [201, null, 'supervisor', 'Maria']);
  const setCookie = response.headers.get('set-cookie') ?? '';
  assert.match(setCookie, /^headframe_\w{8}=ses_\w{8}_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  const { client, cookie } = browserWith(rig, setCookie);
  const me = await client.call('session_get', {});
  assert.deepEqual([me.kind, me.name, me.role], ['user', 'Maria', 'supervisor']);
  const kept = await signIn(rig, 'Maria', true);
  assert.match(kept.setCookie, /; Expires=/);
  assert.ok(!rig.log.join().includes(cookie.split('=')[1] ?? ''), 'no log has the token');
  const ended = await fetch(`${rig.base}/api/v1/session`, {
    method: 'DELETE',
    headers: { cookie, origin: rig.base, 'headframe-page': '1' },
  });
  assert.match(ended.headers.get('set-cookie') ?? '', /^headframe_\w{8}=; .*Max-Age=0$/);
  assert.equal(await codeOf(client.call('session_get', {})), 'credential_invalid');
  assert.equal((await kept.client.call('session_get', {})).name, 'Maria');
});

test('[K30] a wrong passphrase, an unknown name and a disabled user get the same answer', async () => {
  await using rig = await startPeople();
  const { id } = await enrol(rig, 'Maria', 'viewer');
  const answer = async (name: string, passphrase: string) => {
    const response = await post(rig, 'session', { name, passphrase });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return [response.status, error.code, error.message, response.headers.get('set-cookie')];
  };
  const wrong = await answer('Maria', 'another passphrase');
  assert.deepEqual(wrong.slice(0, 2), [403, 'sign_in_failed']);
  assert.deepEqual(await answer('Nobody', PASSPHRASE), wrong);
  await rig.client().call('users_update', { id, disabled: true });
  assert.deepEqual(await answer('Maria', PASSPHRASE), wrong);
});

test('[K31] requests of other sites, of frames and of other hosts do not carry the session', async () => {
  await using rig = await startPeople();
  const { browser } = await enrol(rig, 'Maria', 'owner');
  const token = browser.cookie.split('=')[1] ?? '';
  const page = { cookie: browser.cookie, 'headframe-page': '1' };
  const write = { method: 'POST', body: '{"name":"x"}', path: '/api/v1/dashboards' };
  const read = { method: 'GET', body: undefined, path: '/api/v1/session' };
  const ask = async ({ method, body, path }: typeof read | typeof write, headers: Record<string, string>) => {
    const response = await fetch(`${rig.base}${path}`, {
      method,
      headers: { 'project-id': rig.project, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return response.status;
  };
  assert.equal(await ask(read, page), 200);
  assert.equal(await ask(write, { ...page, origin: rig.base }), 201);
  const tried: [string, typeof read | typeof write, Record<string, string>, number][] = [
    ['a form of another site', write, { cookie: browser.cookie, origin: 'http://evil.example' }, 403],
    ['a script of another site', write, { ...page, origin: 'http://evil.example' }, 403],
    ['a page in a sandbox', write, { ...page, origin: 'null' }, 403],
    ['another port of this host', write, { ...page, origin: 'http://127.0.0.1:1' }, 403],
    [
      'an image of another site',
      read,
      { cookie: browser.cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      403,
    ],
    ['a form without the header of a page', write, { cookie: browser.cookie, origin: rig.base }, 401],
    ['a link without the header of a page', read, { cookie: browser.cookie }, 401],
    ['a write without an origin', write, page, 401],
    ['the token as a bearer key', read, { authorization: `Bearer ${token}` }, 401],
    ['the token in another scheme', read, { authorization: `Session ${token}` }, 401],
    ['two cookies of the same name', read, { ...page, cookie: `${browser.cookie}; ${browser.cookie}` }, 401],
    ['a cookie that is too long', read, { ...page, cookie: `a=${'x'.repeat(5_000)}; ${browser.cookie}` }, 401],
    ['the cookie of another gateway', read, { ...page, cookie: `headframe_00000000=${token}` }, 401],
    ['a wrong key beside the cookie', read, { ...page, authorization: `Bearer wk_aaaaaaaa_${'b'.repeat(43)}` }, 401],
  ];
  for (const [what, request, headers, status] of tried) assert.equal(await ask(request, headers), status, what);
  // DNS rebinding: the browser sends the name of the hostile page as Host.
  const rebound = await sendRaw(
    rig.http.port,
    `GET /api/v1/session HTTP/1.1\r\nHost: evil.example\r\nCookie: ${browser.cookie}\r\nHeadframe-Page: 1\r\n\r\n`,
  );
  assert.match(rebound, /^HTTP\/1\.1 421 /);
  // Clickjacking: no page and no answer may stand in a frame.
  for (const path of ['/', '/api/v1/session']) {
    const { headers } = await fetch(`${rig.base}${path}`);
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, path);
  }
});

test('[K32] a session ends without use and at its end', async () => {
  await using rig = await startPeople();
  await enrol(rig, 'Maria', 'viewer');
  const [idle, busy, kept] = [await signIn(rig, 'Maria'), await signIn(rig, 'Maria'), await signIn(rig, 'Maria', true)];
  const alive = async ({ client }: Browser) => (await codeOf(client.call('session_get', {}))) === 'no error';
  for (let hour = 1; hour <= 15; hour++) {
    rig.pass(3_600_000);
    assert.ok(await alive(busy), `in use for ${hour} hours`);
  }
  assert.ok(!(await alive(idle)));
  rig.pass(3_600_000);
  assert.ok(!(await alive(busy)), 'after 16 hours');
  for (let day = 1; day <= 29; day++) {
    assert.ok(await alive(kept), `kept for ${day} days`);
    rig.pass(86_400_000);
  }
  rig.pass(86_400_000);
  assert.ok(!(await alive(kept)), 'after 30 days');
});

test('[K32] a clock that is set back does not make an ended session valid again', async () => {
  await using rig = await startPeople();
  await enrol(rig, 'Maria', 'viewer');
  const session = await signIn(rig, 'Maria');
  const me = () => codeOf(session.client.call('session_get', {}));
  assert.equal(await me(), 'no error');
  rig.pass(17 * 3_600_000);
  assert.equal(await me(), 'credential_invalid');
  rig.pass(-17 * 3_600_000);
  assert.equal(await me(), 'credential_invalid');
  // After a restart the time begins at the latest stored time.
  const floor_ms = Date.now() + 17 * 3_600_000;
  const accessTime = createForwardClock({ clock: Date.now, floor_ms });
  using auth = createAuth({ store: rig.store, clock: Date.now, accessTime, controlToken: CONTROL });
  await assert.rejects(auth.authenticate(`Session ${session.cookie.split('=')[1]}`), { code: 'credential_invalid' });
  using late = createAuth({ store: rig.store, clock: Date.now, accessTime: Date.now, controlToken: CONTROL });
  assert.equal((await late.authenticate(`Session ${session.cookie.split('=')[1]}`)).name, 'Maria', 'the test can fail');
});

test('[K32] the clock of sessions follows forward, and counts the elapsed time when the clock is set back', () => {
  let system = 1_000_000;
  let monotonic = 0;
  const now = createForwardClock({ clock: () => system, floor_ms: 0, monotonic: () => monotonic });
  assert.equal(now(), 1_000_000);
  system = 500_000;
  monotonic = 2_000;
  assert.equal(now(), 1_002_000);
  system = 9_000_000;
  assert.equal(now(), 9_000_000);
});

test('[K33] role, access and end of a user count from the next request, and end an open stream', async () => {
  await using rig = await startPeople();
  const owner = rig.client();
  const { id, browser } = await enrol(rig, 'Maria', 'admin');
  assert.equal((await browser.client.call('session_get', {})).role, 'admin');
  await owner.call('users_update', { id, role: 'viewer' });
  assert.equal((await browser.client.call('session_get', {})).role, 'viewer');
  assert.equal(await codeOf(browser.client.call('users_list', {})), 'permission_denied');
  await owner.call('users_update', { id, project_ids: [rig.other] });
  assert.equal(await codeOf(browser.client.call('dashboards_list', {})), 'project_not_found');
  await owner.call('users_update', { id, project_ids: null });
  const stream = await fetch(`${rig.base}/api/v1/live?kind=dashboard&object_id=dash_1`, {
    headers: { cookie: browser.cookie, 'headframe-page': '1', 'project-id': rig.project },
  });
  assert.equal(stream.status, 200);
  await owner.call('users_update', { id, disabled: true });
  assert.match(await stream.text(), /event: gone/);
  assert.equal(await codeOf(browser.client.call('session_get', {})), 'credential_invalid');
  const contractor = await enrol(rig, 'Carl', 'mechanic');
  await owner.call('users_update', { id: contractor.id, ends_at: new Date(Date.now() + 3_600_000).toISOString() });
  assert.equal(await codeOf(contractor.browser.client.call('session_get', {})), 'no error');
  rig.pass(3_600_000);
  assert.equal(await codeOf(contractor.browser.client.call('session_get', {})), 'credential_invalid');
});

test('[A125] a person who has a session at an address is not locked out there by strangers, also after a restart', async () => {
  await using rig = await startPeople();
  const { browser } = await enrol(rig, 'Maria', 'viewer');
  const { user } = await browser.client.call('session_get', {});
  const hash = await rig.store.node
    .get<UserData>('local', user?.id ?? '')
    .then((found) => found?.data.passphrase ?? null);
  // The limits of a gateway that has started again know nobody.
  const restarted = () =>
    createSignIn({ store: rig.store, now: Date.now, random: (n) => new Uint8Array(n), secret: new Uint8Array(32) });
  const check = (of: ReturnType<typeof restarted>, address: string, passphrase = PASSPHRASE, id = user?.id ?? null) =>
    of.check(hash, passphrase, { account: 'maria', address, user: id }).catch(({ code }: { code: string }) => code);
  const limits = restarted();
  const guess = async () => {
    for (let i = 0; i < 25; i++) await check(limits, `10.0.0.${i}`, 'a wrong passphrase');
  };
  await guess();
  assert.equal(await check(limits, '10.9.9.9'), 'rate_limited', 'an address where she never was');
  assert.equal(await check(limits, '127.0.0.1'), true, 'she accepted her invitation there');
  assert.equal(await check(limits, '10.9.9.9'), 'rate_limited');
  // Her own wrong passphrases count there as before.
  for (let i = 0; i < 6; i++) await check(limits, '127.0.0.1', 'a wrong passphrase');
  assert.equal(await check(limits, '127.0.0.1'), 'rate_limited');
});
