/** All kinds of tiles on a TV in the browser, with data from a real gateway. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, startGateway } from '#test/support/gateway.ts';
import { misfits, shot, type TestBrowser, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { at, overheat, PIT, picture, report, tileBoards, tileSite } from './tile-site.ts';

test('[U26] every kind of tile fits with text at or above the floor, at three sizes, dark and light', {
  skip: withoutBrowser,
}, async () => {
  // Build the pages first: a newer build would make the TV reload at its first turn.
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { client, machines, camera, frame } = await tileSite(gateway, chromium);
  const playlist = await client.call('playlists_create', { name: 'All of them' });
  const made = await Promise.all(
    tileBoards(camera, playlist.id).map((board) => client.call('dashboards_create', board)),
  );
  const items = made.map(({ id }) => ({ dashboard_id: id, duration_s: 3_600 }));
  await client.call('playlists_update', { id: playlist.id, items });
  const share = new URL((await client.call('display_shares', { kind: 'playlist', object_id: playlist.id })).url ?? '')
    .pathname;
  const url = gateway.node.http + share;
  await overheat(gateway.node.http, client, machines);
  for (const [name, width, height, scale] of [
    ['720p', 1280, 720, 1],
    ['1080p', 1920, 1080, 1],
    ['tablet', 1180, 820, 0.75],
  ] as const) {
    await using watched = await chromium.open(`${url}?scale=${scale}`, { viewport: { width, height } });
    const { page } = watched;
    for (const [i, { widgets, name: title }] of made.entries()) {
      await page.locator(`header h1:text-is("${title}")`).waitFor();
      await page.waitForFunction(
        (wanted) =>
          document.querySelectorAll('.layer').length === 1 &&
          document.querySelectorAll('.layer.shown .cell > section:not(:empty)').length === wanted,
        widgets.length,
      );
      if (widgets.some(({ type }) => type === 'camera')) await page.locator('.camera img').waitFor();
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      const u = (Math.min(height, (width * 9) / 16) / 100) * scale;
      assert.deepEqual(await misfits(page, u * 3.7), [], `${title} at ${name}`);
      await shot(page, `widgets-${name}-${i}`);
      await page.keyboard.press('ArrowRight');
    }
    assert.deepEqual(watched.complaints, []);
  }

  await using watched = await chromium.open(url);
  const { page } = watched;
  const turnTo = async (title: string) => {
    for (let i = 0; i < 7 && (await page.textContent('header h1')) !== title; i += 1) {
      const before = await page.textContent('header h1');
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((was) => document.querySelector('header h1')?.textContent !== was, before);
    }
    await page.locator(`header h1:text-is("${title}")`).waitFor();
  };
  await page.locator('.layer.shown').waitFor();

  // Changes reach the TV: a machine moves, a repair is flagged, a camera takes a picture.
  await turnTo('Where they are');
  const place = () =>
    page.locator('.layer.shown .spot[aria-label^="HT-02"] i').evaluate((one: HTMLElement) => one.style.left);
  const [, second] = machines;
  assert.ok(second);
  const before = await place();
  await report(gateway.node.http, second, 1, { 'position.longitude': PIT.lon + 600 / 102_080, 'fuel.level': 88 });
  await eventually(place, (now) => now !== before);
  await page.locator('.layer.shown .bars li[aria-label="HT-02: 88 %"]').waitFor();
  await turnTo('Workshop');
  await page.locator('.layer.shown .alerts li[data-severity="critical"] >> text=HT-01').waitFor();
  await client.call('repair_tickets_create', { equipment_id: second.equipment_id, title: 'Mirror broken' });
  await page.locator('.layer.shown .tickets article[aria-label*="Mirror broken"]').waitFor();
  const [alert] = (await client.call('alerts_list', { state: 'active', severity: 'critical' })).data;
  await client.call('alerts_acknowledge', { id: alert?.id ?? '' });
  await page.locator('.layer.shown .alerts li.seen >> text=HT-01').waitFor();
  await turnTo('Small ones');
  const drawn = () => page.locator('.layer.shown .camera img').getAttribute('src');
  const first = await drawn();
  await frame('Crusher feed 2', 2);
  await eventually(drawn, (now) => now !== first);
  assert.deepEqual(watched.complaints, [], '[U21] nothing on the console, nothing refused by the policy');
});

test('[U27] a critical alert takes over the TV until a person acknowledges it', {
  skip: withoutBrowser,
}, async () => {
  // Build the pages first: a newer build would make the TV reload at its first turn.
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { client, machines } = await tileSite(gateway, chromium);
  const board = await client.call('dashboards_create', {
    name: 'Quiet',
    widgets: [{ type: 'text', position: at(0, 0, 12, 6), params: { text: 'Nothing happens' } }],
  });
  const playlist = await client.call('playlists_create', {
    name: 'Wall',
    items: [{ dashboard_id: board.id }],
    transition: 'none',
    takeover: { enabled: true, min_severity: 'critical' },
  });
  const share = await client.call('display_shares', { kind: 'playlist', object_id: playlist.id });
  await using watched = await chromium.open(gateway.node.http + new URL(share.url ?? '').pathname);
  const { page } = watched;
  await page.locator('header h1:text-is("Quiet")').waitFor();
  const [hot] = machines;
  assert.ok(hot);
  await report(gateway.node.http, hot, 0, { 'engine.coolant_temperature': 111 });
  await page.locator('header.alarm h1:text-is("HT-01: Coolant too hot")').waitFor();
  await page.locator('.layer.shown .alerts li >> text=111').waitFor();
  await page.locator('.layer.shown .machine h2:text-is("HT-01")').waitFor();
  await shot(page, 'widgets-takeover');
  assert.deepEqual(await misfits(page, 1080 * 0.037), []);
  const [alert] = (await client.call('alerts_list', { state: 'active', severity: 'critical' })).data;
  await client.call('alerts_acknowledge', { id: alert?.id ?? '' });
  await page.locator('header h1:text-is("Quiet")').waitFor();
  assert.equal(await page.locator('header.alarm').count(), 0);
  const log = await eventually(
    () => client.call('playlists_events', { id: playlist.id, order: 'asc' }),
    ({ data }) => data.some(({ type }) => type === 'takeover.ended'),
  );
  assert.deepEqual(
    log.data.map(({ type }) => type),
    ['created', 'published', 'takeover.started', 'takeover.ended'],
  );
  assert.deepEqual(watched.complaints, []);
});

/** One second of video, recorded by the browser. */
async function clip(chromium: TestBrowser): Promise<string> {
  await using blank = await chromium.open('about:blank');
  return await blank.page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 });
    const pen = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
    const parts: Blob[] = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.start();
    for (let i = 0; i < 20; i += 1) {
      pen?.fillRect(0, 0, i * 16, 180);
      await new Promise((done) => setTimeout(done, 50));
    }
    await new Promise((done) => {
      recorder.onstop = done;
      recorder.stop();
    });
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa([...bytes].map((byte) => String.fromCharCode(byte)).join(''));
  });
}

