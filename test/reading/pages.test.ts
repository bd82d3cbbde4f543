/** The page of a project: what of it is read, and which addresses the gateway never asks. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { planSite } from '#domain/planner/plan.ts';
import { withPage } from '#domain/setup/page-proposals.ts';
import { startSetups } from '#gateway/runs/setup-kind.ts';
import { createSetupWriter } from '#handlers/setup/setup-writer.ts';
import { fetchPage, isPublic, type PageOptions } from '#reading/page-fetch.ts';
import { createSiteReader } from '#reading/setup-reader.ts';
import { openRig } from '#test/support/handler-rig.ts';
import { until } from '#test/support/until.ts';

const NEVER = new AbortController().signal;

/** A server whose address stands for a public one; every other address is judged as usual. */
async function serve(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  const options: PageOptions = {
    resolve: async (host) => (host === 'site.example' ? ['127.0.0.1'] : ['10.0.0.9']),
    permits: (address) => address === '127.0.0.1',
    permitsPort: (given) => given === String(port),
  };
  return {
    options,
    url: `http://site.example:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** The run of a setup of a project with this prompt and the page of the site. The setup must make HT-01 and no other machine. */
async function setUpWith(site: { readonly options: PageOptions; readonly url: string }, prompt: string) {
  await using rig = await openRig();
  await using _ = startSetups({
    store: rig.store,
    clock: rig.clock,
    random: (bytes) => new Uint8Array(randomBytes(bytes)),
    log: () => undefined,
    write: createSetupWriter(rig.ownWork),
    reader: createSiteReader({ page: site.options }),
  });
  const { project, setup } = await rig.call('projects_create', { name: 'Harrow', prompt, url: site.url, setup: true });
  const read = () => rig.call('tasks_get', { task_id: setup?.task.id ?? '' }, { project: project.id });
  await until(async () => (await read()).run?.terminal_event_count === 1, 'the setup ends');
  const { run } = await read();
  assert.equal(run?.status, 'completed', run?.error_json?.message);
  const units = (await rig.call('equipment_list', {}, { project: project.id })).data.map((one) => one.unit_number);
  assert.deepEqual(units, ['HT-01']);
  return run;
}

const PAGE = `<!DOCTYPE html><html><head><title>Harrow</title><style>p { color: red }</style></head><body>
<script>document.write("HT-99 is a Cat 777G haul truck.")</script><!-- HT-98 is a Cat 777G haul truck. -->
<h1>Harrow Hill Quarry</h1><p>We work in <b>North Pit</b> &amp; East Pit.<br>Our fleet:</p>
<table><tr><th>Unit</th><th>Type</th><th>Make</th></tr><tr><td>HT-01</td><td>haul truck</td><td></td></tr>
<tr><td>HT-02</td><td>haul truck</td><td>Caterpillar</td></tr></table></body></html>`;

test('[Q34] the text of a page is read without its scripts, and nothing of it is made', async () => {
  await using site = await serve((_, response) => response.setHeader('content-type', 'text/html').end(PAGE));
  const reader = createSiteReader({ page: site.options });
  const page = await reader.page(site.url, NEVER);
  assert.deepEqual(page.text.split('\n'), [
    'Harrow Hill Quarry',
    'We work in North Pit & East Pit.',
    'Our fleet:',
    'Unit; Type; Make',
    'HT-01; haul truck;',
    'HT-02; haul truck; Caterpillar',
  ]);
  const run = await setUpWith(site, 'HT-01 is a Cat 777G haul truck in North Pit. Day shift 07:00 to 15:00.');
  const proposed = run?.gaps.find(({ code }) => code === 'unconfirmed_machines');
  assert.deepEqual(proposed?.proposal?.objects, [
    { unit_number: 'HT-02', kind: 'haul_truck', oem_name: 'Caterpillar' },
  ]);
  assert.ok(proposed?.message.includes(site.url));
});

/** The gaps of a setup whose project has this page. */
async function gapsOf(page: string) {
  await using site = await serve((_, response) => response.setHeader('content-type', 'text/html').end(page));
  const run = await setUpWith(
    site,
    'HT-01 is a Cat 777G haul truck in North Pit. A screen in the canteen with machine status.',
  );
  return (run?.gaps ?? []).map(({ code, message, proposal }) => ({ code, message, objects: proposal?.objects ?? [] }));
}

test('[Q34] what the planner doubts in a page is proposed or a gap, and so is a page that says nothing', async () => {
  const doubts = await gapsOf(`<html><body><p>HT-02 is perhaps a Cat 777G haul truck.</p>
<p>We have about ten trucks. Crew A and crew B work here. A screen in the workshop with open tickets.</p></body></html>`);
  assert.ok(doubts.some(({ objects }) => objects.some(({ unit_number }) => unit_number === 'HT-02')));
  assert.ok(doubts.some(({ code, message }) => code === 'missing_inventory' && message.includes('site.example')));
  assert.ok(doubts.some(({ code }) => code === 'unconfirmed_boards'));
  assert.ok(doubts.some(({ message }) => /names crews: crew A, crew B/i.test(message)));
  const programs = await gapsOf('<html><body><p>You need to enable JavaScript to run this app.</p></body></html>');
  assert.match(programs.find(({ code }) => code === 'page_not_read')?.message ?? '', /says nothing that the planner/);
  const large = await gapsOf('<html><body><p>HT-01 is a haul truck. We have 5000 haul trucks.</p></body></html>');
  assert.match(large.find(({ code }) => code === 'page_not_read')?.message ?? '', /cannot be planned: The text names/);
  const same = await gapsOf('<html><body><p>HT-01 is a Cat 777G haul truck in North Pit.</p></body></html>');
  assert.deepEqual(same, []);
});

test('[Q34] machines in doubt whose numbers the planner made are told, and not proposed', () => {
  const plan = planSite('HT-01 is a Cat 777G haul truck.');
  const page = planSite('HT-02 is perhaps a Cat 777G haul truck. Perhaps there are two wheel loaders.');
  const doubted = page.gaps.flatMap(({ proposal }) => proposal?.equipment ?? []);
  assert.deepEqual(
    doubted.map(({ generated }) => generated),
    [false, true, true],
  );
  const gaps = withPage(plan, page, 'https://site.example').gaps.filter(({ code }) => code === 'unconfirmed_machines');
  assert.deepEqual(
    gaps.map(({ proposal }) => proposal?.equipment?.map(({ unit_number }) => unit_number)),
    [['HT-02'], undefined],
  );
  assert.match(gaps[1]?.message ?? '', /^The page https:\/\/site\.example: /);
  assert.match(gaps[1]?.remedy ?? '', /write their number or their unit numbers/);
});

test('[Q34] the objects of the description are read once, whatever a page has in doubt', () => {
  const one = planSite('HT-01 is a Cat 777G haul truck.');
  const page = planSite('HT-02 is perhaps a Cat 777G haul truck.');
  let reads = 0;
  const [machine] = one.equipment;
  assert.ok(machine);
  const counted = {
    ...machine,
    get unit_number() {
      reads++;
      return machine.unit_number;
    },
  };
  const [gap] = page.gaps;
  assert.ok(gap?.proposal);
  const many = { ...page, gaps: Array.from({ length: 500 }, () => gap) };
  assert.equal(withPage({ ...one, equipment: [counted] }, many, 'https://site.example').gaps.length, 500);
  assert.equal(reads, 1);
});

test('[Q34] a page without end tags is read', async () => {
  await using site = await serve((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/head') response.end('<html><head><title>Fleet</title><meta charset=utf-8><body>Two loaders.');
    else if (request.url === '/select') response.end('<html><body><select><option>All</select><select>Two loaders.');
    else if (request.url === '/many') response.end(`<html><body>${'<nav>'.repeat(200_000)}Two loaders.`);
    else response.end('<html><head><script>made()</script></head><body></body></html>');
  });
  const reader = createSiteReader({ page: site.options });
  for (const path of ['head', 'select', 'many'])
    assert.equal((await reader.page(`${site.url}/${path}`, NEVER)).text.trim(), 'Two loaders.', path);
  const { text, gaps } = await reader.page(`${site.url}/program`, NEVER);
  assert.deepEqual([text, gaps[0]?.code], ['', 'page_not_read']);
});

test('[Q34] addresses of the site, of this gateway and of clouds are never asked, however they are written', async () => {
  const addresses = [
    ...['http://127.0.0.1/', 'http://localhost/', 'http://127.1/', 'http://2130706433/', 'http://0x7f000001/'],
    ...['http://0177.0.0.1/', 'http://0/', 'http://[::1]/', 'http://[::]/', 'http://[::ffff:127.0.0.1]/'],
    ...['http://[::ffff:7f00:1]/', 'http://10.0.0.1/', 'http://172.16.0.1/', 'http://172.31.255.255/'],
    ...['http://192.168.1.1/', 'http://169.254.169.254/latest/meta-data/', 'http://100.64.0.1/'],
    ...['http://100.100.100.200/', 'http://[fd00:ec2::254]/', 'http://[fc00::1]/', 'http://[fe80::1]/'],
    ...['http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/', 'http://0.0.0.0/', 'http://255.255.255.255/'],
    ...['http://224.0.0.1/', 'http://198.18.0.1/', 'http://192.0.2.1/'],
  ].map((url) => [url, /in the network of the site/] as const);
  const others = [
    ...['file:///etc/passwd', 'ftp://example.com/', 'data:text/html,x', 'gopher://example.com/', 'no address'].map(
      (url) => [url, /no web address/] as const,
    ),
    ['http://user:secret@example.com/', /name or a password/],
    ['http://example.com:22/', /ports 80 and 443/],
    ['https://example.com:8480/', /ports 80 and 443/],
  ] as const;
  const resolve = async (host: string) => (host === 'localhost' ? ['127.0.0.1', '::1'] : ['93.184.215.14']);
  for (const [url, message] of [...addresses, ...others])
    await assert.rejects(fetchPage(url, { resolve, within_ms: 2_000 }), message, url);
});

test('[Q34] public addresses in the networks of the gateway are never asked', async () => {
  const interfaces = ['203.0.114.5/24', '2a00:1450:7::5/64', 'fe80::1/64'];
  const ask = (address: string) =>
    fetchPage('http://plc.example/', { resolve: async () => [address], interfaces, within_ms: 300 });
  for (const address of ['203.0.114.5', '203.0.114.77', '2a00:1450:7::5', '2a00:1450:7::9a'])
    await assert.rejects(ask(address), /in the network of the site/, address);
  // These are asked, so the test only judges them.
  for (const address of ['203.0.115.77', '2a00:1450:8::9a']) assert.ok(isPublic(address, interfaces), address);
});

test('[Q34] only a permitted address of a name is asked, and a stop ends the request at once', async () => {
  await using site = await serve((request, response) => {
    if (request.url === '/slow') response.write('a');
    else response.end('Two loaders.');
  });
  const options = { ...site.options, resolve: async () => ['10.0.0.9', '127.0.0.1'] };
  assert.equal(Buffer.from((await fetchPage(site.url, options)).content).toString(), 'Two loaders.');
  const stop = new AbortController();
  const reading = createSiteReader({ page: options }).page(`${site.url}/slow`, stop.signal);
  stop.abort(new Error('the gateway stops'));
  await assert.rejects(reading, /the gateway stops/);
});

test('[Q34] a redirect is checked like the first address, and ends after three', async () => {
  await using site = await serve(({ url = '' }, response) => {
    const to = url === '/inside' ? 'http://intranet.example/' : url === '/own' ? 'http://127.0.0.1:1/' : '/again';
    response.writeHead(302, { location: to }).end();
  });
  // The name leads into the network of the site, or the port is another one: both are refused.
  const { port } = new URL(site.url);
  const inside = { ...site.options, permitsPort: (given: string) => given === port || given === '' };
  await assert.rejects(fetchPage(`${site.url}/inside`, inside), /in the network of the site/);
  await assert.rejects(fetchPage(`${site.url}/own`, site.options), /ports 80 and 443/);
  await assert.rejects(fetchPage(`${site.url}/again`, site.options), /more than 3 times/);
});

test('[Q34] without internet, and for a page that is too large, packed, slow or missing, the gap says why', async () => {
  await using site = await serve(({ url }, response) => {
    if (url === '/large') response.end(Buffer.alloc(1024 * 1024 + 1, 'a'));
    else if (url === '/packed') response.setHeader('content-encoding', 'gzip').end(gzipSync('a'.repeat(9_000_000)));
    else if (url === '/slow') response.write('a');
    else response.writeHead(404).end();
  });
  const reader = createSiteReader({ page: { ...site.options, within_ms: 500 } });
  const gapOf = async (url: string) => {
    const { text, gaps } = await reader.page(url, NEVER);
    assert.equal(text, '');
    assert.equal(gaps[0]?.code, 'page_not_read');
    assert.match(gaps[0]?.remedy ?? '', /Copy the text/);
    return gaps[0]?.message ?? '';
  };
  assert.match(await gapOf(`${site.url}/large`), /more than 1 MiB/);
  assert.match(await gapOf(`${site.url}/packed`), /packs its answer \(gzip\)/);
  assert.match(await gapOf(`${site.url}/slow`), /did not answer within 0\.5 s/);
  assert.match(await gapOf(`${site.url}/gone`), /answered 404/);
  const offline = createSiteReader({
    page: { resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'EAI_AGAIN' })) },
  });
  const [gap] = (await offline.page('https://example.com/', NEVER)).gaps;
  assert.match(gap?.message ?? '', /not reached \(EAI_AGAIN\).*may have no internet/);
});
