import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitForRoom } from '#process/waiting.ts';
import { readConfig } from '#settings/config.ts';
import { eventually, lastingPort } from '#test/support/gateway.ts';

test('[Z21] a start on a full disk serves the reason with 503 on the port of the screens, until there is space', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-waiting-'));
  try {
    writeFileSync(join(folder, 'large-file'), Buffer.alloc(3 << 20));
    const port = await lastingPort();
    const config = readConfig({ data: folder, port: String(port), host: '127.0.0.1' }, {});
    const waiting = waitForRoom(config, 'The disk has <no> room.');
    const address = `http://127.0.0.1:${port}/`;
    const first = await eventually(
      () => fetch(address).catch(() => undefined),
      (answer) => answer !== undefined,
    );
    assert.ok(first);
    assert.equal(first.status, 503);
    assert.equal(first.headers.get('retry-after'), '10');
    const { error } = (await first.json()) as { error: { code: string; message: string } };
    assert.deepEqual([error.code, error.message], ['storage_unavailable', 'The disk has <no> room.']);
    const page = await fetch(address, { headers: { accept: 'text/html' } });
    const html = await page.text();
    assert.equal(page.status, 503);
    assert.match(html, /The disk has &#60;no&#62; room\./);
    assert.match(html, /large-file<\/td><td>3\.0 MiB/);
    // The disk of this test has room, so the wait ends by itself.
    await waiting;
    await assert.rejects(fetch(address));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
