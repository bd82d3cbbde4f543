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

test('[U22] the TV script has at most 22.5 kB gzipped, 45 kB with trends, 3.8 kB for trouble, 3.3 kB per other tile, 8 kB of style, 48 kB of font', () => {
  const entry = /src="\/assets\/([^"]+\.js)"/.exec(read('tv.html'))?.[1] ?? '';
  const first = size(new RegExp(`^${entry}$`));
  assert.ok(first > 0 && first <= 22_500, `${first} bytes`);
  const trends = size(/^tv-trend.*\.js$/);
  assert.ok(trends > 0 && first + trends <= 45_000, `${first + trends} bytes`);
  const late = assets.filter(
    (name) => /^tv-.*\.js$/.test(name) && name !== entry && !/trend|trouble|pairing/.test(name),
  );
  assert.ok(late.length >= 9, `${late}`);
  const trouble = size(/^tv-trouble.*\.js$/);
  assert.ok(trouble > 0 && trouble <= 3_800, `${trouble} bytes`);
  for (const name of late)
    assert.ok(size(new RegExp(`^${name}$`)) <= 3_300, `${name}: ${size(new RegExp(`^${name}$`))}`);
  assert.ok(size(/^tv-.*\.css$/) <= 8_000);
  const fonts = assets.filter((name) => name.endsWith('.woff2'));
  assert.equal(fonts.length, 1);
  assert.ok(readFileSync(new URL(`assets/${fonts[0]}`, dist)).length <= 48 * 1024);
});

test('[U21] pages have no inline script or style and no address of another host', () => {
  for (const page of ['tv.html', 'index.html', 'report.html']) {
    const html = read(page);
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)/);
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=/);
    assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//);
    for (const [, path] of html.matchAll(/(?:src|href)="\/([^"]+)"/g))
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
