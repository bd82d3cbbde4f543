/**
 * Attacks the sign-in of a gateway process from outside, and prints what each attack reached: `npm run proof:sign-in`. The addresses of the
 * attackers are addresses of the loopback network. Exits with 1 if an attack reached more than it may.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '#contract/client.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');
const PASSPHRASE = 'seven quiet haul roads';
const PIN = '730164';
const data = mkdtempSync(join(tmpdir(), 'headframe-attack-'));
const off = [
  '--port',
  '0',
  '--mqtt-port',
  '0',
  '--bucket-port',
  '0',
  '--log',
  'error',
  '--mdns',
  'off',
  '--data',
  data,
];
const child = spawn(process.execPath, [CLI, 'start', ...off, '--host', '0.0.0.0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, HEADFRAME_API_KEY: OWNER_KEY },
});
const base = await new Promise<string>((resolve) =>
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"event":"ready"')) resolve(String(JSON.parse(line).http));
  }),
);
const port = Number(new URL(base).port);

interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly ms: number;
}

/** Sends a request from an address of the loopback network. */
function send(
  method: string,
  path: string,
  of: { from?: string; headers?: Record<string, string>; body?: object | string } = {},
): Promise<Answer> {
  const began = performance.now();
  const body = of.body === undefined ? undefined : typeof of.body === 'string' ? of.body : JSON.stringify(of.body);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        localAddress: of.from ?? '127.0.0.1',
        agent: false,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...of.headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const code = /"code":"(\w+)"/.exec(text)?.[1] ?? null;
          resolve({
            status: response.statusCode ?? 0,
            code,
            headers: response.headers,
            text,
            ms: performance.now() - began,
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const rows: { readonly attack: string; readonly reached: string; readonly good: boolean }[] = [];
const tell = (attack: string, reached: string, good: boolean) => {
  rows.push({ attack, reached, good });
  process.stdout.write(`${good ? 'ok  ' : 'BAD '} ${attack}: ${reached}\n`);
};
const tally = (answers: readonly Answer[]) =>
  Object.entries(Object.groupBy(answers, ({ status, code }) => `${status} ${code ?? ''}`.trim()))
    .map(([name, found]) => `${found?.length} x ${name}`)
    .join(', ');
const cookieOf = (answer: Answer) => (answer.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
const signIn = (name: string, passphrase: string, from: string, headers: Record<string, string> = {}) =>
  send('POST', '/api/v1/session', { from, headers, body: { name, passphrase, remember: false } });
const tokenOf = (url: string) => url.replace(/^.*=/, '');
const percentile = (values: readonly number[], p: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))] ?? 0;

/** Sends many requests, so many at a time. The gateway delays repeated refusals by a second. */
async function inLanes(count: number, lanes: number, one: (i: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  const lane = async (first: number) => {
    for (let i = first; i < count; i += lanes) answers.push(await one(i));
  };
  await Promise.all(Array.from({ length: lanes }, (_, first) => lane(first)));
  return answers;
}

const owner = createClient({ base_url: base, key: OWNER_KEY });
const { project } = await owner.call('projects_create', { name: 'Quarry' });
const site = createClient({ base_url: base, key: OWNER_KEY, project_id: project.id });

/** Makes a person in the way of an admin and of the person. */
async function addPerson(name: string, role: 'mechanic' | 'operator' | 'supervisor', from: string) {
  const { id } = await owner.call('users_create', { name, role });
  const { url } = await owner.call('users_invite', { id });
  const token = tokenOf(url);
  const body = { token, passphrase: PASSPHRASE, pin: PIN, remember: true };
  const accepted = await send('POST', '/api/v1/invitation-acceptances', { from, body });
  return { id, token, cookie: cookieOf(accepted) };
}
const page = { 'headframe-page': '1' };
const withPage = (cookie: string, more: Record<string, string> = {}) => ({ cookie, ...page, ...more });

const ana = await addPerson('Ana', 'mechanic', '127.1.0.1');
const me = '/api/v1/session';

// The session of a person, used by others.
const stolen: [string, Record<string, string>, number][] = [
  ['the own page', withPage(ana.cookie), 200],
  [
    'the cookie without the header of a page, as a form or an image of another site sends it',
    { cookie: ana.cookie },
    401,
  ],
  [
    'a page of another site that sends credentials',
    withPage(ana.cookie, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }),
    403,
  ],
  [
    'a page of another port of the gateway',
    withPage(ana.cookie, { origin: `http://127.0.0.1:${port + 1}`, 'sec-fetch-site': 'same-site' }),
    403,
  ],
  ['a frame without an origin', withPage(ana.cookie, { origin: 'null' }), 403],
  ['the token of the session as a bearer key', { authorization: `Bearer ${ana.cookie.split('=')[1] ?? ''}` }, 401],
  [
    'a name that an attacker lets point to the gateway (DNS rebinding)',
    withPage(ana.cookie, { host: `evil.example:${port}` }),
    421,
  ],
];
for (const [what, headers, wanted] of stolen) {
  const answer = await send('GET', me, { headers });
  tell(`session: ${what}`, tally([answer]), answer.status === wanted);
}
const preflight = await send('OPTIONS', me, {
  headers: {
    origin: 'https://evil.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'headframe-page',
  },
});
tell(
  'session: preflight of another site',
  `${preflight.status}, allow-origin ${preflight.headers['access-control-allow-origin'] ?? 'absent'}`,
  preflight.headers['access-control-allow-origin'] === undefined,
);
for (const [what, path] of [
  ['REST', '/api/v1/project-live'],
  ['MCP', '/mcp'],
  ['display link', `/api/v1/live/${'s'.repeat(43)}`],
] as const) {
  const headers = withPage(ana.cookie, { origin: 'https://evil.example', accept: 'text/event-stream' });
  const answer = await send('GET', path, { headers });
  tell(`a stream with a foreign origin, ${what}`, tally([answer]), answer.status === 403);
}
const socket = await send('GET', '/mqtt', {
  headers: {
    origin: 'https://evil.example',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'sec-websocket-protocol': 'mqtt',
  },
}).catch((error: Error) => ({ status: 0, code: error.message }));
tell('a WebSocket with a foreign origin', `${socket.status} ${socket.code}`, socket.status !== 101);
const form = await send('POST', me, {
  headers: {
    'content-type': 'text/plain',
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
  },
  body: JSON.stringify({ name: 'Ana', passphrase: PASSPHRASE }),
});
tell('a form of another site signs a person in', tally([form]), form.status === 403);
const noOrigin = await send('DELETE', me, { headers: withPage(ana.cookie) });
tell(
  'a write with the session and without an origin',
  tally([noOrigin]),
  noOrigin.status === 401 || noOrigin.status === 403,
);
for (const path of ['/', '/tv', '/trust', '/docs', '/report/x', '/healthz', me]) {
  const { headers } = await send('GET', path);
  const framed = headers['x-frame-options'] ?? '';
  const good =
    /^(DENY|SAMEORIGIN)$/.test(String(framed)) &&
    String(headers['content-security-policy']).includes("frame-ancestors 'none'");
  tell(
    `a frame around ${path}`,
    `${framed}, ${/frame-ancestors [^;]+/.exec(String(headers['content-security-policy']))?.[0] ?? 'no policy'}`,
    good,
  );
}
const other = { origin: `http://127.0.0.1:${port}` };
await send('DELETE', me, { headers: withPage(ana.cookie, other) });
const replayed = await send('GET', me, { headers: withPage(ana.cookie) });
tell('session: replayed after sign-out', tally([replayed]), replayed.code === 'credential_invalid');
const reused = await send('POST', '/api/v1/invitation-acceptances', {
  body: { token: ana.token, passphrase: 'another quiet haul road' },
});
tell('an invitation used twice', tally([reused]), reused.code === 'invitation_invalid');

// Guessing passphrases from one address that lies about itself.
const liars = await inLanes(100, 20, (i) => {
  const lie = `10.0.0.${i}`;
  const headers = { 'x-forwarded-for': lie, forwarded: `for=${lie}`, 'x-real-ip': lie };
  return signIn('Ana', `wrong passphrase ${i}`, '127.2.0.1', headers);
});
const checkedOfLiars = liars.filter(({ code }) => code === 'sign_in_failed').length;
tell(
  '100 wrong passphrases from one address with a false X-Forwarded-For',
  `${checkedOfLiars} checked, ${tally(liars)}`,
  checkedOfLiars <= 10,
);
const home = await signIn('Ana', PASSPHRASE, '127.1.0.1');
tell('Ana signs in from the usual address meanwhile', tally([home]), home.status === 201);

// Colleagues behind the address of the attacker: one of them has signed in there before, one has not.
const ben = await addPerson('Ben', 'operator', '127.2.0.1');
const benIn = await signIn('Ben', PASSPHRASE, '127.2.0.1');
tell(
  'a colleague behind the address of the attacker, who accepted an invitation there',
  tally([benIn]),
  ben.cookie !== '' && benIn.status === 201,
);

// A storm from 1,000 addresses on one account, with many sign-ins at the same time. Pages are read meanwhile.
await addPerson('Cora', 'supervisor', '127.1.0.2');
/** Reads pages one after the other until it is told to stop; returns the times in milliseconds. */
function readPages(): () => Promise<number[]> {
  const times: number[] = [];
  let isReading = true;
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project.id };
  const reading = (async () => {
    while (isReading) times.push((await send('GET', '/api/v1/equipment', { from: '127.1.0.9', headers })).ms);
  })();
  return async () => {
    isReading = false;
    await reading;
    return times;
  };
}
const shown = (times: readonly number[]) =>
  `${times.length} reads, p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`;
const stopCalm = readPages();
await new Promise((done) => setTimeout(done, 5_000));
tell('pages before the storm', shown(await stopCalm()), true);
const stopReads = readPages();
const began = performance.now();
const storm: Answer[] = [];
const lanes = Array.from({ length: 50 }, async (_, lane) => {
  for (let i = lane; i < 3_000; i += 50)
    storm.push(await signIn('Cora', `guess ${i}`, `127.3.${Math.floor((i % 1_000) / 250)}.${(i % 250) + 1}`));
});
const coraTries: Answer[] = [];
const cora = (async () => {
  while (performance.now() - began < 60_000) {
    const answer = await signIn('Cora', PASSPHRASE, '127.1.0.2');
    coraTries.push(answer);
    if (answer.status === 201) return;
    await new Promise((done) => setTimeout(done, 500));
  }
})();
await Promise.all([...lanes, cora]);
const reads = await stopReads();
const seconds = (performance.now() - began) / 1_000;
const checked = storm.filter(({ code }) => code === 'sign_in_failed').length;
tell(
  '3,000 wrong passphrases of one account from 1,000 addresses, 50 at a time',
  `${checked} checked in ${seconds.toFixed(1)} s; ${tally(storm)}`,
  checked <= 60,
);
tell(
  'that person signs in from the usual address during the storm',
  `${coraTries.length} tries, ${coraTries.at(-1)?.ms.toFixed(0)} ms`,
  coraTries.at(-1)?.status === 201,
);
tell('pages during the storm', shown(reads), percentile(reads, 0.99) < 1_000);

// Sign-ins of unknown names: each costs one hash. The queue must stay bounded, and pages fast.
const spray: Answer[] = [];
const stopSpray = readPages();
const sprayBegan = performance.now();
await Promise.all(
  Array.from({ length: 100 }, async (_, lane) => {
    for (let i = lane; i < 800; i += 100)
      spray.push(await signIn(`Nobody ${i}`, `guess ${i}`, `127.4.${Math.floor((i % 1_000) / 250)}.${(i % 250) + 1}`));
  }),
);
const known = await signIn('Cora', PASSPHRASE, '127.1.0.2');
const sprayReads = await stopSpray();
tell(
  '800 sign-ins of unknown names from 1,000 addresses, 100 at a time',
  `${((performance.now() - sprayBegan) / 1_000).toFixed(1)} s; ${tally(spray)}`,
  spray.every(({ status }) => status === 403 || status === 429),
);
tell('pages meanwhile', shown(sprayReads), percentile(sprayReads, 0.99) < 1_000);
tell(
  'a person from a known address right after',
  `${tally([known])} in ${known.ms.toFixed(0)} ms`,
  known.status === 201,
);

// 10,000 wrong PINs on four enrolled tablets.
const tablets: string[] = [];
for (let i = 0; i < 4; i++) {
  const made = await site.call('tablets_create', { name: `Tablet ${i}`, roles: ['mechanic'] });
  const answer = await send('POST', '/api/v1/tablet-enrolments', {
    from: `127.5.0.${i + 1}`,
    body: { token: tokenOf(made.url) },
    headers: other,
  });
  tablets.push(cookieOf(answer));
}
const withoutTablet = await send('POST', '/api/v1/tablet/session', {
  headers: { ...page, ...other },
  body: { user_id: ana.id, pin: PIN },
});
tell('a right PIN without an enrolled tablet', tally([withoutTablet]), withoutTablet.status === 401);
const pinBegan = performance.now();
const pins = await inLanes(10_000, 240, (i) =>
  send('POST', '/api/v1/tablet/session', {
    from: `127.5.0.${(i % 4) + 1}`,
    headers: { ...withPage(tablets[i % 4] ?? ''), ...other },
    body: { user_id: ana.id, pin: String(100_000 + i * 7) },
  }),
);
const checkedPins = pins.filter(({ code }) => code === 'sign_in_failed').length;
tell(
  '10,000 wrong PINs of one person on four tablets',
  `${checkedPins} answered as wrong in ${((performance.now() - pinBegan) / 1_000).toFixed(0)} s; ${tally(pins)}`,
  pins.length === 10_000 && checkedPins <= 30,
);
const byPassphrase = await signIn('Ana', PASSPHRASE, '127.1.0.1');
tell('Ana signs in with the passphrase afterwards', tally([byPassphrase]), byPassphrase.status === 201);
const reset = await owner.call('users_pin_reset', { id: ana.id });
const byPin = await send('POST', '/api/v1/tablet/session', {
  from: '127.5.0.1',
  headers: { ...withPage(tablets[0] ?? ''), ...other },
  body: { user_id: ana.id, pin: reset.pin, new_pin: '481905' },
});
tell('Ana signs in with the one-time PIN after the reset', tally([byPin]), byPin.status === 201);

child.kill('SIGTERM');
await once(child, 'exit');
rmSync(data, { recursive: true, force: true });
process.stdout.write(
  `\n| attack | what it reached |\n|---|---|\n${rows.map(({ attack, reached }) => `| ${attack} | ${reached} |`).join('\n')}\n`,
);
process.exitCode = rows.every(({ good }) => good) ? 0 : 1;
