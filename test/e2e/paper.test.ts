/** Pages of the office on paper: names stay, buttons go, and old data say that they are old. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { shot, withoutBrowser } from './browser.ts';
import { signedIn } from './pages/office.ts';
import { sharedBrowser } from './shared-browser.ts';
import { setScene, TROUBLE } from './wall-scene.ts';

/** Returns the buttons, and the links that look so, on the paper that are no names. */
const actingButtons = (page: Page): Promise<string[]> =>
  page
    .locator('.office :is(button, .button):visible:not(.link, .number, .story-why)')
    .evaluateAll((all) => all.map((one) => one.textContent ?? ''));

async function open(page: Page, hash: string): Promise<void> {
  await page.evaluate((next) => {
    location.hash = next;
  }, hash);
}

test('[U370] [U396] [U397] a printed page keeps the names of its rows, says when it was printed, and which data are old', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const { client } = scene;
  await client.call('operators_create', { name: 'Ana Ruiz', status: 'active' });
  await client.call('mechanics_create', { name: 'Ben Carter', trades: ['diesel'] });
  await gateway.client.call('users_create', { name: 'Olaf Berg', role: 'mechanic' });
  const { data: tickets } = await client.call('repair_tickets_list', { limit: 50 });
  const { data: alerts } = await client.call('alerts_list', { state: 'active' });
  const place = await client.call('locations_create', { name: 'North bench' });
  const units = [...scene.machines.keys()];
  for (const unit of units)
    await client.call('equipment_update', {
      id: scene.machines.get(unit)?.equipment_id ?? '',
      location_id: place.id,
    });
  const storageState = signedIn({ http: gateway.node.http, key: OWNER_KEY });
  await using office = await chromium.open(gateway.node.http, { storageState, viewport: { width: 1440, height: 900 } });
  const { page } = office;
  assert.ok(tickets.length > 0 && alerts.length > 0, 'the scene has tickets and alerts');
  for (const [hash, names] of [
    ['machines', units],
    ['people', ['Ana Ruiz']],
    ['people/mechanics', ['Ben Carter']],
    ['users', ['Olaf Berg']],
    ['tickets', tickets.map(({ title }) => title)],
    ['alerts', alerts.map(({ rule_name }) => rule_name)],
    ['shifts', units],
    ['now', [TROUBLE.safety, TROUBLE.critical]],
  ] as const) {
    await page.emulateMedia({ media: 'screen' });
    await open(page, hash);
    const shown = (name: string) => page.locator('main').getByText(name).filter({ visible: true });
    for (const name of names) await shown(name).first().waitFor();
    await page.emulateMedia({ media: 'print' });
    for (const name of names) assert.ok((await shown(name).count()) > 0, `${name} is on the paper of ${hash}`);
    assert.deepEqual(await actingButtons(page), [], `buttons on the paper of ${hash}`);
    const line = (await page.locator('main > .on-paper').textContent()) ?? '';
    assert.match(line, /^North Pit, printed .+ \d\d:\d\d \(Australia\/Perth\)$/);
    assert.equal(await page.locator('.link-state:visible').count(), 0, 'paper is not live');
    await shot(page, `paper-${hash.replace('/', '-')}`);
  }

  // A value that is old says so on paper too, with its age.
  await page.emulateMedia({ media: 'screen' });
  await open(page, `story/${scene.machines.get(TROUBLE.silent)?.equipment_id}`);
  await page.locator('.story-why').first().waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.locator('.story-why').first().isVisible());
  assert.match((await page.locator('.story-why + .age').first().textContent()) ?? '', / ago$/);
  await shot(page, 'paper-story');

  // A page whose gateway is gone says since when.
  await page.emulateMedia({ media: 'screen' });
  await page.route('**/api/v1/project-live', (route) => route.abort());
  await page.goto(`${gateway.node.http}/#alerts`);
  await page.reload();
  await page.locator('.alert').first().waitFor();
  await page.route('**/api/**', (route) => route.abort());
  await page.locator('.link-state.waiting').waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.match((await page.locator('.link-state').first().textContent()) ?? '', /^Not live since \d\d:\d\d:\d\d/);
  assert.ok(await page.locator('.link-state').first().isVisible());
  await shot(page, 'paper-gateway-gone');
});
