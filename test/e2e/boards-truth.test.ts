/** The editors of boards and playlists say what screens show, follow the pointer in each browser, and take no more previews than they need. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright';
import { addMachine, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { axeViolations, withoutBrowser } from './browser.ts';
import { openOffice, sharedBrowser } from './shared-browser.ts';

async function site(gateway: TestGateway) {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  return { id: project.id, client: gateway.project(project.id) };
}
const state = (page: Page, text: string) => page.locator('.save-state', { hasText: text }).waitFor();
const chosen = (choice: Locator) => choice.evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.text);
const tile = (page: Page, id: string) => page.locator(`[data-tile="${id}"]`);

test('[U322] the settings of a number and of a trend say how a screen makes them, also for boards that programs made', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { client } = await site(gateway);
  const first = await addMachine(client, 'HT-2');
  await addMachine(client, 'HT-10');
  const place = (x: number, y: number) => ({ x, y, w: 4, h: 3 });
  const made = await client.call('dashboards_create', {
    name: 'Yard',
    widgets: [
      { id: 'plain', type: 'kpi', title: 'plain', query: { signal: 'fuel.level' }, position: place(0, 0) },
      { id: 'empty', type: 'kpi', title: 'empty', query: {}, position: place(4, 0) },
      {
        id: 'trend',
        type: 'timeseries',
        title: 'trend',
        query: { signal: 'fuel.level', signals: ['engine.speed'] },
        position: place(0, 3),
      },
    ],
  });
  await using office = await openOffice(gateway.node.http, `screens/boards/${made.id}`);
  const { page } = office;
  const what = page.getByLabel('What the number is');
  await tile(page, 'empty').click();
  assert.equal(await chosen(what), 'How many machines send data');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.edit-said', { hasText: 'Saved.' }).waitFor();
  await tile(page, 'plain').click();
  assert.equal(await chosen(what), 'The average of the machines');
  await what.selectOption({ label: 'Value of one machine' });
  assert.equal(await chosen(page.getByLabel('Machine', { exact: true })), 'HT-2');
  await page.getByLabel('Machine', { exact: true }).selectOption({ label: 'All machines' });
  assert.equal(await chosen(what), 'The average of the machines');
  await what.selectOption({ label: 'Value of one machine' });
  await tile(page, 'trend').click();
  const lines = page.getByLabel('Lines');
  assert.equal(await chosen(lines), 'The average of the machines');
  assert.ok(!(await lines.locator('option').allTextContents()).includes('A line for each machine'));
  await page.getByLabel('Value 2').selectOption({ label: 'None' });
  assert.equal(await chosen(lines), 'A line for each machine');
  await page.getByText('At most 4 machines have a line').waitFor();
  await tile(page, 'empty').click();
  await what.selectOption({ label: 'The highest machine' });
  assert.equal(await chosen(page.getByLabel('Value', { exact: true })), 'Fuel');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await state(page, 'All changes are saved');
  const { widgets } = await client.call('dashboards_get', { id: made.id });
  assert.deepEqual(Object.fromEntries(widgets.map(({ id, query }) => [id, query])), {
    plain: { signal: 'fuel.level', equipment_id: first.equipment_id },
    empty: { aggregate: 'max', signal: 'fuel.level' },
    trend: { signal: 'fuel.level' },
  });
});

test('[U328] an item that is dragged up and let go outside of the list stays there, also if its row loses the pointer', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { client } = await site(gateway);
  const boards = (await client.call('dashboards_list', { order: 'asc' })).data.slice(0, 3);
  const [a, b, c] = boards.map(({ name }) => name);
  const made = await client.call('playlists_create', {
    name: 'Gate',
    items: boards.map(({ id }) => ({ dashboard_id: id })),
  });
  await using office = await openOffice(gateway.node.http, 'machines');
  const { page } = office;
  // Browsers without this function take a row out of the page when it moves up, and the row loses the pointer.
  await page.addInitScript(() => {
    delete (Element.prototype as { moveBefore?: unknown }).moveBefore;
  });
  await page.goto(`${gateway.node.http}/#screens/playlists/${made.id}`);
  await page.reload();
  const order = () => page.locator('.playlist-item .screen-facts b').allTextContents();
  const box = async (i: number) => {
    const found = await page.locator('.playlist-item').nth(i).boundingBox();
    assert.ok(found);
    return found;
  };
  await page.locator('.item-grip').nth(2).waitFor();
  await page.waitForFunction((name) => document.querySelector('.playlist-item b')?.textContent === name, a);
  const grip = await page.locator('.item-grip').nth(2).boundingBox();
  assert.ok(grip);
  const [x, y] = [grip.x + 8, grip.y + 8];
  const [top, middle] = [await box(0), await box(1)];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, middle.y + 4, { steps: 4 });
  await page.mouse.move(x, top.y + 4, { steps: 4 });
  assert.deepEqual(await order(), [c, a, b]);
  await page.mouse.move(top.x - 30, top.y + 4, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(x, (await box(2)).y + 20, { steps: 4 });
  assert.deepEqual(await order(), [c, a, b]);
});

test('[U323] a person who lets go before the page is painted drags nothing, and a new grab ends an old one', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { client } = await site(gateway);
  const made = await client.call('dashboards_create', {
    name: 'Yard',
    widgets: [{ id: 'note', type: 'text', params: { text: 'x' }, position: { x: 0, y: 0, w: 3, h: 2 } }],
  });
  await using office = await openOffice(gateway.node.http, `screens/boards/${made.id}`);
  const { page } = office;
  await tile(page, 'note').waitFor();
  /** Sends events of a finger as a slow screen does: the page draws after each, and paints after all. */
  const finger = (...types: string[]) =>
    page.evaluate(async (all) => {
      // A browser captures only a pointer that it knows.
      Element.prototype.setPointerCapture = () => undefined;
      const box = document.querySelector('[data-tile="note"]');
      if (box === null) return;
      const { left, top } = box.getBoundingClientRect();
      for (const [i, type] of all.entries()) {
        const at = { clientX: left + 20 + i * 150, clientY: top + 20 };
        const more = { bubbles: true, pointerId: 7, button: 0, buttons: type === 'pointerup' ? 0 : 1 };
        box.dispatchEvent(new PointerEvent(type, { ...more, ...at }));
        await Promise.resolve();
        await Promise.resolve();
      }
    }, types);
  const place = async () => {
    const [one, board] = [await tile(page, 'note').boundingBox(), await page.locator('.board-canvas').boundingBox()];
    assert.ok(one && board);
    return { x: one.x + 20, y: one.y + 20, column: Math.round(((one.x - board.x) / board.width) * 12) };
  };
  await finger('pointerdown', 'pointerup');
  await page.waitForTimeout(200);
  await finger('pointermove', 'pointermove');
  assert.equal((await place()).column, 0);
  await state(page, 'All changes are saved');
  // The page never hears that this finger let go.
  await finger('pointerdown');
  const { x, y } = await place();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 150, y, { steps: 4 });
  await page.mouse.move(x + 300, y, { steps: 4 });
  await page.mouse.up();
  await state(page, 'Not saved yet.');
  assert.ok((await place()).column > 0);
});

