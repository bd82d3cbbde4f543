/** Shared tablets over HTTP: enrolment, PINs and their limits, the end of a session, and revocation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '#contract/base/operation.ts';
import { type Client, createClient } from '#contract/client.ts';
import { operations } from '#contract/operations.ts';
import { createPassphrases } from '#gateway/passphrases.ts';
import { createPins } from '#gateway/pins.ts';
import { personalTokenHandlers } from '#handlers/access/personal-tokens.ts';
import { sessionHandlers } from '#handlers/access/sessions.ts';
import { tabletSignInHandlers } from '#handlers/access/tablet-sign-in.ts';
import { tabletHandlers } from '#handlers/access/tablets.ts';
import { userPinHandlers } from '#handlers/access/user-pins.ts';
import { userHandlers } from '#handlers/access/users.ts';
import { auditHandlers } from '#handlers/base/audit.ts';
import { enrol, PASSPHRASE } from '#test/servers/people.ts';
import { type Rig, startRig } from '#test/servers/rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PIN = '730164';
const WRONG = '264917';

const startTablets = () =>
  startRig({
    groups: [
      userHandlers,
      sessionHandlers,
      userPinHandlers,
      tabletHandlers,
      tabletSignInHandlers,
      personalTokenHandlers,
      auditHandlers,
    ],
    http: { requestsPerMinute: 1_000_000 },
  });

/** A browser that keeps its cookies, as a tablet does. */
function openBrowser(rig: Rig) {
  const jar = new Map<string, string>();
  const client: Client = createClient({
    base_url: rig.base,
    page: true,
    project_id: rig.project,
    fetch: async (input, init) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { ...(init?.headers as Record<string, string>), cookie, origin: rig.base };
      const response = await fetch(input, { ...init, headers });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (line.includes('Max-Age=0')) jar.delete(name);
        else jar.set(name, value);
      }
      return response;
    },
  });
  return { client, jar };
}

const failed = (promise: Promise<unknown>) =>
  promise.then(
    () => ({ code: 'no error', message: '', details: [] as Record<string, unknown>[] }),
    (error: { code: string; message: string; error: { details: Record<string, unknown>[] } | null }) => ({
      code: error.code,
      message: error.message,
      details: error.error?.details ?? [],
    }),
  );
const codeOf = async (promise: Promise<unknown>) => (await failed(promise)).code;

const tokenOf = (url: string) => url.split('#tablet=')[1] ?? '';

/** Makes a tablet in the way of an admin, and opens its link. */
async function openTablet(rig: Rig, input: { name: string; roles?: 'operator'[]; user_ids?: string[] }) {
  const made = await rig.client().call('tablets_create', input);
  const browser = openBrowser(rig);
  await browser.client.call('tablet_enrol', { token: tokenOf(made.url) });
  return { ...browser, id: made.tablet.id, url: made.url };
}

/** Gives a person a PIN on the page My account. */
async function withPin(rig: Rig, name: string, role: 'operator' | 'mechanic' | 'supervisor' = 'operator') {
  const person = await enrol(rig, name, role);
  await person.browser.client.call('users_pin', { id: person.id, current: PASSPHRASE, pin: PIN });
  return person;
}

const onTablet = (client: Client, user_id: string, pin = PIN) => client.call('tablet_sign_in', { user_id, pin });