test('[U28] a playlist shows pictures and videos, an old picture is marked, and a share reads no other file', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const { device, credential } = await client.call('devices_provision', {
    serial: 'CAM-1',
    kind: 'camera',
    name: 'Gate',
  });
  const keep = async (content_base64: string, name: string) =>
    (await client.call('devices_upload_media', { id: device.id, content_base64, name })).artifact?.id ?? '';
  const base64 = async (blob: Blob) => Buffer.from(await blob.arrayBuffer()).toString('base64');
  const plan = await keep(await base64(await picture(chromium, 'Site plan')), 'plan.jpg');
  const film = await keep(await clip(chromium), 'film.webm');
  const secret = await keep(await base64(await picture(chromium, 'Payroll')), 'payroll.jpg');
  const playlist = await client.call('playlists_create', {
    name: 'Pictures',
    default_duration_s: 3_600,
    items: [{ artifact_id: plan, params: { title: 'Site plan', fit: 'cover' } }, { artifact_id: film }],
  });
  const link = await client.call('display_shares', { kind: 'playlist', object_id: playlist.id });
  const token = new URL(link.url ?? '').pathname;
  await using watched = await chromium.open(gateway.node.http + token);
  const { page } = watched;
  await page.locator('header h1:text-is("Site plan")').waitFor();
  await page.locator('.layer.shown .media.cover img').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.locator('header h1:text-is("film.webm")').waitFor();
  const playing = () =>
    page
      .locator('.layer.shown .media video')
      .evaluate((video: HTMLVideoElement) => video.currentTime > 0 && video.muted);
  await eventually(playing, (is) => is);
  const read = (id: string) => fetch(`${gateway.node.http}/api/v1/displays/${token.split('/').pop()}/media/${id}`);
  const [shown, hidden, foreign] = [await read(plan), await read(secret), await read(device.id)];
  assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/jpeg']);
  assert.match(shown.headers.get('content-security-policy') ?? '', /sandbox/);
  assert.deepEqual([hidden.status, foreign.status], [404, 404]);

  const board = await client.call('dashboards_create', {
    name: 'Gate',
    widgets: [
      { type: 'camera', position: at(0, 0, 8, 6), query: { device_id: device.id }, max_age_s: 5 },
      {
        type: 'camera',
        position: at(8, 0, 4, 6),
        query: { device_id: (await client.call('devices_create', { name: 'Crusher' })).id },
      },
    ],
  });
  await client.call('playlists_update', { id: playlist.id, items: [{ dashboard_id: board.id }] });
  await fetch(`${gateway.node.http}/api/v1/devices/stream`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credential.key}`,
      'content-type': 'image/jpeg',
      'idempotency-key': 'one',
      'x-captured-at': new Date().toISOString(),
    },
    body: await picture(chromium, 'Gate'),
  });
  await page.locator('.layer.shown .camera img').waitFor();
  await page.locator('.layer.shown .camera >> text=No picture yet').waitFor();
  await page.locator('.layer.shown .camera[data-fresh="stale"] .caption >> text=/last picture, \\d+ s ago/').waitFor();
  assert.deepEqual(await misfits(page, 1080 * 0.037), []);
  await shot(page, 'widgets-stale');
  assert.deepEqual(watched.complaints, []);
});