test('[U324] a preview that nobody sees takes no place, and one that lost its place waits for the person', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { client } = await site(gateway);
  const made = await client.call('dashboards_create', { name: 'Yard' });
  await using office = await openOffice(gateway.node.http, 'machines');
  const { page } = office;
  await page.getByRole('heading', { level: 1 }).waitFor();
  const asked: Page[] = [];
  const ended: Page[] = [];
  const isDraft = (url: string, method: string) => method === 'POST' && url.endsWith('/api/v1/live');
  const watch = (one: Page) => {
    one.on('request', (request) => isDraft(request.url(), request.method()) && asked.push(one));
    one.on('requestfailed', (request) => isDraft(request.url(), request.method()) && ended.push(one));
  };
  const address = `${gateway.node.http}/#screens/boards/${made.id}`;
  const hides = (one: Page, hidden: boolean) =>
    one.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  watch(page);
  await page.setViewportSize({ width: 600, height: 800 });
  await page.goto(address);
  await page.getByText('The editor needs a larger screen').waitFor();
  await page.waitForTimeout(1_000);
  assert.equal(asked.length, 0, 'a narrow page draws the stored board');
  const opened = page.waitForRequest((request) => isDraft(request.url(), request.method()));
  await page.setViewportSize({ width: 1440, height: 900 });
  await opened;
  await page.waitForTimeout(500);
  const failed = page.waitForEvent('requestfailed', (request) => isDraft(request.url(), request.method()));
  await hides(page, true);
  await failed;
  const again = page.waitForRequest((request) => isDraft(request.url(), request.method()));
  await hides(page, false);
  await again;

  // Four more pages of the same person: the oldest preview ends, and does not take the place of another one by itself.
  await using closing = new AsyncDisposableStack();
  const others: Page[] = [];
  for (let i = 0; i < 4; i++) {
    // A browser opens few connections for all its tabs, so each page has a browser of its own, with the same key.
    const other = await openOffice(gateway.node.http, `screens/boards/${made.id}`);
    closing.use(other);
    const one = other.page;
    await one.locator('.add-tile').waitFor();
    await one.waitForTimeout(1_000);
    watch(one);
    others.push(one);
  }
  const stopped = page.getByText('This preview has stopped, because too many are open.');
  await stopped.waitFor();
  assert.deepEqual(await axeViolations(page), []);
  const before = asked.length;
  await page.waitForTimeout(4_500);
  assert.equal(asked.length, before);
  await page.locator('main > h1').click();
  await stopped.waitFor({ state: 'detached' });
  await others[0]?.getByText('This preview has stopped').waitFor();
});