test('[K40] a tablet is enrolled once with a short-lived link, and knows only the names of its people', async () => {
  await using rig = await startTablets();
  const olaf = await enrol(rig, 'Olaf', 'operator');
  const berta = await enrol(rig, 'Berta', 'mechanic');
  await enrol(rig, 'Maria', 'owner');
  await enrol(rig, 'Nils', 'operator', [rig.other]);
  const gone = await enrol(rig, 'Gerd', 'operator');
  await rig.client().call('users_update', { id: gone.id, disabled: true });
  const made = await rig
    .client()
    .call('tablets_create', { name: 'Workshop', roles: ['operator'], user_ids: [berta.id] });
  assert.equal(made.tablet.state, 'waiting');
  const { client, jar } = openBrowser(rig);
  assert.equal(await codeOf(client.call('tablet_enrol', { token: 'x'.repeat(43) })), 'invitation_invalid');
  const enrolled = await client.call('tablet_enrol', { token: tokenOf(made.url) });
  assert.deepEqual([enrolled.name, enrolled.token], ['Workshop', null]);
  assert.match([...jar][0]?.join('=') ?? '', /^headframe_tablet_\w{8}=tab_\w{8}_[\w-]{43}$/);
  const screen = await client.call('tablet_get', {});
  assert.deepEqual(screen, {
    object: 'tablet_screen',
    name: 'Workshop',
    people: [
      { id: berta.id, name: 'Berta' },
      { id: olaf.id, name: 'Olaf' },
    ],
    has_more: false,
  });
  const again = openBrowser(rig).client.call('tablet_enrol', { token: tokenOf(made.url) });
  assert.equal(await codeOf(again), 'invitation_invalid', 'a link is valid once');
  const late = await rig.client().call('tablets_link', { id: made.tablet.id });
  rig.pass(15 * MINUTE_MS);
  assert.equal(
    await codeOf(openBrowser(rig).client.call('tablet_enrol', { token: tokenOf(late.url) })),
    'invitation_invalid',
  );
  // A new enrolment replaces the earlier one.
  const next = await rig.client().call('tablets_link', { id: made.tablet.id });
  const second = openBrowser(rig);
  await second.client.call('tablet_enrol', { token: tokenOf(next.url) });
  assert.equal(await codeOf(client.call('tablet_get', {})), 'credential_invalid');
  const [listed] = (await rig.client().call('tablets_list', {})).data;
  assert.deepEqual([listed?.name, listed?.state], ['Workshop', 'enrolled']);
  assert.deepEqual((await rig.client(rig.key, rig.other).call('tablets_list', {})).data, []);
  assert.ok(!rig.log.join().includes([...second.jar.values()][0] ?? ''), 'no log has the credential');
});

test('[K41] the credential of a tablet opens two operations and no other, and is no bearer key', async () => {
  await using rig = await startTablets();
  const { jar } = await openTablet(rig, { name: 'Workshop', roles: ['operator'] });
  const [name = '', token = ''] = [...jar][0] ?? [];
  const admitted: string[] = [];
  const ask = (row: Operation, headers: Record<string, string>) =>
    fetch(`${rig.base}${row.path.replaceAll(/\{\w+\}/g, 'some_1')}`, {
      method: row.method,
      headers: { 'project-id': rig.project, ...headers },
    });
  const cookies = { cookie: `${name}=${token}`, origin: rig.base, 'headframe-page': '1' };
  for (const [operation, row] of Object.entries<Operation>(operations)) {
    if (row.scope === 'none') continue;
    const { status } = await ask(row, cookies);
    if (status !== 401) admitted.push(operation);
    for (const scheme of ['Bearer', 'Tablet', 'Session'])
      assert.equal((await ask(row, { authorization: `${scheme} ${token}` })).status, 401, `${operation} ${scheme}`);
    rig.pass(2 * MINUTE_MS);
  }
  assert.deepEqual(admitted, ['tablet_get', 'tablet_sign_in']);
  const { origin: _, ...without } = cookies;
  assert.equal((await ask(operations.tablet_sign_in, without)).status, 401, 'a write without an origin');
  assert.equal((await ask(operations.tablet_get, { cookie: cookies.cookie })).status, 401, 'no page of the gateway');
  const key = await ask(operations.tablet_get, { authorization: `Bearer ${rig.key}` });
  assert.equal(key.status, 403, 'an owner key is no tablet');
});

