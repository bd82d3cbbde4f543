/** Paired screens from the pairing code on the TV to unpairing: what the TV shows, and what the page of screens says about it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '#test/support/gateway.ts';
import { axeViolations, shot, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { openOffice, sharedBrowser } from './shared-browser.ts';
import { setScene } from './wall-scene.ts';

test('[U431] [U432] [U433] [A996] a person pairs a TV with a name, sees it live, finds it, gives it another board and unpairs it', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const chromium = await sharedBrowser();
  await using tv = await chromium.open(`${gateway.node.http}/tv`);
  const code = await tv.page.locator('.pairing .code', { hasText: /\w{3}-\w{3}/ }).textContent();
  await using office = await openOffice(gateway.node.http, 'screens');
  const { page } = office;
  await page.getByText('No screen is paired yet.').waitFor();

  await page.getByLabel('Code on the TV').fill(code ?? '');
  await page.getByLabel('Name of the screen').fill('Gate TV');
  await page.getByLabel('Size of the screen').fill('32');
  await page.getByLabel('Distance of its readers').fill('6');
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  const card = page.locator('.display-card').filter({ has: page.getByRole('heading', { name: 'Gate TV' }) });
  await card.getByText('Text too small from 6 m').waitFor();
  await tv.page.locator('.layer.shown').first().waitFor();
  // The TV reports what it shows some seconds after it has opened.
  await card.getByText(/^Shows .*, page \d of \d$|^Shows .*: /).waitFor();
  await page.getByText('1 live · 1 with text too small · trouble first').waitFor();
  await card.locator('.preview-wall').waitFor();
  const [display] = (await scene.client.call('displays_list', {})).data;
  assert.equal(display?.state, 'live');
  assert.deepEqual([display?.shown?.width, display?.shown?.height], [1920, 1080]);

  await card.getByRole('button', { name: /^Show its name/ }).click();
  await tv.page.locator('.named', { hasText: 'Gate TV' }).waitFor();
  await shot(tv.page, 'tv-named');
  await card.getByText('The screen shows its name for half a minute.').waitFor();

  await card.getByRole('button', { name: /^Change/ }).click();
  await card.getByLabel('Name of the screen').fill('Map TV');
  await card.getByLabel('Show', { exact: true }).selectOption({ label: 'Where they are (board)' });
  await card.getByLabel('Size of the screen').fill('85');
  await card.getByLabel('Distance of its readers').fill('5');
  await card.getByRole('button', { name: 'Save' }).click();
  const renamed = page.locator('.display-card').filter({ has: page.getByRole('heading', { name: 'Map TV' }) });
  await renamed.getByText(/^Live, heard/).waitFor();
  await tv.page.locator('header h1', { hasText: 'Where they are' }).waitFor();
  await renamed.getByText('Shows Where they are', { exact: true }).waitFor();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="tv-${colorScheme}"]`).waitFor();
    assert.deepEqual(await sizesThatStickOut(page, `paired-${colorScheme}`), []);
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.deepEqual(await axeViolations(page), []);
    await shot(page, `paired-${colorScheme}`);
  }

  await renamed.getByRole('button', { name: /^Unpair/ }).click();
  await renamed.getByRole('alert').getByRole('button', { name: 'Unpair Map TV' }).click();
  await page.getByText('No screen is paired yet.').waitFor();
  await tv.page.locator('.notice', { hasText: 'no longer shared' }).waitFor();
  await tv.page.locator('.pairing .code').waitFor();
  assert.deepEqual(tv.complaints, []);
});

test('[U431] a screen that is switched off is named first, with how long it has not been heard', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const chromium = await sharedBrowser();
  const [list] = (await scene.client.call('playlists_list', { limit: 1, order: 'asc' })).data;
  const pair = async (name: string) => {
    const { user_code, device_code = '' } = await gateway.client.call('display_pairings_create', {});
    await scene.client.call('display_pairings_approve', { user_code, name, object_id: list?.id ?? '' });
    const { share_url } = await gateway.client.call('display_pairings_poll', { device_code });
    return gateway.node.http + new URL(share_url ?? '').pathname;
  };
  await pair('Workshop TV');
  await using gate = await chromium.open(await pair('Gate TV'));
  await gate.page.locator('.layer.shown').first().waitFor();
  await using office = await openOffice(gateway.node.http, 'screens');
  await office.page.getByText('1 live · 1 not heard · trouble first').waitFor();
  assert.deepEqual(await office.page.locator('.display-card h3').allTextContents(), ['Workshop TV', 'Gate TV']);
  const dark = office.page.locator('.display-card').first();
  await dark.getByText(/^Paired .* ago, not heard yet$/).waitFor();
  await dark.getByRole('button', { name: /^Show its name/ }).click();
  await dark.getByText('The screen is not connected, so it shows nothing.').waitFor();
});
