/** The page of screens with its boards and playlists, and the editors of both, by pointer and by keyboard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright';
import { startGateway } from '#test/support/gateway.ts';
import { axeViolations, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { openOffice } from './shared-browser.ts';
import { setScene } from './wall-scene.ts';

async function looksRight(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="tv-${colorScheme}"]`).waitFor();
    assert.deepEqual(await sizesThatStickOut(page, `${name}-${colorScheme}`), [], `${name}, ${colorScheme}`);
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.deepEqual(await axeViolations(page), [], `${name}, ${colorScheme}`);
  }
}

const row = (page: Page, name: string) =>
  page.locator('.screen-row').filter({ has: page.getByText(name, { exact: true }) });

test('[U320] [U321] the list of boards says what each is for and who shows it; a person makes, renames, copies and deletes boards', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const { client } = scene;
  await using office = await openOffice(gateway.node.http, 'screens');
  const { page } = office;
  const trends = row(page, 'Trends');
  await trends.getByText('5 tiles · In playlists: Office TV').waitFor();
  await trends.getByText('The fuel rate of the site and the highest coolant temperature').waitFor();
  await page.getByRole('link', { name: 'New board' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Gate');
  await page.getByRole('button', { name: /^Alerts and repairs/ }).click();
  await page.waitForURL(/#screens\/boards\/dash_/);
  await page.goto(`${gateway.node.http}/#screens`);
  const gate = row(page, 'Gate');
  await gate.getByText('4 tiles · No screen shows it').waitFor();
  await gate.getByRole('button', { name: 'Rename' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Main gate');
  await page.keyboard.press('Enter');
  await row(page, 'Main gate').getByRole('button', { name: 'Duplicate' }).click();
  await row(page, 'Main gate, copy').waitFor();
  await row(page, 'Main gate').getByRole('button', { name: 'Open on a TV' }).click();
  await row(page, 'Main gate').getByText('A link for screens').first().waitFor();
  await looksRight(page, 'screens-list');

  // A deletion says before who shows the board, and the board is made again at its place in the playlist.
  const [playlist] = (await client.call('playlists_list', {})).data;
  const places = async () => {
    const { items } = await client.call('playlists_get', { id: playlist?.id ?? '' });
    const boards = new Map((await client.call('dashboards_list', {})).data.map(({ id, name }) => [id, name]));
    return items.map(({ dashboard_id }) => boards.get(dashboard_id ?? ''));
  };
  const before = await places();
  await trends.getByRole('button', { name: 'Delete' }).click();
  await trends.getByText(/^In playlists: Office TV\. The board leaves the playlists/).waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await trends.getByRole('button', { name: 'Delete Trends' }).click();
  await page.getByText(/^Trends was deleted\./).waitFor();
  assert.deepEqual(
    await places(),
    before.filter((name) => name !== 'Trends'),
  );
  // The offer stays when the person opens a board and comes back, and a repeated deletion adds one more.
  await page.getByRole('link', { name: 'Edit Main gate', exact: true }).click();
  await page.locator('.add-tile').waitFor();
  await page.goto(`${gateway.node.http}/#screens`);
  await page.getByRole('button', { name: 'Make it again Trends' }).click();
  await trends.getByText('5 tiles · In playlists: Office TV').waitFor();
  assert.deepEqual(await places(), before);

  // A paused link is a link too: a deletion would end it, and its screens must be paired again.
  const paused = (await client.call('dashboards_list', {})).data.find(({ name }) => name === 'Main gate, copy');
  const pausedLink = { kind: 'dashboard' as const, object_id: paused?.id ?? '' };
  await client.call('display_shares', pausedLink);
  await client.call('display_shares', { ...pausedLink, action: 'pause' });
  const copy = row(page, 'Main gate, copy');
  await copy.getByRole('button', { name: 'Delete', exact: true }).click();
  await copy.getByText(/^A paused link for screens\. The board leaves the playlists/).waitFor();
  await copy.getByText('4 tiles · A paused link for screens').waitFor();

  // A site without boards.
  for (const { id } of (await client.call('dashboards_list', {})).data) await client.call('dashboards_delete', { id });
  for (const { id } of (await client.call('playlists_list', {})).data) await client.call('playlists_delete', { id });
  await page.getByRole('link', { name: 'Make the first board' }).waitFor();
  await looksRight(page, 'screens-empty');
  // Before a deletion the page reads the link of the board. For a board without a link the gateway answers 404.
  assert.deepEqual(
    office.complaints.filter((text) => !/401|404/.test(text)),
    [],
  );
});

const PLACE = /, column (\d+), row (\d+), (\d+) wide, (\d+) high$/;
/** Returns the name of each tile with its column, row, width and height, as a screen reader says them. */
async function tilesOf(page: Page): Promise<Record<string, number[]>> {
  const names = await page
    .locator('.tile-box')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
  return Object.fromEntries(
    names.map((name) => [name.replace(PLACE, ''), (PLACE.exec(name) ?? []).slice(1).map(Number)]),
  );
}