test('[K42] a person signs in with the PIN on an enrolled tablet only, with the own role, until switch, idle time or end', async () => {
  await using rig = await startTablets();
  const olaf = await withPin(rig, 'Olaf', 'supervisor');
  const tablet = await openTablet(rig, { name: 'Workshop', user_ids: [olaf.id] });
  assert.equal(await codeOf(onTablet(openBrowser(rig).client, olaf.id)), 'authentication_required', 'no other browser');
  assert.equal(await codeOf(onTablet(olaf.browser.client, olaf.id)), 'authentication_required');
  const began = await onTablet(tablet.client, olaf.id);
  assert.deepEqual([began.role, began.token, began.tablet?.name], ['supervisor', null, 'Workshop']);
  const me = await tablet.client.call('session_get', {});
  assert.deepEqual([me.role, me.project_ids, me.tablet?.idle_s], ['supervisor', [rig.project], 900]);
  assert.equal(await codeOf(tablet.client.call('dashboards_list', {}, { project_id: rig.other })), 'project_not_found');
  const token = tablet.client.call('personal_tokens_create', { name: 'x', expires_in_days: 300 });
  assert.equal(await codeOf(token), 'permission_denied', 'a PIN session issues nothing that outlives it');
  await tablet.client.call('session_end', {});
  assert.equal(await codeOf(tablet.client.call('session_get', {})), 'authentication_required', 'switch person');
  assert.equal((await tablet.client.call('tablet_get', {})).people.length, 1, 'the tablet stays enrolled');

  await onTablet(tablet.client, olaf.id);
  rig.pass(14 * MINUTE_MS);
  assert.equal(await codeOf(tablet.client.call('session_get', {})), 'no error');
  rig.pass(15 * MINUTE_MS);
  assert.equal(await codeOf(tablet.client.call('session_get', {})), 'credential_invalid', 'idle');
  rig.pass(-DAY_MS);
  assert.equal(await codeOf(tablet.client.call('session_get', {})), 'credential_invalid', 'the clock was set back');
  await onTablet(tablet.client, olaf.id);
  assert.equal(await codeOf(tablet.client.call('session_get', {})), 'no error', 'a person can still sign in');
});

test('[K42] the session ends at the end of the shift, also while it is used', async () => {
  await using rig = await startTablets();
  const olaf = await withPin(rig, 'Olaf');
  const tablet = await openTablet(rig, { name: 'Workshop', roles: ['operator'] });
  for (const [minutes, expected] of [
    [90, 90],
    [3, 15],
    [3_000, 960],
  ] as const) {
    rig.shiftEndsIn(minutes * MINUTE_MS);
    const { ends_at } = await onTablet(tablet.client, olaf.id);
    const lasts = (Date.parse(ends_at ?? '') - rig.now()) / MINUTE_MS;
    assert.ok(Math.abs(lasts - expected) < 0.5, `a shift that ends in ${minutes} minutes: ${lasts}`);
  }
  rig.shiftEndsIn(90 * MINUTE_MS);
  await onTablet(tablet.client, olaf.id);
  for (let i = 0; i < 8; i++) {
    rig.pass(10 * MINUTE_MS);
    assert.equal(await codeOf(tablet.client.call('session_get', {})), 'no error', `${i}`);
  }
  rig.pass(10 * MINUTE_MS);
  assert.equal(await codeOf(tablet.client.call('session_get', {})), 'credential_invalid');
});

test('[K43] owners and admins get no rights by a PIN, also if they become admin later', async () => {
  await using rig = await startTablets();
  const admin = await enrol(rig, 'Maria', 'admin');
  const refused = await failed(admin.browser.client.call('users_pin', { id: admin.id, current: PASSPHRASE, pin: PIN }));
  assert.equal(refused.code, 'permission_denied');
  assert.match(refused.message, /Maria has the role admin\. Owners and admins sign in with a passphrase/);
  assert.equal(await codeOf(rig.client().call('users_pin_reset', { id: admin.id })), 'permission_denied');
  const named = await failed(rig.client().call('tablets_create', { name: 'x', user_ids: [admin.id] }));
  assert.match(named.message, /Owners and admins sign in with a passphrase/);
  const invited = await rig.client().call('users_invite', { id: admin.id });
  const input = { token: invited.url.split('#invite=')[1] ?? '', passphrase: PASSPHRASE, pin: PIN };
  assert.equal(await codeOf(openBrowser(rig).client.call('invitation_accept', input)), 'permission_denied');

  const olaf = await withPin(rig, 'Olaf');
  const tablet = await openTablet(rig, { name: 'Workshop', user_ids: [olaf.id] });
  await onTablet(tablet.client, olaf.id);
  await rig.client().call('users_update', { id: olaf.id, role: 'admin' });
  assert.equal(await codeOf(tablet.client.call('session_get', {})), 'credential_invalid', 'the session has ended');
  const later = await failed(onTablet(tablet.client, olaf.id));
  assert.deepEqual([later.code, /passphrase/.test(later.message)], ['permission_denied', true]);
  assert.deepEqual((await tablet.client.call('tablet_get', {})).people, []);
});

