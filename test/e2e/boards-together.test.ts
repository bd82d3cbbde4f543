/** Boards and playlists that several people change and delete at the same time: no edit is lost, and no page says a wrong thing about it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import type { Client } from '#contract/client.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { axeViolations, withoutBrowser } from './browser.ts';
import { openOffice } from './shared-browser.ts';

const site = async (gateway: TestGateway): Promise<Client> => {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  return gateway.project(project.id);
};
const row = (page: Page, name: string) =>
  page.locator('.screen-row').filter({ has: page.getByText(name, { exact: true }) });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
const state = (page: Page, text: string) => page.locator('.save-state', { hasText: text }).waitFor();
const heading = (page: Page, text: string) => page.locator('main > h1', { hasText: text }).waitFor();

const code = (id: string, x: number, share: { kind: 'dashboard' | 'playlist'; object_id: string }) => ({
  id,
  type: 'qr' as const,
  title: id,
  position: { x, y: 0, w: 2, h: 3 },
  params: { share },
});
const notice = (id: string, x: number, title = id) => ({
  id,
  type: 'text' as const,
  title,
  params: { text: id },
  position: { x, y: 0, w: 3, h: 2 },
});

test('[U328] a playlist that another person deletes is saved as a new one, also after a reload', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const [one, two] = (await client.call('dashboards_list', { order: 'asc' })).data;
  const gone = await client.call('dashboards_create', { name: 'Gone' });
  const made = await client.call('playlists_create', {
    name: 'Gate',
    items: [one, two, gone].map((board) => ({ dashboard_id: board?.id ?? '' })),
    display_group_ids: ['gate', 'yard'],
  });
  await using office = await openOffice(gateway.node.http, `screens/playlists/${made.id}`);
  const { page } = office;
  await page.locator('.item-grip').first().focus();
  await page.keyboard.press('ArrowDown');
  await state(page, 'Not saved yet.');
  await client.call('playlists_delete', { id: made.id });
  await client.call('dashboards_delete', { id: gone.id });
  await client.call('playlists_create', { name: 'Other', display_group_ids: ['gate'] });
  await save(page).click();
  await page
    .getByText(/^There is no playlist/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Save mine as a new playlist' }).waitFor();
  await page.reload();
  await page.getByText('This tab has changes of this playlist that are not saved.').waitFor();
  assert.equal(await page.locator('.playlist-item').count(), 3);
  assert.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: 'Save mine as a new playlist' }).click();
  await heading(page, 'Gate, copy');
  await page.getByText('1 item is not in this playlist, because its board or picture was deleted.').waitFor();
  await page.getByText('because another playlist has them: gate.').waitFor();
  const copy = (await client.call('playlists_list', {})).data.find(({ name }) => name === 'Gate, copy');
  assert.deepEqual(
    [copy?.items.map(({ dashboard_id }) => dashboard_id), copy?.display_group_ids],
    [[two?.id, one?.id], ['yard']],
  );
  await page.getByRole('button', { name: 'Hide this note' }).click();
  // The edits are in the new playlist, so the tab does not offer them again.
  await page.goto(`${gateway.node.http}/#screens/playlists/${made.id}`);
  await page.getByText(/^There is no playlist/).waitFor();
  assert.equal(await page.getByText('This tab has changes of this playlist').count(), 0);
});

test('[U327] [U328] a save whose answer is lost is the own one: no page says that another person saved', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const list = await client.call('playlists_create', { name: 'Gate' });
  const board = await client.call('dashboards_create', { name: 'Yard', widgets: [notice('one', 0)] });
  await using office = await openOffice(gateway.node.http, `screens/playlists/${list.id}`);
  const { page } = office;
  /** The gateway stores the next write, and the page does not get the answer. */
  const loseAnswer = async (path: string, until: Promise<void>) => {
    let isLost = false;
    await page.route(`**/${path}`, async (route) => {
      if (isLost || route.request().method() === 'GET') return route.fallback();
      isLost = true;
      await route.fetch();
      await until;
      return route.abort();
    });
  };
  const met = () => page.locator('.met').count();
  await page.getByLabel('Name', { exact: true }).fill('North gate ');
  await loseAnswer(`playlists/${list.id}`, Promise.resolve());
  await save(page).click();
  await state(page, 'All changes are saved');
  assert.equal((await client.call('playlists_get', { id: list.id })).name, 'North gate');
  assert.deepEqual([await met(), await page.locator('.problem').count()], [0, 0]);
  // The person goes on before the page knows that the gateway has saved.
  let end = () => {};
  await page.getByLabel('Name', { exact: true }).fill('South gate');
  await loseAnswer(
    `playlists/${list.id}`,
    new Promise<void>((done) => {
      end = done;
    }),
  );
  await save(page).click();
  await page.getByLabel('Name', { exact: true }).fill('West gate');
  end();
  await state(page, 'Not saved yet.');
  await heading(page, 'South gate');
  assert.equal(await met(), 0);
  await save(page).click();
  await heading(page, 'West gate');

  await page.goto(`${gateway.node.http}/#screens/boards/${board.id}`);
  await page.locator('[data-tile="one"]').click();
  await page.getByLabel('Title').fill('First');
  await loseAnswer(
    `dashboards/${board.id}`,
    new Promise<void>((done) => {
      end = done;
    }),
  );
  await save(page).click();
  await page.getByLabel('Title').fill('Second');
  end();
  await page.locator('.problem').waitFor();
  await page.locator('.problem').waitFor({ state: 'detached' });
  await state(page, 'Not saved yet.');
  assert.equal(await met(), 0);
  await save(page).click();
  await page.locator('.edit-said', { hasText: 'Saved.' }).waitFor();
  assert.equal((await client.call('dashboards_get', { id: board.id })).widgets[0]?.title, 'Second');
});