/** Lists the tiles that the picture draws at another place than the box over them. */
function displaced(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const cells = [
      ...(document.querySelector('.board-canvas .preview-wall')?.shadowRoot?.querySelectorAll('.cell') ?? []),
    ];
    return [...document.querySelectorAll('.tile-box')].flatMap((box, i) => {
      const [a, b] = [box.getBoundingClientRect(), cells[i]?.getBoundingClientRect()];
      const off =
        b === undefined
          ? 99
          : Math.max(...(['left', 'top', 'width', 'height'] as const).map((side) => Math.abs(a[side] - b[side])));
      return off > 1.5 ? [`${box.getAttribute('aria-label')}: ${off} px`] : [];
    });
  });
}

const wallText = (page: Page, selector = '.board-canvas') =>
  page.evaluate(
    (of) => document.querySelector(`${of} .preview-wall`)?.shadowRoot?.querySelector('.board')?.textContent ?? '',
    selector,
  );

test('[U322] [U323] [U324] [U326] a person makes a board with the keyboard alone: add, move, resize, set up, undo, save', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const { client } = scene;
  const made = await client.call('dashboards_create', { name: 'Yard' });
  await using office = await openOffice(gateway.node.http, `screens/boards/${made.id}`);
  const { page } = office;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const said = (text: string) => page.locator('.edit-said', { hasText: text }).waitFor();
  /** Presses Tab, or another key, until this part of the page has the focus. */
  const tabTo = async (part: Locator, key = 'Tab') => {
    for (let n = 0; n < 120; n++) {
      if (await part.evaluate((one) => one === document.activeElement)) return;
      await press(key);
    }
    assert.fail(`${key} does not reach ${part}`);
  };
  const back = (part: Locator) => tabTo(part, 'Shift+Tab');
  const add = async (kind: string, key = 'Shift+Tab') => {
    await tabTo(page.locator('.add-tile'), key);
    await press('Enter');
    await tabTo(page.getByRole('button', { name: new RegExp(`^${kind}`) }));
    await press('Enter');
  };
  const tile = (i: number) => page.locator('.tile-box').nth(i);
  await page.locator('.add-tile').waitFor();
  await add('One number', 'Tab');
  await said('One number, column 1, row 1, 3 wide, 2 high');
  await press('ArrowRight', 'ArrowRight', 'ArrowDown', 'Shift+ArrowRight', 'Shift+ArrowDown');
  await said('One number, column 3, row 2, 4 wide, 3 high');
  await press('ArrowUp', 'ArrowUp');
  await said('There is no room.');
  await add('Trend');
  await said('Trend, column 7, row 1, 6 wide, 3 high');
  await press('ArrowLeft');
  await said('Trend, column 6, row 1, 6 wide, 3 high. Also moved: One number.');
  assert.deepEqual(await tilesOf(page), { 'One number': [2, 1, 4, 3], Trend: [6, 1, 6, 3] });
  await press('Control+z');
  assert.deepEqual((await tilesOf(page)).Trend, [7, 1, 6, 3]);
  await press('Control+Shift+z');
  assert.deepEqual((await tilesOf(page)).Trend, [6, 1, 6, 3]);
  await add('Notice');
  await said('Notice, column');
  await press('Delete');
  await said('Notice was removed.');
  // The settings of a tile: its value, its machine by name, its title, a limit.
  await back(tile(0));
  await press('Enter');
  const column = page.getByLabel('Column', { exact: true });
  assert.ok(await column.evaluate((one) => one === document.activeElement));
  await page.keyboard.type('1');
  await tabTo(page.getByLabel('Title'));
  await page.keyboard.type('Hottest');
  await tabTo(page.getByLabel('What the number is'));
  await page.keyboard.type('The highest');
  await tabTo(page.getByLabel('Value', { exact: true }));
  await page.keyboard.type('Coolant');
  await tabTo(page.getByRole('button', { name: 'Add a limit' }));
  await press('Enter');
  // The row of the new limit comes before the button.
  await back(page.getByLabel('Limit', { exact: true }));
  await press('Control+a');
  await page.keyboard.type('105');
  await press('Escape');
  assert.ok(await tile(0).evaluate((one) => one === document.activeElement), 'Escape goes back to the tile');
  assert.deepEqual((await tilesOf(page)).Hottest, [1, 1, 4, 3]);
  // The gateway composes the tile before it is saved.
  await page.waitForFunction(() =>
    /Hottest.*110/s.test(document.querySelector('.board-canvas .preview-wall')?.shadowRoot?.textContent ?? ''),
  );
  assert.deepEqual(await displaced(page), []);
  assert.deepEqual((await client.call('dashboards_get', { id: made.id })).widgets, []);
  await back(page.getByRole('button', { name: 'Save', exact: true }));
  await press('Enter');
  await said('Saved. TVs show the change within a few seconds.');
  const stored = await client.call('dashboards_get', { id: made.id });
  assert.deepEqual(
    stored.widgets.map(({ type, title, position, query, thresholds }) => ({
      type,
      title,
      position,
      query,
      thresholds,
    })),
    [
      {
        type: 'kpi',
        title: 'Hottest',
        position: { x: 0, y: 0, w: 4, h: 3 },
        query: { aggregate: 'max', signal: 'engine.coolant_temperature' },
        thresholds: [{ at: 105, level: 'warning', below: false }],
      },
      {
        type: 'timeseries',
        title: '',
        position: { x: 5, y: 0, w: 6, h: 3 },
        query: { signal: 'engine.fuel_rate', aggregate: 'sum', window_s: 1_800 },
        thresholds: [],
      },
    ],
  );
  // The page disables "Save", which may take the focus away from it.
  await tabTo(tile(0));
  await back(page.getByRole('button', { name: 'From a distance' }));
  await press('Enter');
  await page.getByText('Too small: on this TV the texts of a board can be read up to 4 m.').waitFor();
  await page.getByLabel('Seen from').selectOption('4');
  await page.getByText('All texts of a board can be read from there.').waitFor();
  await page.waitForFunction(() =>
    /Hottest/.test(document.querySelector('.far-tv .preview-wall')?.shadowRoot?.textContent ?? ''),
  );
  await looksRight(page, 'board-editor');
  await add('Machines and trouble');
  await page.waitForFunction(() => document.querySelectorAll('.tile-wait').length === 0);
  await looksRight(page, 'board-editor-machines');
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('[U323] [U325] a person drags and resizes tiles with the pointer, and the board is in the language of the screens', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const { client } = scene;
  const [project] = (await gateway.client.call('projects_list', {})).data;
  await gateway.client.call('projects_update', { id: project?.id ?? '', language: 'de' });
  const tile = (id: string, x: number) => ({
    id,
    type: 'ticket_board' as const,
    title: id,
    position: { x, y: 0, w: 4, h: 4 },
  });
  const made = await client.call('dashboards_create', { name: 'Yard', widgets: [tile('Left', 0), tile('Right', 4)] });
  await using office = await openOffice(gateway.node.http, `screens/boards/${made.id}`);
  const { page } = office;
  await page.locator('main > h1', { hasText: 'Yard' }).waitFor();
  await page.waitForFunction(
    () => document.querySelectorAll('.tile-box').length === 2 && document.querySelectorAll('.tile-wait').length === 0,
  );
  await page.waitForFunction(() =>
    /Gemeldet|In Arbeit/.test(document.querySelector('.board-canvas .preview-wall')?.shadowRoot?.textContent ?? ''),
  );
  const cell = await page.locator('.board-canvas').evaluate((one) => one.clientWidth / 12.6);
  const drag = async (id: string, corner: 'middle' | 'grip', dx: number, dy: number, isCancelled = false) => {
    const box = await page.locator(`[data-tile="${id}"]`).boundingBox();
    assert.ok(box);
    const [x, y] = corner === 'grip' ? [box.x + box.width - 8, box.y + box.height - 8] : [box.x + 40, box.y + 40];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + (dx * cell) / 2, y + (dy * cell) / 2, { steps: 3 });
    await page.mouse.move(x + dx * cell, y + dy * cell, { steps: 3 });
    if (isCancelled) await page.keyboard.press('Escape');
    await page.mouse.up();
  };
  await drag('Left', 'middle', 5, 0);
  assert.deepEqual(await tilesOf(page), { Left: [6, 1, 4, 4], Right: [2, 1, 4, 4] });
  assert.deepEqual(await displaced(page), []);
  await drag('Left', 'grip', 9, 9);
  assert.deepEqual((await tilesOf(page)).Left, [6, 1, 7, 6]);
  await drag('Left', 'grip', -2, -2, true);
  assert.deepEqual((await tilesOf(page)).Left, [6, 1, 7, 6]);
  await drag('Left', 'middle', -20, 0);
  assert.deepEqual(await tilesOf(page), { Left: [1, 1, 7, 6], Right: [8, 1, 4, 4] });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  assert.deepEqual(await tilesOf(page), { Left: [1, 1, 4, 4], Right: [5, 1, 4, 4] });
  assert.ok(await page.getByRole('button', { name: 'Undo' }).isDisabled());
  // Another person adds a tile during a drag: the tile stays.
  const left = await page.locator('[data-tile="Left"]').boundingBox();
  assert.ok(left);
  await page.mouse.move(left.x + 40, left.y + 40);
  await page.mouse.down();
  await page.mouse.move(left.x + 40, left.y + 40 + cell, { steps: 3 });
  const theirs = { ...tile('Theirs', 8), position: { x: 8, y: 0, w: 4, h: 4 } };
  await client.call('dashboards_update', { id: made.id, widgets: [tile('Left', 0), tile('Right', 4), theirs] });
  await page.locator('[data-tile="Theirs"]').waitFor();
  await page.mouse.move(left.x + 40, left.y + 40 + 2 * cell, { steps: 3 });
  await page.mouse.up();
  assert.deepEqual(await tilesOf(page), { Left: [1, 3, 4, 4], Right: [5, 1, 4, 4], Theirs: [9, 1, 4, 4] });
  // The office is in English and the screens are in German.
  assert.match(await wallText(page), /Gemeldet|In Arbeit/);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText('The editor needs a larger screen').waitFor();
  assert.deepEqual(await axeViolations(page), []);
});