test('[K44] a revoked tablet says why, and its person is signed out at once', async () => {
  await using rig = await startTablets();
  const olaf = await withPin(rig, 'Olaf');
  const tablet = await openTablet(rig, { name: 'Workshop', roles: ['operator'] });
  await onTablet(tablet.client, olaf.id);
  const cookie = [...tablet.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const stream = await fetch(`${rig.base}/api/v1/live?kind=dashboard&object_id=dash_1`, {
    headers: { cookie, 'headframe-page': '1', 'project-id': rig.project },
  });
  assert.equal(stream.status, 200);
  const revoked = await rig.client().call('tablets_revoke', { id: tablet.id });
  assert.equal(revoked.state, 'revoked');
  assert.match(await stream.text(), /event: gone/);
  assert.equal(await codeOf(tablet.client.call('session_get', {})), 'credential_invalid');
  const why = await failed(tablet.client.call('tablet_get', {}));
  assert.deepEqual([why.code, why.details[0]?.revoked_at], ['tablet_revoked', revoked.revoked_at]);
  assert.match(why.message, /An admin revoked the tablet Workshop/);
  assert.equal(await codeOf(onTablet(tablet.client, olaf.id)), 'tablet_revoked');
  assert.equal(await codeOf(rig.client().call('tablets_link', { id: tablet.id })), 'not_found', 'it stays revoked');
  // Without the person on its list, a session on a tablet ends, too.
  const other = await openTablet(rig, { name: 'Gate', user_ids: [olaf.id] });
  await onTablet(other.client, olaf.id);
  await rig.client().call('tablets_update', { id: other.id, user_ids: [], roles: ['operator'] });
  assert.equal(await codeOf(other.client.call('session_get', {})), 'no error', 'Olaf is an operator');
  await rig.client().call('tablets_update', { id: other.id, roles: ['mechanic'] as never });
  assert.equal(await codeOf(other.client.call('session_get', {})), 'credential_invalid');
  const types = (await rig.client().call('audit_list', { limit: 100 })).data.map(({ type }) => type);
  for (const type of ['created', 'enrolled', 'revoked', 'updated']) assert.ok(types.includes(type), type);
});

test('[A850] an admin resets a PIN without knowing the new one, and trivial PINs are refused by name', async () => {
  await using rig = await startTablets();
  const olaf = await enrol(rig, 'Olaf', 'operator');
  const tablet = await openTablet(rig, { name: 'Workshop', roles: ['operator'] });
  assert.equal(await codeOf(onTablet(tablet.client, olaf.id)), 'pin_not_set');
  const reset = await rig.client().call('users_pin_reset', { id: olaf.id });
  assert.match(reset.pin, /^\d{6}$/);
  assert.equal(reset.user.pin, 'one_time');
  assert.equal(await codeOf(onTablet(tablet.client, olaf.id, reset.pin)), 'pin_change_required');
  const choose = (new_pin: string, pin = reset.pin) =>
    tablet.client.call('tablet_sign_in', { user_id: olaf.id, pin, new_pin });
  for (const [pin, why] of [
    ['000000', 'one repeated digit'],
    ['123456', 'a rising sequence'],
    ['890123', 'a rising sequence'],
    ['654321', 'a falling sequence'],
    ['121212', 'a repeated group of digits'],
    ['407407', 'a repeated group of digits'],
    ['123321', 'the same forwards and backwards'],
    ['112233', 'pairs or triples of digits'],
    ['111222', 'pairs or triples of digits'],
    ['777787', 'only two different digits'],
    ['159753', 'one of the most common PINs'],
  ] as const) {
    const { code, message } = await failed(choose(pin));
    assert.deepEqual(
      [code, message.includes(`${pin} is easy to guess: it is ${why}`)],
      ['parameter_invalid', true],
      pin,
    );
  }
  assert.equal(await codeOf(choose(PIN)), 'no error');
  assert.equal((await rig.client().call('users_get', { id: olaf.id })).pin, 'set');
  assert.equal(await codeOf(onTablet(tablet.client, olaf.id, reset.pin)), 'sign_in_failed', 'valid once');
  assert.equal(await codeOf(onTablet(tablet.client, olaf.id)), 'no error');
  const changed = tablet.client.call('users_pin', { id: olaf.id, current: PIN, pin: '905172' });
  assert.equal((await changed).pin, 'set', 'a person changes the PIN on the tablet with the current PIN');
  assert.equal(await codeOf(tablet.client.call('session_get', {})), 'no error');

  const second = await rig.client().call('users_pin_reset', { id: olaf.id });
  assert.equal(await codeOf(tablet.client.call('session_get', {})), 'credential_invalid', 'a reset ends PIN sessions');
  rig.pass(DAY_MS);
  assert.equal(await codeOf(choose(WRONG, second.pin)), 'pin_not_set', 'a one-time PIN is valid for a day');
  const stored = JSON.stringify(await rig.store.node.get('local', olaf.id));
  for (const secret of [PIN, '905172', reset.pin, second.pin]) assert.ok(!stored.includes(secret));
  const audit = (await rig.client().call('audit_list', { of: 'gateway', subject: olaf.id })).data;
  const types = audit.map(({ type }) => type);
  assert.equal(types.filter((type) => type === 'pin_set').length, 2);
  assert.equal(types.filter((type) => type === 'pin_reset').length, 2);
});

test('[A851] a stolen database without the key file does not show whether a PIN is right', async () => {
  await using rig = await startTablets();
  const olaf = await withPin(rig, 'Olaf');
  const user = await rig.store.node.get<{ pin: { hash: string; key: string; one_time_until: null } }>('local', olaf.id);
  assert.ok(user);
  const { pin: stored } = user.data;
  assert.match(stored.hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const passphrases = createPassphrases(random);
  assert.equal(await passphrases.fits(stored.hash, PIN, { address: 'x', known: true }), false);
  const pins = createPins({ store: rig.store, now: Date.now, random, passphrases, secret: random(32) });
  const tried = { user: { id: olaf.id, name: 'Olaf' }, stored, pin: PIN, tablet: { id: 't', name: 't' }, address: 'x' };
  await assert.rejects(pins.check(tried), { code: 'pin_not_set' }, 'with a new key file a person needs a new PIN');
});

test('[A852] five wrong PINs lock the person on this tablet only, for growing times', async () => {
  await using rig = await startTablets();
  const [olaf, ada] = [await withPin(rig, 'Olaf'), await withPin(rig, 'Ada')];
  const [gate, shop] = [
    await openTablet(rig, { name: 'Gate', roles: ['operator'] }),
    await openTablet(rig, { name: 'Workshop', roles: ['operator'] }),
  ];
  // Checking a PIN takes longer than a second on a slow machine.
  rig.freeze();
  const wrong = () => failed(onTablet(gate.client, olaf.id, WRONG));
  for (const left of [4, 3, 2, 1]) assert.equal((await wrong()).details[0]?.tries_left, left);
  const fifth = await wrong();
  assert.deepEqual([fifth.code, fifth.details[0]?.why, fifth.details[0]?.retry_after_s], ['pin_locked', 'tablet', 60]);
  assert.match(fifth.message, /Olaf on this tablet\. Wait a minute, use another tablet, or ask an admin/);
  assert.equal(await codeOf(onTablet(gate.client, olaf.id)), 'pin_locked', 'also the right PIN');
  assert.equal(await codeOf(onTablet(gate.client, ada.id)), 'no error', 'another person on this tablet');
  assert.equal(await codeOf(onTablet(shop.client, olaf.id)), 'no error', 'the person on another tablet');
  const waits: unknown[] = [];
  for (let i = 0; i < 7; i++) {
    const { details } = await wrong();
    rig.pass(Number(details[0]?.retry_after_s) * 1_000);
    waits.push((await wrong()).details[0]?.retry_after_s);
  }
  assert.deepEqual(waits, [240, 960, 3_840, 15_360, 43_200, 43_200, 43_200]);
  rig.pass(-30 * DAY_MS);
  assert.equal(await codeOf(onTablet(gate.client, olaf.id)), 'pin_locked', 'the clock was set back');
  rig.pass(30 * DAY_MS + 12 * HOUR_MS);
  assert.equal(await codeOf(onTablet(gate.client, olaf.id)), 'no error');
  assert.equal((await wrong()).details[0]?.tries_left, 4, 'the right PIN ends the count');
  const audit = (await rig.client().call('audit_list', { of: 'gateway', type: 'pin_locked', subject: olaf.id })).data;
  assert.equal(audit.length, 8, 'one entry for each wrong PIN that began a wait');
  assert.deepEqual([audit[0]?.actor.name, audit[0]?.actor.type], ['Gate', 'tablet']);
});

test('[A852] a restart and a clock that is set back do not end a lock', async () => {
  await using rig = await startTablets();
  const olaf = await withPin(rig, 'Olaf');
  const user = await rig.store.node.get<{ pin: { hash: string; key: string; one_time_until: null } }>('local', olaf.id);
  assert.ok(user);
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const secret = random(32);
  let now = Date.now();
  const start = () =>
    createPins({ store: rig.store, now: () => now, random, passphrases: createPassphrases(random), secret });
  const stored = { ...(await start().seal(PIN, 'x')), one_time_until: null };
  const tried = { user: { id: olaf.id, name: 'Olaf' }, stored, tablet: { id: 't', name: 'Gate' }, address: 'x' };
  for (let i = 0; i < 5; i++) await failed(start().check({ ...tried, pin: WRONG }));
  assert.equal(await codeOf(start().check({ ...tried, pin: PIN })), 'pin_locked', 'after a restart');
  now -= 3 * DAY_MS;
  assert.equal(await codeOf(start().check({ ...tried, pin: PIN })), 'pin_locked', 'with an earlier time');
  now += MINUTE_MS;
  assert.equal(await codeOf(start().check({ ...tried, pin: PIN })), 'no error', 'not longer than the wait');
});

/** `TEST_PIN_TRIES=10000` sends that many wrong PINs. */
const TRIES = Number(process.env.TEST_PIN_TRIES ?? 200);

test('[A853] of all wrong PINs in a year the gateway checks at most 100, and the person gets in after a reset', async (t) => {
  await using rig = await startTablets();
  const olaf = await withPin(rig, 'Olaf');
  const tablets = await Promise.all(
    ['Gate', 'Workshop', 'Crusher', 'Office'].map((name) => openTablet(rig, { name, roles: ['operator'] })),
  );
  const checked = async () =>
    (await rig.store.node.get<{ in_a_row: number }>('local', `pin_guesses_${olaf.id}`))?.data.in_a_row ?? 0;
  let firstDay = 0;
  // A fifth of the tries in the first day, the others in the rest of the year, on four tablets in turn.
  for (let i = 0; i < TRIES; i++) {
    if (i === TRIES / 5) firstDay = await checked();
    const client = tablets[i % tablets.length]?.client as Client;
    const code = await codeOf(onTablet(client, olaf.id, String(200_000 + i)));
    assert.ok(code === 'sign_in_failed' || code === 'pin_locked', `${i} ${code}`);
    rig.pass(i < TRIES / 5 ? DAY_MS / (TRIES / 5) : (364 * DAY_MS) / (TRIES * 0.8));
  }
  t.diagnostic(`${TRIES} tries: ${firstDay} checked in the first day, ${await checked()} in a year`);
  assert.deepEqual([firstDay, await checked()], [30, 100]);
  const client = tablets[0]?.client as Client;
  const blocked = await failed(onTablet(client, olaf.id));
  assert.deepEqual([blocked.code, blocked.details[0]?.why], ['pin_locked', 'row']);
  const { pin } = await rig.client().call('users_pin_reset', { id: olaf.id });
  const back = await client.call('tablet_sign_in', { user_id: olaf.id, pin, new_pin: '905172' });
  assert.equal(back.name, 'Olaf');
});

test('[A853] concurrent tries do not pass the limits', async () => {
  await using rig = await startTablets();
  const olaf = await withPin(rig, 'Olaf');
  const { client } = await openTablet(rig, { name: 'Gate', roles: ['operator'] });
  const codes = await Promise.all(
    Array.from({ length: 40 }, (_, i) => codeOf(onTablet(client, olaf.id, String(300_000 + i)))),
  );
  assert.ok(codes.filter((code) => code === 'sign_in_failed').length <= 4, codes.join());
  const stored = await rig.store.node.get<{ in_a_row: number }>('local', `pin_guesses_${olaf.id}`);
  assert.ok((stored?.data.in_a_row ?? 99) <= 5);
});
