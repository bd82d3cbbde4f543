/** The map of the office: machines and zones, and a zone that a person draws with the pointer and with the keyboard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { startGateway } from '#test/support/gateway.ts';
import { axeViolations, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { setScene, TROUBLE } from './wall-scene.ts';

async function looksRight(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="tv-${colorScheme}"]`).waitFor();
    assert.deepEqual(await sizesThatStickOut(page, `${name}-${colorScheme}`), [], `${name}, ${colorScheme}`);
    await page.setViewportSize({ width: 1440, height: 1000 });
    assert.deepEqual(await axeViolations(page), [], `${name}, ${colorScheme}`);
  }
}

/** Lists the marks that cover each other, and the names that cover another name. */
function covered(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const boxes = (selector: string) =>
      [...document.querySelectorAll(selector)].map((one) => ({
        box: one.getBoundingClientRect(),
        text: one.textContent,
      }));
    const names = boxes('.map-machine b');
    const marks = boxes('.map-machine i');
    const found: string[] = [];
    for (const [i, a] of names.entries())
      for (const b of names.slice(i + 1))
        if (
          a.box.left < b.box.right &&
          b.box.left < a.box.right &&
          a.box.top < b.box.bottom &&
          b.box.top < a.box.bottom
        )
          found.push(`${a.text} covers ${b.text}`);
    for (const [i, a] of marks.entries())
      for (const b of marks.slice(i + 1))
        if (Math.hypot(a.box.x - b.box.x, a.box.y - b.box.y) < 20) found.push(`mark ${i} covers a mark`);
    return found;
  });
}