test('[U323] [U326] an id with quotation marks, and an undo without a step, do no harm', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { client } = await site(gateway);
  const made = await client.call('dashboards_create', {
    name: 'Yard',
    widgets: [
      {
        id: 'fuel "A"',
        type: 'text',
        title: 'Fuel',
        params: { text: 'x' },
        position: { x: 0, y: 0, w: 3, h: 2 },
      },
    ],
  });
  await using office = await openOffice(gateway.node.http, `screens/boards/${made.id}`);
  const { page } = office;
  await page.locator('.tile-box').focus();
  await page.keyboard.press('Control+z');
  await page.locator('.edit-said', { hasText: 'There is nothing to undo.' }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement?.classList.contains('tile-box') === true);
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('[U280] what the gateway writes below a code and in its place is in the language of the screen', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { id, client } = await site(gateway);
  await gateway.client.call('projects_update', { id, language: 'es' });
  const [list] = (await client.call('playlists_list', {})).data;
  const other = await client.call('playlists_create', { name: 'Other' });
  const code = (object_id: string, x: number, w: number, caption?: string) => ({
    type: 'qr' as const,
    position: { x, y: 0, w, h: 4 },
    params: { share: { kind: 'playlist', object_id }, ...(caption !== undefined && { caption }) },
  });
  const made = await client.call('dashboards_create', {
    name: 'Yard',
    widgets: [code(list?.id ?? '', 0, 6), code(list?.id ?? '', 6, 3, 'Nothing to show'), code(other.id, 9, 3)],
  });
  await client.call('display_shares', { kind: 'playlist', object_id: list?.id ?? '' });
  const { url } = await client.call('display_shares', { kind: 'dashboard', object_id: made.id });
  const browser = await sharedBrowser();
  await using screen = await browser.open(gateway.node.http + new URL(url ?? '').pathname);
  const { page } = screen;
  await page.getByText('Escanee para verlo en un teléfono').waitFor();
  await page.getByText('Su enlace no está abierto. Ábralo en la página de la oficina.').waitFor();
  // The words of a person stay.
  await page.getByText('Nothing to show').waitFor();
});

test('[U328] the editor of a playlist needs no list of files', { skip: withoutBrowser }, async () => {
  await using gateway = await startGateway();
  const { client } = await site(gateway);
  const [board] = (await client.call('dashboards_list', {})).data;
  const made = await client.call('playlists_create', { name: 'Gate', items: [{ dashboard_id: board?.id ?? '' }] });
  await using office = await openOffice(gateway.node.http, 'machines');
  const { page } = office;
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.route('**/artifacts?*', (route) => route.fulfill({ status: 503, body: '{}' }));
  await page.goto(`${gateway.node.http}/#screens/playlists/${made.id}`);
  await page.getByLabel('Seconds', { exact: true }).fill('45');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.edit-said', { hasText: 'Saved.' }).waitFor();
  assert.equal((await client.call('playlists_get', { id: made.id })).items[0]?.duration_s, 45);
  await page.unroute('**/artifacts?*');
  await page.locator('.playlist-item', { hasText: board?.name ?? '' }).waitFor();
});
