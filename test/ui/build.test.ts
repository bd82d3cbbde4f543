/** The built pages: sizes, no inline code, no foreign addresses, build id. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildUi, uiBuildId, uiIsStale } from '#ui/build.ts';

const dist = new URL('../../ui/dist/', import.meta.url);
if (await uiIsStale()) await buildUi();

const read = (path: string) => readFileSync(new URL(path, dist), 'utf8');
const assets = readdirSync(new URL('assets/', dist));
const size = (pattern: RegExp) =>
  assets
    .filter((name) => pattern.test(name))
    .reduce((sum, name) => sum + gzipSync(readFileSync(new URL(`assets/${name}`, dist)), { level: 9 }).length, 0);

test('[U22] the TV script has at most 24.6 kB gzipped before the first picture, and 45 kB with every kind of tile', () => {
  const html = read('tv.html');
  const entry = /src="\/assets\/([^"]+\.js)"/.exec(html)?.[1] ?? '';
  const parts = [...html.matchAll(/rel="modulepreload"[^>]*href="\/assets\/([^"]+\.js)"/g)].map(([, name]) => name);
  const of = (name: string | undefined) => size(new RegExp(`^${name}$`));
  const first = [entry, ...parts].reduce((sum, name) => sum + of(name), 0);
  assert.ok(of(entry) > 0 && first <= 24_600, `${first} bytes`);
  const all = assets.filter(
    (name) => /^tv-.*\.js$/.test(name) && !/pairing|wall|day-(de|es|fr|pt)-|shown|made|pseudo/.test(name),
  );
  assert.ok(all.length >= 10, `${all}`);
  const whole = all.reduce((sum, name) => sum + of(name), 0);
  assert.ok(whole <= 45_000, `${whole} bytes`);
  const late = all.filter((name) => name !== entry && !parts.includes(name));
  for (const name of late) assert.ok(of(name) <= (/trouble/.test(name) ? 4_700 : 3_400), `${name}: ${of(name)}`);
  assert.ok(size(/^tv-.*\.css$/) <= 8_000);
  const fonts = assets.filter((name) => name.endsWith('.woff2'));
  assert.equal(fonts.length, 1);
  assert.ok(readFileSync(new URL(`assets/${fonts[0]}`, dist)).length <= 48 * 1024);
});

test('[U455] no script of the TV page has spread arguments in a call after optional chaining', () => {
  const scripts = assets.filter((name) => /^tv-.*\.js$/.test(name)).map((name) => read(`assets/${name}`));
  assert.ok(
    scripts.some((script) => /\?\.\w/.test(script)),
    'the compiler keeps optional chaining',
  );
  for (const script of scripts) assert.doesNotMatch(script, /\?\.[\w$.[\]]*\([^()]*\.\.\./);
});

test('[U280] [U383] a language is a file of its own, which a screen loads only if it uses the language', () => {
  const html = read('tv.html');
  const languages = assets.filter((name) => /^tv-wall-(de|es|fr|pt)-[\w-]{8}\.js$/.test(name));
  assert.equal(languages.length, 4);
  for (const name of languages) {
    assert.ok(size(new RegExp(`^${name}$`)) <= 6_600, name);
    assert.ok(!html.includes(name));
  }
  // A wall loads the texts of the summary of a day only for boards with such a tile.
  const days = assets.filter((name) => /^tv-day-(de|es|fr|pt)-[\w-]{8}\.js$/.test(name));
  assert.equal(days.length, 4);
  for (const name of days) {
    assert.ok(size(new RegExp(`^${name}$`)) <= 1_200, name);
    assert.ok(!html.includes(name));
  }
  const told = assets.filter((name) => /^index-(de|es|fr|pt)-[\w-]{8}\.js$/.test(name));
  assert.equal(told.length, 4);
  const office = read('index.html');
  for (const name of told) assert.ok(!office.includes(name), name);
  // What puts values and texts of the gateway into words is loaded with the first language.
  assert.ok(size(/^tv-(wall|shown|made)-[\w-]{8}\.js$/) <= 3_800);
});

test('[U98] the office page has at most 120 kB of gzipped script until its first page is open', () => {
  const html = read('index.html');
  const entry = /src="\/assets\/([^"]+\.js)"/.exec(html)?.[1] ?? '';
  const script = read(`assets/${entry}`);
  const page = (name: string) =>
    new RegExp(`assets/(index-${name}-[\\w-]+\\.js)|\\./(index-${name}-[\\w-]+\\.js)`).exec(script);
  const loaded = new Set([entry]);
  /** Adds the files that a file imports when it is loaded. */
  const follow = (name: string): void => {
    for (const [, other] of read(`assets/${name}`).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) {
      if (other === undefined || loaded.has(other)) continue;
      loaded.add(other);
      follow(other);
    }
  };
  follow(entry);
  for (const name of ['machines', 'now']) {
    const found = page(name);
    const file = found?.[1] ?? found?.[2];
    assert.ok(file !== undefined, name);
    loaded.add(file);
    follow(file);
  }
  const bytes = [...loaded].reduce((sum, name) => sum + size(new RegExp(`^${name}$`)), 0);
  assert.ok(bytes > 20_000 && bytes <= 120_000, `${bytes} bytes: ${[...loaded]}`);
});

test('[U21] pages have no inline script or style and no address of another host', () => {
  for (const page of ['tv.html', 'index.html', 'report.html']) {
    const html = read(page);
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)/);
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=/);
    assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//);
    // The gateway builds the pages for old TVs itself.
    for (const [, path] of html.matchAll(/(?:src|href)="\/(?!tv\/lite")([^"]+)"/g))
      assert.ok(existsSync(new URL(path ?? '', dist)), path);
  }
  for (const name of assets.filter((one) => one.endsWith('.css'))) {
    assert.doesNotMatch(read(`assets/${name}`), /url\(["']?(?:https?:|data:|\/\/)/);
  }
});

test('[U23] the pages contain the build id of the sources', async () => {
  const id = await uiBuildId();
  assert.match(id ?? '', /^[0-9a-f]{12}$/);
  assert.equal(await uiIsStale(), false);
  const script = /src="\/(assets\/[^"]+\.js)"/.exec(read('tv.html'))?.[1] ?? '';
  assert.ok(read(script).includes(id ?? 'none'));
});