test('[U322] [U324] [U325] [U326] no wrong number is saved, no old number stands under new settings, and no draft is lost', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const { client } = scene;
  const hottest = {
    id: 'hottest',
    type: 'kpi' as const,
    title: 'Hottest',
    query: { aggregate: 'max' as const, signal: 'engine.coolant_temperature' },
    thresholds: [{ at: 105, level: 'warning' as const }],
    position: { x: 0, y: 0, w: 4, h: 3 },
  };
  const made = await client.call('dashboards_create', { name: 'Yard', audience: 'tablet', widgets: [hottest] });
  await using office = await openOffice(gateway.node.http, `screens/boards/${made.id}`);
  const { page } = office;
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const shows = () =>
    page.waitForFunction(() =>
      /\d/.test(
        document.querySelector('.board-canvas .preview-wall')?.shadowRoot?.querySelector('.cell')?.textContent ?? '',
      ),
    );
  await page.locator('.tile-box').click();
  await shows();
  // An emptied limit is no limit that was removed.
  await page.getByLabel('Limit', { exact: true }).fill('');
  await page.locator('.save-state', { hasText: 'Hottest: A limit needs a number.' }).waitFor();
  assert.ok(await save.isDisabled());
  await page.getByLabel('Limit', { exact: true }).fill('100');
  await shows();
  // The gateway does not answer: the tile waits.
  await page.route('**/api/v1/live', (route) => route.abort());
  await page.getByLabel('What the number is').selectOption({ label: 'The lowest machine' });
  await page.locator('.tile-wait').waitFor();
  await page.waitForTimeout(1_000);
  assert.equal(await page.locator('.tile-wait').count(), 1);
  await page.unroute('**/api/v1/live');
  await shows();
  // A machine replaces the other conditions, which the page no longer shows.
  await page.getByLabel('Kind of machine').selectOption({ index: 1 });
  await page.getByLabel('Machine', { exact: true }).selectOption({ index: 1 });
  // A narrow page keeps the draft and its steps.
  await page.setViewportSize({ width: 600, height: 800 });
  await page.getByText('Not saved yet.').waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Drop my changes' }).click();
  await page.getByText('All changes are saved').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await save.click();
  await page.locator('.edit-said', { hasText: 'Saved.' }).waitFor();
  const [stored] = (await client.call('dashboards_get', { id: made.id })).widgets;
  assert.deepEqual(Object.keys(stored?.query ?? {}).sort(), ['aggregate', 'equipment_id', 'signal']);
  assert.deepEqual([stored?.query.aggregate, stored?.thresholds[0]?.at], ['min', 100]);
  // After a deletion and a reload the tab still has the draft, and saves it as a new board for tablets.
  await page.locator('.tile-box').click();
  await page.getByLabel('Title').fill('Last');
  await page.waitForTimeout(1_000);
  await client.call('dashboards_delete', { id: made.id });
  await page.reload();
  await page.getByText('This tab has changes of this board that are not saved.').waitFor();
  await page.getByRole('button', { name: 'Save mine as a new board' }).click();
  await page.locator('main > h1', { hasText: 'Yard, copy' }).waitFor();
  const copy = (await client.call('dashboards_list', {})).data.find(({ name }) => name === 'Yard, copy');
  assert.deepEqual([copy?.widgets.map(({ title }) => title), copy?.audience], [['Last'], 'tablet']);
});