test('[U328] after a save without an answer, the save of another person is not called the own one', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const list = await client.call('playlists_create', { name: 'Gate', default_duration_s: 20 });
  await using office = await openOffice(gateway.node.http, `screens/playlists/${list.id}`);
  const { page } = office;
  const seconds = page.getByLabel('Seconds of each item');
  // A field keeps the focus when its old value is typed again.
  await page.getByLabel('Name', { exact: true }).fill('Gate 2');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await state(page, 'All changes are saved');
  await page.keyboard.type(' 3');
  await state(page, 'Not saved yet.');
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Gate 3');
  await seconds.fill('30');
  await page.route(`**/playlists/${list.id}`, (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.abort(),
  );
  await save(page).click();
  await page.getByText(/does not answer/).waitFor();
  await seconds.fill('20');
  await client.call('playlists_update', { id: list.id, name: 'Gate 3', default_duration_s: 30 });
  await page.locator('.met', { hasText: 'Another person saved this playlist.' }).waitFor();
  assert.equal(await page.getByText('Saved. TVs show').count(), 0);
  assert.equal(await seconds.inputValue(), '20');
});

test('[U320] a playlist that is made again says what it lacks', { skip: withoutBrowser }, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const board = await client.call('dashboards_create', { name: 'Pit' });
  await client.call('playlists_create', { name: 'Gate', items: [{ dashboard_id: board.id }] });
  await using office = await openOffice(gateway.node.http, 'screens');
  const { page } = office;
  const remove = async (name: string) => {
    await row(page, name).getByRole('button', { name: 'Delete', exact: true }).click();
    await row(page, name)
      .getByRole('button', { name: `Delete ${name}` })
      .click();
    await page.getByRole('button', { name: `Make it again ${name}` }).waitFor();
  };
  await remove('Gate');
  await remove('Pit');
  // A board that was made again is in the playlist that is made again after it.
  await page.getByRole('button', { name: 'Make it again Pit' }).click();
  await row(page, 'Pit').waitFor();
  await page.getByRole('button', { name: 'Make it again Gate' }).click();
  await row(page, 'Pit').getByText('In playlists: Gate').waitFor();
  assert.equal(await page.getByText('is not in this playlist').count(), 0);
  await remove('Gate');
  await remove('Pit');
  await page.getByRole('button', { name: 'Make it again Gate' }).click();
  await page.getByText('Gate: 1 item is not in this playlist, because its board or picture was deleted.').waitFor();
  await row(page, 'Gate').getByText('0 boards').waitFor();
});

