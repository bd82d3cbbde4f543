/** A status board without trouble, with a trouble that ends, and without the gateway. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { createClient } from '#contract/client.ts';
import { addMachine, startGateway, type TestMachine } from '#test/support/gateway.ts';
import { axeViolations, misfits, shot, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const shown = '.layer.shown';

/** Checks that everything fits on TVs of three sizes, and that axe finds nothing. Keeps pictures. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const [width, height] of [
    [1280, 720],
    [3840, 2160],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction(
      (u) =>
        Math.abs(
          Number.parseFloat(document.querySelector<HTMLElement>('.tv')?.style.getPropertyValue('--u') ?? '') - u,
        ) < 0.01,
      height / 100,
    );
    assert.deepEqual(await misfits(page, height * 0.037), [], `${name} at ${width} x ${height}`);
    await shot(page, `${name}-${height}`);
  }
  assert.deepEqual(await axeViolations(page), [], name);
}

test('[U10] [U39] a status board says that nothing is in trouble, that a trouble is over, and that it is not live', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  const gateway = await startGateway();
  let stopped = false;
  const stop = async () => {
    if (!stopped) await gateway[Symbol.asyncDispose]();
    stopped = true;
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
    const client = gateway.project(project.id);
    const machines = new Map<string, TestMachine>();
    for (const unit of ['HT-01', 'HT-02', 'EX-01', 'EX-02', 'WL-01', 'GR-01'])
      machines.set(unit, await addMachine(client, unit));
    const beat = () =>
      Promise.all(
        [...machines.values()].map(({ key, device }) =>
          createClient({ base_url: gateway.node.http, key }).call('devices_telemetry', {
            id: device,
            points: [{ values: { 'engine.speed': 1500, 'engine.fuel_rate': 41.2 } }],
          }),
        ),
      );
    await beat();
    timer = setInterval(() => void beat().catch(() => undefined), 3_000);
    const { data } = await client.call('playlists_list', { limit: 1, order: 'asc' });
    const share = await client.call('display_shares', { kind: 'playlist', object_id: data[0]?.id ?? '' });
    await using wall = await chromium.open(gateway.node.http + new URL(share.url ?? '').pathname);
    const { page } = wall;
    await page.locator(`${shown} .machine`).first().waitFor();
    await page.keyboard.press('Enter');
    await shot(page, 'calm-start');

    await page.locator(`${shown} .calm >> text=/^Nothing has needed attention for /`).waitFor();
    await page.locator(`${shown} .calm .last >> text=/^All 6 machines heard in the last /`).waitFor();
    await page.locator('header >> text=6 of 6 fine').waitFor();
    await page.locator(`${shown} .machine:has(h2:text-is("HT-02")) .detail >> text=41.2 L/h`).waitFor();
    await looksRight(page, 'calm');

    const { id, revision } = await client.call('repair_tickets_create', {
      equipment_id: machines.get('EX-02')?.equipment_id ?? '',
      title: 'Brakes bad',
      safety_critical: true,
      priority: 'critical',
    });
    await page.locator(`${shown} .trouble.urgent >> text=Brakes bad, still running`).waitFor();
    await client.call('equipment_take', { id: machines.get('EX-02')?.equipment_id ?? '' });
    await page.locator(`${shown} .trouble .owner >> text=/is on it/`).waitFor();
    await looksRight(page, 'trouble');
    await client.call('repair_tickets_update', { id, status: 'canceled', reason: 'Wrong' }, { if_match: revision });
    await page.locator(`${shown} .trouble[data-grade="over"] >> text=/^Back to normal since \\d\\d:\\d\\d$/`).waitFor();
    await page.locator(`${shown} .trouble >> text=Was: Brakes bad`).waitFor();
    await page.locator(`${shown} .trouble .owner >> text=/was on it/`).waitFor();
    await looksRight(page, 'over');
    await page.locator(`${shown} .calm .last b >> text=EX-02, Brakes bad`).waitFor();
    assert.match((await page.textContent(`${shown} .calm .last`)) ?? '', /Over at \d\d:\d\d, (.+, )?took \d+/);
    await shot(page, 'calm-again');

    await client.call('equipment_update', { id: machines.get('WL-01')?.equipment_id ?? '', status: 'down' });
    await page.locator(`${shown} .trouble.urgent:has(h2:text-is("WL-01"))`).waitFor();
    const cell = page.locator(`${shown} .machine:has(h2:text-is("GR-01"))`);
    const before = await cell.boundingBox();
    clearInterval(timer);
    await stop();
    await page
      .locator(`${shown} .band h2:text-matches("^Not live since \\\\d\\\\d:\\\\d\\\\d\\\\. All below is old\\\\.$")`)
      .waitFor();
    await page.locator('header >> text=/^not live, \\d+ s/').waitFor();
    await page.locator('header >> text=Last known:').waitFor();
    await page.locator('footer >> text=/^Check first:/').waitFor();
    await page.locator(`${shown} .strip-title >> text=/^As it was at \\d\\d:\\d\\d$/`).waitFor();
    await page.locator(`${shown} .trouble >> text=/^last known \\d\\d:\\d\\d$/`).waitFor();
    assert.equal(await page.textContent(`${shown} .trouble.urgent .label-word`), 'Was most urgent');
    const after = await cell.boundingBox();
    assert.deepEqual([after?.width, after?.height], [before?.width, before?.height], 'the strip keeps its size');
    await looksRight(page, 'lost');
    assert.deepEqual(
      wall.complaints.filter((text) => !/ERR_|Failed to load/.test(text)),
      [],
    );
  } finally {
    clearInterval(timer);
    await stop();
  }
});