test('[U327] a board that another person saves meanwhile loses nothing, and the page says what both changed', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const { client } = scene;
  const tile = (id: string, x: number, title = id) => ({
    id,
    type: 'text' as const,
    title,
    params: { text: id },
    position: { x, y: 0, w: 3, h: 2 },
  });
  const made = await client.call('dashboards_create', { name: 'Yard', widgets: [tile('one', 0), tile('two', 3)] });
  await using office = await openOffice(gateway.node.http, `screens/boards/${made.id}`);
  const { page } = office;
  const title = async (id: string, text: string) => {
    await page.locator(`[data-tile="${id}"]`).click();
    await page.getByLabel('Title').fill(text);
  };
  await title('one', 'Mine');
  // A reload keeps what is not saved.
  await page.reload();
  await page.getByText('Not saved yet.').waitFor();
  assert.deepEqual(Object.keys(await tilesOf(page)), ['Mine', 'two']);
  await client.call(
    'dashboards_update',
    { id: made.id, widgets: [tile('one', 0, 'Theirs'), tile('two', 3, 'New'), tile('three', 6)] },
    { if_match: made.revision },
  );
  const note = page.locator('.met');
  await note.getByText('Another person saved this board.').waitFor();
  await note.getByText('Changed by the other person: New, three.').waitFor();
  assert.deepEqual(Object.keys(await tilesOf(page)), ['Mine', 'New', 'three']);
  await looksRight(page, 'board-conflict');
  await page.getByRole('button', { name: /^Use theirs/ }).click();
  assert.ok('Theirs' in (await tilesOf(page)));
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.edit-said', { hasText: 'Saved.' }).waitFor();
  const { widgets } = await client.call('dashboards_get', { id: made.id });
  assert.deepEqual(
    widgets.map((one) => one.title),
    ['Mine', 'New', 'three'],
  );
  // The other person deletes the board: the own one is saved as a new board.
  await client.call('dashboards_delete', { id: made.id });
  await title('one', 'Last');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Save mine as a new board' }).click();
  await page.locator('main > h1', { hasText: 'Yard, copy' }).waitFor();
  const copy = (await client.call('dashboards_list', {})).data.find(({ name }) => name === 'Yard, copy');
  assert.deepEqual(copy?.widgets.map((one) => one.title).sort(), ['Last', 'New', 'three']);
});

