import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERRORS } from '#contract/base/errors.ts';
import { CATALOG } from '#servers/invoke/catalog.ts';
import { startRig } from '#test/servers/rig.ts';

test('[O4] the reference has every operation, error and limit at its link target, and loads nothing from other servers', async () => {
  await using rig = await startRig();
  const read = async (path: string) => {
    const response = await fetch(`${rig.base}${path}`);
    assert.equal(response.status, 200, path);
    return response.text();
  };
  const overview = await read('/docs');
  const pages = new Map<string, string>();
  for (const [, path = '', id = ''] of overview.matchAll(/href="(\/docs\/[a-z-]+)#(\w+)"/g)) {
    if (!pages.has(path)) pages.set(path, await read(path));
    assert.ok(pages.get(path)?.includes(`<section id="${id}">`), `${path}#${id}`);
  }
  for (const { name, method, path } of CATALOG) {
    assert.ok(overview.includes(`#${name}"><code>${method} ${path}</code>`), name);
  }
  const errors = await read('/docs/errors');
  for (const code of Object.keys(ERRORS)) assert.ok(errors.includes(`id="${code}"`), code);
  assert.match(await read('/docs/limits'), /6,000 requests a minute and key/);
  for (const html of [overview, errors, ...pages.values()])
    assert.doesNotMatch(html, /<script|<style|style="|https?:\/\/(?!GATEWAY)[a-z]/i);
  assert.match(await read('/docs/reference.css'), /^:root/);
  const missing = await fetch(`${rig.base}/docs/nothing`);
  assert.equal(missing.status, 404);
  await missing.body?.cancel();
});

test('[O4] every group of operations has a page without undefined values', async () => {
  await using rig = await startRig();
  const html = await (await fetch(`${rig.base}/docs/live`)).text();
  assert.ok(html.includes('text/event-stream'));
  for (const { path } of CATALOG.slice(0, 200)) {
    const group = path.split('/')[3] ?? '';
    const page = await (await fetch(`${rig.base}/docs/${group}`)).text();
    assert.doesNotMatch(page, /undefined|\[object Object\]/, group);
  }
});