test('[U327] a note about another person ends with the conflict, and an undo that replaces theirs says so', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const tiles = (title: string) => [notice('one', 0, title), notice('two', 3)];
  const made = await client.call('dashboards_create', { name: 'Yard', widgets: tiles('Old') });
  await using mine = await openOffice(gateway.node.http, `screens/boards/${made.id}`);
  await using theirs = await openOffice(gateway.node.http, `screens/boards/${made.id}`);
  const { page } = mine;
  const title = async (of: Page, text: string) => {
    await of.locator('[data-tile="one"]').click();
    await of.getByLabel('Title').fill(text);
  };
  await title(page, 'Mine');
  await title(theirs.page, 'Theirs');
  await save(theirs.page).click();
  const note = page.locator('.met', { hasText: 'You both changed these. If you save, yours replace theirs.' });
  await note.waitFor();
  await page.getByRole('button', { name: 'Drop my changes' }).click();
  await note.waitFor({ state: 'detached' });
  await page.locator('[data-tile="two"]').click();
  await page.keyboard.press('ArrowRight');
  await state(page, 'Not saved yet.');
  assert.equal(await page.locator('.met').count(), 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await note.waitFor();
  await note.getByRole('button', { name: /^Use theirs/ }).click();
  await note.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await note.getByText('Mine').first().waitFor();
  assert.equal(await theirs.page.locator('.met').count(), 0);
});

test('[U320] [U322] a code of a deleted board or playlist is named, and keeps no board from being saved or made again', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const lists = [];
  for (const name of ['Gate', 'Ramp']) lists.push(await client.call('playlists_create', { name }));
  const [gate, ramp] = lists.map(({ id }) => ({ kind: 'playlist' as const, object_id: id }));
  assert.ok(gate && ramp);
  const yard = await client.call('dashboards_create', { name: 'Yard' });
  const self = { kind: 'dashboard' as const, object_id: yard.id };
  await client.call('dashboards_update', {
    id: yard.id,
    widgets: [code('self', 0, self), code('gate', 2, gate), code('ramp', 4, ramp), notice('text', 6)],
  });
  await using office = await openOffice(gateway.node.http, 'screens');
  const { page } = office;
  // The question before the deletion names the board with the code.
  await row(page, 'Gate').getByRole('button', { name: 'Delete', exact: true }).click();
  await row(page, 'Gate')
    .getByText(/^Codes on these boards open it: Yard\./)
    .waitFor();
  await row(page, 'Gate').getByRole('button', { name: 'Delete Gate' }).click();
  await page.getByText(/^Gate was deleted\./).waitFor();
  await page.goto(`${gateway.node.http}/#screens/boards/${yard.id}`);
  await state(page, 'gate: What this code opens is not there any more. Select what it opens.');
  await page.locator('[data-tile="gate"]').click();
  const opens = page.getByLabel('The code opens');
  assert.match(await opens.evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.text ?? ''), /was deleted/);
  await opens.selectOption({ label: 'Ramp (playlist)' });
  await page.getByText('It has no open link, so screens show no code here.').waitFor();
  // A link for screens is no text for a code.
  await opens.selectOption({ label: 'A text or an address' });
  await page.getByLabel('Text or address').fill(`https://site.example/tv/dsp_${'a'.repeat(43)}`);
  await state(page, 'gate: This is a key or a link for screens');
  await page.getByLabel('Text or address').fill('https://site.example/');
  await save(page).click();
  await page.locator('.edit-said', { hasText: 'Saved.' }).waitFor();

  // Another person deletes the board and one more playlist. The draft is saved as a new board, whose own code opens the new board.
  await page.getByLabel('Title').fill('Site');
  await client.call('dashboards_delete', { id: yard.id });
  await client.call('playlists_delete', { id: ramp.object_id });
  // The first attempt makes the board, and then fails. The second one gives it what the person typed since.
  const asNew = page.getByRole('button', { name: 'Save mine as a new board' });
  let isCut = false;
  await page.route('**/dashboards/*', (route) => {
    if (isCut || route.request().method() !== 'PATCH') return route.fallback();
    isCut = true;
    return route.abort();
  });
  await asNew.click();
  await page.getByText(/does not answer/).waitFor();
  await page.getByLabel('Title').fill('North');
  await asNew.click();
  await heading(page, 'Yard, copy');
  await page.getByText(/^These tiles are not saved yet.*: ramp\.$/).waitFor();
  const boards = async (name: string) =>
    (await client.call('dashboards_list', {})).data.filter((one) => one.name === name);
  const [copy] = await boards('Yard, copy');
  assert.deepEqual(
    copy?.widgets.map(({ id, title, params }) => [id, title, (params.share as { object_id?: string })?.object_id]),
    [
      ['gate', 'North', undefined],
      ['text', 'text', undefined],
      ['self', 'self', copy?.id],
    ],
  );
  await page.locator('[data-tile="ramp"]').waitFor();
  await state(page, 'ramp: What this code opens is not there any more.');
  await page.goto(`${gateway.node.http}/#screens`);

  // The same for a board that is deleted and made again.
  await row(page, 'Yard, copy').getByRole('button', { name: 'Delete', exact: true }).click();
  await row(page, 'Yard, copy').getByRole('button', { name: 'Delete Yard, copy' }).click();
  await page.getByRole('button', { name: 'Make it again Yard, copy' }).click();
  await row(page, 'Yard, copy').waitFor();
  const [again] = await boards('Yard, copy');
  const own = again?.widgets.find(({ id }) => id === 'self')?.params.share;
  assert.deepEqual(own, { kind: 'dashboard', object_id: again?.id });
});