test('[U43] the map shows every machine and zone, trouble first, and no mark or name covers another', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway, true);
  const [lat, lon] = [-23.36, 119.73];
  const corner = (x: number, y: number): [number, number] => [lon + x / 102_080, lat + y / 111_195];
  const square = (x: number, y: number, half: number) => ({
    type: 'Polygon' as const,
    coordinates: [
      [
        corner(x - half, y - half),
        corner(x + half, y - half),
        corner(x + half, y + half),
        corner(x - half, y + half),
        corner(x - half, y - half),
      ],
    ],
  });
  await scene.client.call('locations_create', { name: 'Pit North', geofence: square(30, 25, 120) });
  await scene.client.call('locations_create', { name: 'Dump', geofence: square(725, 320, 120) });
  await using office = await chromium.open(`${gateway.node.http}/#map`, { viewport: { width: 1440, height: 1000 } });
  const { page } = office;
  await signIn(page);
  await page.locator('.map-machine i').nth(39).waitFor();
  const zones = page.locator('.map-canvas .zone text');
  await zones.filter({ hasText: /^Pit North · \d+ here$/ }).waitFor();
  await page.locator('.map-troubles li').first().waitFor();
  const first = (await page.locator('.map-troubles li a').first().textContent()) ?? '';
  await page.locator('.map-machine.first b', { hasText: first }).waitFor();
  // The silent machine has an old position: it stands with its age.
  await page.locator('.map-machine.old b', { hasText: new RegExp(`^${TROUBLE.silent} · \\d+ min ago$`) }).waitFor();
  // With the keyboard, the focus shows there, too: a whole line in place of the dashed one.
  const silent = page.locator('.map-machine.old', { hasText: TROUBLE.silent });
  await silent.focus();
  assert.equal(await silent.locator('i').evaluate((mark) => getComputedStyle(mark).outlineStyle), 'solid');
  // A machine in a crowd may have no room for its name; the list of the zone then has its number.
  const unnamed = await page
    .locator('.map-machine:not(:has(b))')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')?.slice(0, 5) ?? ''));
  assert.ok(unnamed.length <= 12, `no room for ${unnamed.join(', ')}`);
  const listed = (await page.locator('.zone-list li').allTextContents()).join(' ');
  for (const unit of unnamed) assert.match(listed, new RegExp(`${unit.slice(0, 2)}[ \\d]* ${unit.slice(3)}`), unit);
  assert.deepEqual(await covered(page), []);
  await page
    .locator('.zone-list li', { hasText: 'Pit North' })
    .getByText(/HT \d\d/)
    .waitFor();
  await looksRight(page, 'map');
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('[U44] a person draws a zone with the pointer, and changes it with the keyboard alone', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  await using office = await chromium.open(`${gateway.node.http}/#map`, { viewport: { width: 1440, height: 1000 } });
  const { page } = office;
  await signIn(page);
  await page.locator('.map-machine i').nth(11).waitFor();
  await page.getByText('No zones yet').waitFor();
  await page.getByRole('button', { name: 'Draw a zone' }).click();
  await page.getByText('No corner yet.').waitFor();
  const map = page.locator('.map-canvas');
  for (const [x, y] of [
    [40, 40],
    [300, 60],
    [280, 300],
    [60, 280],
  ] as const)
    await map.click({ position: { x, y } });
  await page.getByText(/^4 corners, .+(m²|km²)\.$/).waitFor();
  const save = page.getByRole('button', { name: 'Save the zone' });
  assert.ok(await save.isDisabled(), 'a zone without a name cannot be saved');
  // A corner is dragged over the opposite line, so that two lines cross; undo takes it back.
  await page.locator('.corner').nth(0).hover();
  await page.mouse.down();
  const box = await map.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 420, (box?.y ?? 0) + 260, { steps: 4 });
  await page.mouse.up();
  await page.getByText('Two lines of the zone cross each other.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Two lines of the zone cross each other.').waitFor({ state: 'detached' });
  await looksRight(page, 'map-draw');
  await page.getByLabel('Name', { exact: true }).fill('Pit North');
  await save.click();
  await page.locator('.zone-list li', { hasText: 'Pit North' }).waitFor();
  const [made] = (await scene.client.call('locations_list', {})).data;
  assert.equal(made?.name, 'Pit North');
  const ring = made?.geofence?.type === 'Polygon' ? made.geofence.coordinates[0] : undefined;
  assert.equal(ring?.length, 5);

  // The same with the keyboard alone: a corner moves, another is added, one is taken back.
  await page.getByRole('button', { name: 'Change Pit North' }).focus();
  await page.keyboard.press('Enter');
  const corner = page.getByRole('button', { name: 'Corner 1 of 4' });
  await corner.focus();
  const before = await page.getByLabel('Longitude of corner 1').inputValue();
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  assert.ok(Number(await page.getByLabel('Longitude of corner 1').inputValue()) < Number(before));
  await map.focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByText(/^5 corners/).waitFor();
  await page.keyboard.press('Backspace');
  await page.getByText(/^4 corners/).waitFor();
  await page.getByLabel('Latitude of corner 2').focus();
  await save.focus();
  await page.keyboard.press('Enter');
  await page.locator('.zone-list li', { hasText: 'Pit North' }).waitFor();
  const [changed] = (await scene.client.call('locations_list', {})).data;
  assert.notDeepEqual(changed?.geofence, made?.geofence);
  assert.equal(changed?.name, 'Pit North');
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('[U434] [U435] on a phone the map opens on the machines in trouble, and one tap brings a machine of the list into the middle', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  // A zone far away makes the whole site much larger than the part with trouble.
  const far = (x: number, y: number): [number, number] => [119.9 + x, -23.2 + y];
  await scene.client.call('locations_create', {
    name: 'Port',
    geofence: { type: 'Polygon', coordinates: [[far(0, 0), far(0.01, 0), far(0.01, 0.01), far(0, 0)]] },
  });
  await using office = await chromium.open(`${gateway.node.http}/#map`, { viewport: { width: 390, height: 844 } });
  const { page } = office;
  await signIn(page);
  const worst = page.locator('.map-troubles li a').first();
  await worst.waitFor();
  const unit = (await worst.textContent()) ?? '';
  const mark = page.locator('.map-machine.first b', { hasText: unit });
  await mark.waitFor();
  const zone = page.locator('.map-canvas .zone text', { hasText: 'Port' });
  const canvas = async () => (await page.locator('.map-canvas').boundingBox()) as Box;
  type Box = { x: number; y: number; width: number; height: number };
  const isSeen = async (locator: typeof zone) => {
    const [box, map] = [(await locator.boundingBox()) as Box, await canvas()];
    return (
      box.x >= map.x &&
      box.x + box.width <= map.x + map.width &&
      box.y >= map.y &&
      box.y + box.height <= map.y + map.height
    );
  };
  assert.ok(await isSeen(mark), 'the worst machine has its name in the picture');
  const label = (await mark.boundingBox()) as Box;
  assert.ok(label.y + label.height <= 844, 'the worst machine is in the first view of the phone');
  assert.ok(!(await isSeen(zone)), 'the first picture is not the whole site');
  for (const link of await page.locator('.map-troubles a').all())
    assert.ok(((await link.boundingBox()) as Box).height >= 44, 'a link of the list is high enough for a finger');
  await page.locator('.map-canvas').focus();
  await page.keyboard.press('Tab');
  const focused = page.locator('.map-machine:focus i');
  assert.equal(await focused.evaluate((one) => getComputedStyle(one).outlineStyle), 'solid');
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.map-machine').length === 12);
  assert.ok(await isSeen(zone), 'the button shows the whole site');
  await page.getByRole('button', { name: `Show on the map ${unit}` }).click();
  const map = await canvas();
  const shape = (await page.locator('.map-machine.first i').boundingBox()) as Box;
  assert.ok(Math.abs(shape.x + shape.width / 2 - map.x - map.width / 2) < 30, 'the machine is in the middle');
  assert.ok(Math.abs(shape.y + shape.height / 2 - map.y - map.height / 2) < 30, 'the machine is in the middle');
});