test('[U328] a person makes a playlist: order by pointer and by keyboard, seconds, days, and a link for a screen', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const { client } = scene;
  const boards = (await client.call('dashboards_list', { order: 'asc' })).data.slice(0, 3);
  const [first, second, third] = boards.map(({ name }) => name);
  await using office = await openOffice(gateway.node.http, 'screens');
  const { page } = office;
  await page.getByRole('button', { name: 'New playlist' }).click();
  await page.getByText('Add the first board below.').waitFor();
  for (const { id } of boards) {
    await page.getByLabel('Board or picture').selectOption(id);
    await page.getByRole('button', { name: 'Add to the playlist' }).click();
  }
  const order = () => page.locator('.playlist-item .screen-facts b').allTextContents();
  assert.deepEqual(await order(), [first, second, third]);
  const grip = (i: number) => page.locator('.item-grip').nth(i);
  // By keyboard: the focus stays on the item that moves.
  await grip(2).focus();
  await page.keyboard.press('ArrowUp');
  await page.locator('.edit-said', { hasText: `${third}, place 2 of 3` }).waitFor();
  await page.keyboard.press('ArrowUp');
  await page.locator('.edit-said', { hasText: `${third}, place 1 of 3` }).waitFor();
  assert.deepEqual(await order(), [third, first, second]);
  // By pointer.
  const from = await grip(0).boundingBox();
  const last = await page.locator('.playlist-item').nth(2).boundingBox();
  assert.ok(from && last);
  await page.mouse.move(from.x + 10, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x + 10, last.y + last.height - 10, { steps: 6 });
  await page.mouse.up();
  assert.deepEqual(await order(), [first, second, third]);
  const seconds = page.getByLabel('Seconds', { exact: true }).first();
  await seconds.fill('3');
  await page.getByText('At least 5 s.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
  await page.getByText('The seconds need a number from 5 to 3600.').waitFor();
  await seconds.fill('45');
  await page.getByText(/^One round takes 1 min 45 s\./).waitFor();
  await page.getByRole('button', { name: `When ${second}` }).click();
  await page.getByLabel('Mon', { exact: true }).check();
  await page.getByLabel('Show this item').uncheck();
  await page.getByLabel('Name', { exact: true }).fill('Gate TV');
  await page.getByLabel('Groups of screens').fill('gate');
  await looksRight(page, 'playlist-editor');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.edit-said', { hasText: 'Saved.' }).waitFor();
  const stored = (await client.call('playlists_list', {})).data.find(({ name }) => name === 'Gate TV');
  assert.deepEqual(
    stored?.items.map(({ dashboard_id, duration_s, enabled, when }) => ({ dashboard_id, duration_s, enabled, when })),
    [
      { dashboard_id: boards[0]?.id, duration_s: 45, enabled: true, when: undefined },
      { dashboard_id: boards[1]?.id, duration_s: undefined, enabled: false, when: { days: ['mon'] } },
      { dashboard_id: boards[2]?.id, duration_s: undefined, enabled: true, when: undefined },
    ],
  );
  assert.deepEqual(stored?.display_group_ids, ['gate']);

  // Another person saves meanwhile: nothing is overwritten before this person decides.
  await page.getByLabel('Name', { exact: true }).fill('Mine');
  const { id = '', revision = 0 } = stored ?? {};
  await client.call('playlists_update', { id, name: 'Theirs' }, { if_match: revision });
  await page.getByText('Another person saved this playlist.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
  await page.getByRole('button', { name: 'Replace theirs with mine' }).click();
  await page.locator('main > h1', { hasText: 'Mine' }).waitFor();
  assert.equal((await client.call('playlists_get', { id })).name, 'Mine');
  // What a person changes while the save is on its way stays.
  let give = () => {};
  const given = new Promise<void>((done) => {
    give = done;
  });
  await page.route(`**/playlists/${id}`, async (route) => {
    if (route.request().method() !== 'GET') await given;
    await route.continue();
  });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await page.getByLabel('Name', { exact: true }).fill('First');
  await save.click();
  await page.getByLabel('Name', { exact: true }).fill('Second');
  give();
  await page.locator('main > h1', { hasText: 'First' }).waitFor();
  await page.getByText('Not saved yet.').waitFor();
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Second');
  await save.click();
  await page.locator('main > h1', { hasText: 'Second' }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Third');
  await page.getByRole('button', { name: 'Drop my changes' }).click();
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Second');
  await page.getByRole('button', { name: 'Take my changes back' }).click();
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Third');
  await page.getByRole('button', { name: 'Drop my changes' }).click();
  await page.getByRole('button', { name: 'Open on a TV' }).click();
  await page.getByLabel(/^Link for the TV/).waitFor();
  await page.getByRole('button', { name: 'Pause the link' }).click();
  await page.getByText('The link is paused.').waitFor();
  await page.getByRole('button', { name: 'End the link' }).click();
  await page.getByRole('button', { name: 'End it now' }).click();
  await page.getByText('The link has ended.').waitFor();
  assert.equal((await client.call('playlists_get', { id })).published_revision, null);
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});