test('[U320] one playlist that does not take a board back keeps the others from nothing, and no offer is lost', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const [first] = (await client.call('dashboards_list', { order: 'asc' })).data;
  const other = { dashboard_id: first?.id ?? '' };
  const board = await client.call('dashboards_create', { name: 'Yard' });
  await client.call('dashboards_create', { name: 'Pit' });
  const full = await client.call('playlists_create', {
    name: 'Full',
    items: [...Array.from({ length: 49 }, () => other), { dashboard_id: board.id }],
  });
  const free = await client.call('playlists_create', { name: 'Free', items: [{ dashboard_id: board.id }] });
  await using office = await openOffice(gateway.node.http, 'screens');
  const { page } = office;
  // The answer to the first deletion comes after that to the second one.
  let give = () => {};
  const given = new Promise<void>((done) => {
    give = done;
  });
  await page.route(`**/dashboards/${board.id}`, async (route) => {
    await given;
    await route.continue();
  });
  for (const name of ['Yard', 'Pit']) {
    await row(page, name).getByRole('button', { name: 'Delete', exact: true }).click();
    await row(page, name)
      .getByRole('button', { name: `Delete ${name}` })
      .click();
  }
  await page.getByText(/^Pit was deleted\./).waitFor();
  give();
  await page.getByText(/^Yard was deleted\./).waitFor();
  await page.getByText(/^Pit was deleted\./).waitFor();
  await client.call('playlists_update', { id: full.id, items: Array.from({ length: 50 }, () => other) });
  const again = page.getByRole('button', { name: 'Make it again Yard' });
  await again.click();
  await page.getByText(/^The board is there again, but it is not in these playlists yet\. Full: /).waitFor();
  const shown = async (id: string) => (await client.call('playlists_get', { id })).items.map((one) => one.dashboard_id);
  const yards = async () => (await client.call('dashboards_list', {})).data.filter(({ name }) => name === 'Yard');
  const [made] = await yards();
  assert.deepEqual(await shown(free.id), [made?.id]);
  assert.equal(await page.getByText('These playlists are not there any more').count(), 0);
  await client.call('playlists_update', { id: full.id, items: [other] });
  await again.click();
  await again.waitFor({ state: 'detached' });
  assert.deepEqual(await shown(full.id), [first?.id, made?.id]);
  assert.deepEqual([(await yards()).length, (await shown(free.id)).length], [1, 1]);
  await page.getByRole('button', { name: 'Make it again Pit' }).waitFor();
});

test('[U320] a link that cannot be read keeps no list from the page, and an answer that does not come is an error', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const board = await client.call('dashboards_create', { name: 'Yard' });
  await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
  await using office = await openOffice(gateway.node.http, 'machines');
  const { page } = office;
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.route('**/display-shares', (route) => route.fulfill({ status: 503, body: '{}' }));
  await page.goto(`${gateway.node.http}/#screens`);
  await row(page, 'Yard').getByText('0 tiles · A link for screens').waitFor();
  await page.unroute('**/display-shares');
  await page.route('**/display-shares', () => undefined);
  await client.call('dashboards_update', { id: board.id, name: 'Yard 2' });
  await page.getByText(/does not answer/).waitFor();
  await page.unroute('**/display-shares');
  await row(page, 'Yard 2').waitFor();
});
