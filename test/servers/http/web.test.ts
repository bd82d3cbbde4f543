/** The pages at the addresses that people type. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import express from 'express';
import { createWeb } from '#servers/http/web.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-web-'));
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'tv.html'), '<title>player</title>');
writeFileSync(join(folder, 'report.html'), '<title>fault page</title>');
writeFileSync(join(folder, 'index.html'), '<title>office</title>');
writeFileSync(join(folder, 'assets', 'tv-now.js'), 'export {};');
const app = express();
app.disable('x-powered-by');
app.use(createWeb(folder, () => true));
app.use((_request, response) => {
  response.status(404).json({ error: { code: 'route_not_found' } });
});
let base = '';
const server = app.listen(0, '127.0.0.1');

before(async () => {
  if (!server.listening) await new Promise((done) => server.once('listening', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
const open = (path: string) => fetch(base + path, { ...BROWSER, redirect: 'manual' });

test('[W247] /tv in any case and with final slashes is redirected, with token and query', async () => {
  const rows: [string, string][] = [
    ['/tv/', '/tv'],
    ['/TV', '/tv'],
    ['/Report/flt_AbC/', '/report/flt_AbC'],
    ['/Tv//', '/tv'],
    ['/TV/dsp_AbC', '/tv/dsp_AbC'],
    ['/tv/dsp_AbC/?scale=1.2', '/tv/dsp_AbC?scale=1.2'],
    ['/DOCS/', '/docs'],
  ];
  for (const [typed, right] of rows) {
    const answer = await open(typed);
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, right], typed);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  }
  const report = await open('/report/flt_AbC');
  assert.deepEqual([report.status, report.headers.get('x-robots-tag')], [200, 'noindex, nofollow']);
  assert.match(await report.text(), /fault page/);
  for (const path of ['/tv', '/tv/dsp_AbC', '/tv/%zz', '/tv/x?preview']) {
    const answer = await open(path);
    assert.equal(answer.status, 200, path);
    assert.match(await answer.text(), /player/);
    assert.equal(answer.headers.get('x-robots-tag'), 'noindex, nofollow');
  }
});

test('[W247] the redirect never leads to another host', async () => {
  for (const typed of ['/TV//evil.example/', '/TV/\\evil.example/', '/tv/..//evil.example/']) {
    const answer = await open(typed);
    const location = answer.headers.get('location');
    if (location !== null) assert.equal(new URL(location, base).origin, base, typed);
  }
});

test('[W248] at an unknown address a browser gets a page, and a program the error object', async () => {
  const person = await open('/tv/a/b');
  assert.equal(person.status, 404);
  assert.match(person.headers.get('content-type') ?? '', /text\/html/);
  assert.match(await person.text(), /There is no such page.*href="\/tv"/s);
  for (const headers of [{ accept: '*/*' }, { accept: 'application/json' }]) {
    const program = await fetch(`${base}/nothing`, { headers });
    assert.deepEqual([program.status, await program.json()], [404, { error: { code: 'route_not_found' } }]);
  }
  const written = await fetch(`${base}/TV`, { ...BROWSER, method: 'POST', redirect: 'manual' });
  assert.equal(written.status, 404);
});

test('[W249] a missing player script is answered with a script that loads the new page; other files are 404', async () => {
  const old = await open('/assets/tv-before.js');
  assert.equal(old.status, 200);
  assert.equal(old.headers.get('cache-control'), 'no-store');
  assert.match(old.headers.get('content-type') ?? '', /javascript/);
  assert.match(await old.text(), /location\.reload\(\)/);
  const now = await open('/assets/tv-now.js');
  assert.match(now.headers.get('cache-control') ?? '', /immutable/);
  assert.equal(await now.text(), 'export {};');
  for (const path of ['/assets/index-before.js', '/assets/tv-before.css', '/assets/../tv-x.js'])
    assert.equal((await open(path)).status, 404, path);
});
