/** The languages of the office: walks its pages in a pseudo language, and finds texts that were not translated or do not fit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { withoutBrowser } from './browser.ts';
import { go, openIn, walkOf } from './office-walk.ts';
import { sharedBrowser } from './shared-browser.ts';
import { renamePeoplesTexts, TITLE } from './untranslated.ts';
import { setScene, TROUBLE } from './wall-scene.ts';

test('[U290] [U292] the pages of the office are translated, and 35 % longer texts fit, on a desktop, a tablet and a phone', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const { client } = scene;
  await renamePeoplesTexts(client);
  for (const { id } of (await client.call('dashboards_list', {})).data)
    await client.call('dashboards_update', { id, name: TITLE, description: TITLE });
  for (const { id } of (await client.call('playlists_list', {})).data)
    await client.call('playlists_update', { id, name: TITLE });
  const id = (unit: string) => scene.machines.get(unit)?.equipment_id ?? '';
  const [project] = (await gateway.client.call('projects_list', {})).data;
  const shifts = project?.shift_pattern.map((one, i) => ({ ...one, name: `${TITLE} ${i}` })) ?? [];
  await client.call('projects_update', { id: project?.id ?? '', shift_pattern: shifts });
  const tickets = (await client.call('repair_tickets_list', {})).data;
  const critical = id(TROUBLE.critical);
  const list = await client.call('inspection_checklists_create', {
    name: TITLE,
    items: [
      { text: TITLE, hint: TITLE, critical: true },
      { text: `${TITLE} 2`, hint: '', critical: false },
    ],
  });
  const [first, second] = list.items.map((item) => item.id);
  const inspection = await client.call('inspections_create', {
    equipment_id: id('HT-01'),
    checklist_id: list.id,
    started_at: new Date().toISOString(),
    answers: [
      { item_id: first ?? '', answer: 'not_ok', note: TITLE },
      { item_id: second ?? '', answer: 'ok' },
    ],
  });
  for (const limit of [{ every_hours: 250 }, { every_months: 3 }])
    await client.call('maintenance_plans_create', { name: TITLE, equipment_id: critical, ...limit });
  const status = 'off_shift';
  await client.call('operators_create', {
    name: TITLE,
    status,
    certifications: [{ code: TITLE, expires_on: '2020-01-31' }],
  });
  await client.call('mechanics_create', { name: TITLE });
  const place = await client.call('locations_create', { name: TITLE, kind: 'pit' });
  for (const unit of [TROUBLE.critical, TROUBLE.down])
    await client.call('equipment_update', { id: id(unit), location_id: place.id });
  const tile = (type: 'kpi' | 'text', x: number) => ({ type, title: TITLE, position: { x, y: 0, w: 3, h: 2 } });
  const kpi = { ...tile('kpi', 0), query: { aggregate: 'max' as const, signal: 'fuel.level' } };
  const edited = await client.call('dashboards_create', {
    name: TITLE,
    widgets: [kpi, { ...tile('text', 3), params: { text: TITLE } }],
  });
  const [playlist] = (await client.call('playlists_list', {})).data;
  await using office = await openIn(gateway.node.http, 'en-XA');
  const { page } = office;
  const { look, end } = walkOf(page);
  for (const [name, hash] of [
    ['now', 'now'],
    ['machines', 'machines'],
    ['machine', `machines/${critical}`],
    ['story', `story/${critical}`],
    ['silent', `story/${id(TROUBLE.silent)}`],
    ['alerts', 'alerts'],
    ['tickets', 'tickets'],
    ['ticket', `tickets/${tickets[0]?.id}`],
    ['new-ticket', `tickets/new/${id(TROUBLE.stopLamp)}`],
    ['inspections', 'inspections'],
    ['inspect', `inspections/new/${critical}`],
    ['inspection', `inspections/${inspection.id}`],
    ['stopped', `machines/${id('HT-01')}`],
    ['maintenance', 'maintenance'],
    ['shifts', 'shifts'],
    ['outbox', 'outbox'],
    ['account', 'account'],
    ['people', 'people/mechanics'],
    ['map', 'map'],
    ['screens', 'screens'],
    ['new-board', 'screens/new'],
    ['board', `screens/boards/${edited.id}`],
    ['playlist', `screens/playlists/${playlist?.id}`],
    ['site', 'site'],
  ] as const) {
    await go(page, hash);
    await look(name);
  }
  await go(page, `screens/boards/${edited.id}`);
  await page.locator('.add-tile').click();
  await look('add-tile');
  await page.locator('.tile-box').first().click();
  await page.locator('.limits > button').click();
  await page.locator('.board-bar [aria-pressed]').click();
  await look('tile');
  await go(page, 'people/operators');
  await page.locator('.people-rows button.link').click();
  await page.locator('.detail-panel.person').waitFor();
  await look('person');
  await page.locator('.detail-panel.person .buttons button').first().click();
  await page.locator('main .head:has(> button) > .buttons > button').nth(1).click();
  await page.locator('.lines-in').fill('Анна;101\nБорис;101');
  await look('paste');
  await page.keyboard.press('Control+k');
  await page.locator('dialog.search').waitFor();
  await look('search');
  end();
});

const PASSPHRASE = 'green pump under snow';

test('[U290] the office has the language that a person chose, or of the record of the person, or of the browser, or of the site', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: TITLE, language: 'de-CH' });
  const mechanic = await gateway.project(project.id).call('mechanics_create', { name: TITLE, language: 'fr' });
  const user = await gateway.client.call('users_create', {
    name: 'Olga',
    role: 'mechanic',
    person: { project_id: project.id, object: 'mechanic', id: mechanic.id },
  });
  const { url } = await gateway.client.call('users_invite', { id: user.id });
  const token = /invite=(.+)$/.exec(url)?.[1] ?? '';
  {
    await using office = await chromium.open(`${gateway.node.http}/#invite=${token}`, { locale: 'pt-BR' });
    const { page } = office;
    await page.getByText('Olá, Olga. Sua função é mecânico.').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'pt-BR');
    await page.getByLabel('Senha', { exact: true }).fill(PASSPHRASE);
    await page.getByLabel('Senha outra vez').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Salvar e entrar' }).click();
    // The record of the person says French.
    await page.getByRole('link', { name: 'Réparations', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Mon compte' }).click();
    await page.getByLabel('Langue').selectOption('es');
    await page.getByRole('heading', { name: 'Mi cuenta' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Reparaciones', exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'es');
    assert.deepEqual(office.complaints, []);
  }
  // A browser without a language that the office knows: the site decides.
  await using office = await chromium.open(gateway.node.http, {
    locale: 'nb-NO',
    storageState: {
      cookies: [],
      origins: [{ origin: gateway.node.http, localStorage: [{ name: 'headframe.key', value: OWNER_KEY }] }],
    },
  });
  await office.page.getByRole('link', { name: 'Reparaturen', exact: true }).waitFor();
  assert.equal(await office.page.evaluate(() => document.documentElement.lang), 'de-CH');
});

test('[U290] [U291] the choice of a language draws the page again without the gateway, and US units show on the page of a machine', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const [project] = (await gateway.client.call('projects_list', {})).data;
  await gateway.client.call('projects_update', { id: project?.id ?? '', units: 'us' });
  await using office = await openIn(gateway.node.http, 'de');
  const { page } = office;
  await go(page, `machines/${scene.machines.get(TROUBLE.critical)?.equipment_id}`);
  await page.locator('.numbers .number', { hasText: 'Kühlmittel' }).filter({ hasText: '230 °F' }).first().waitFor();
  await page.locator('.head-trouble .what', { hasText: '230 °F' }).waitFor();
  await go(page, 'account');
  await page.route('**/*', (route) => route.abort());
  await page.getByLabel('Sprache').selectOption('en');
  await page.getByRole('heading', { name: 'My account' }).waitFor();
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('heading', { name: 'Mein Konto' }).waitFor();
});

test('[U296] settings of the site that a person saved stay when the units change with them', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: TITLE, timezone: 'Europe/Berlin' });
  await using office = await openIn(gateway.node.http, 'en');
  const { page } = office;
  await go(page, 'site');
  const zone = page.getByLabel('Time zone');
  await zone.selectOption('Australia/Perth');
  await page.getByLabel('Units').selectOption('us');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  // With the units the page is drawn again.
  await page.waitForTimeout(1_000);
  const read = () => gateway.client.call('projects_get', { id: project.id });
  assert.deepEqual([(await read()).timezone, (await read()).units], ['Australia/Perth', 'us']);
  assert.equal(await zone.inputValue(), 'Australia/Perth');
  assert.equal(await page.getByLabel('Units').inputValue(), 'us');
  // The page has the new revision, so that the person can save again.
  await page.getByLabel('Site name').fill('Pit 2');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved. TVs show the change within a few seconds.').waitFor();
  assert.deepEqual(await read().then(({ name, timezone, units }) => [name, timezone, units]), [
    'Pit 2',
    'Australia/Perth',
    'us',
  ]);
});

test('[U297] a language that comes late does not replace the language that the person chose after it', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await gateway.client.call('projects_create', { name: TITLE });
  await using office = await openIn(gateway.node.http, 'en');
  const { page } = office;
  await go(page, 'account');
  let give = () => {};
  const given = new Promise<void>((done) => {
    give = done;
  });
  let held = 0;
  await page.route('**/*.js', async (route) => {
    held++;
    await given;
    await route.continue();
  });
  await page.getByLabel('Language').selectOption('de');
  await page.waitForTimeout(300);
  assert.ok(held > 0, 'the texts of German are on their way');
  await page.getByLabel('Language').selectOption('en');
  give();
  await page.waitForTimeout(1_000);
  await page.getByRole('heading', { name: 'My account' }).waitFor({ timeout: 1_000 });
  // The texts have come, so German is there at once when the person chooses it.
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('heading', { name: 'Mein Konto' }).waitFor();
});

test('[U292] [U380] the sign-in, a wrong PIN and a shared tablet are translated and fit', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: TITLE });
  const user = await gateway.client.call('users_create', { name: TITLE, role: 'operator' });
  const { pin } = await gateway.client.call('users_pin_reset', { id: user.id });
  const { url } = await gateway.project(project.id).call('tablets_create', { name: TITLE, user_ids: [user.id] });
  await using office = await openIn(gateway.node.http, 'en-XA', false);
  const { page } = office;
  const walk = walkOf(page);
  const look = async (name: string) => {
    await page.waitForTimeout(300);
    await walk.look(name);
  };
  await page.locator('main.card form').waitFor();
  await look('sign-in');
  await page.goto(url);
  await page.locator('main.card button.big').waitFor();
  await look('enrol');
  await page.locator('main.card button.big').click();
  await page.locator('.names button').waitFor();
  await look('who');
  await page.locator('.names button').click();
  // A refusal of the gateway with a number, and with a part that is translated by itself.
  for (const digit of pin === '482716' ? '482717' : '482716')
    await page.getByRole('button', { name: digit, exact: true }).click();
  await page.locator('.problem', { hasText: /Thís PÍÑ ís wröñg/ }).waitFor();
  await look('pin-wrong');
  for (const digit of pin) await page.getByRole('button', { name: digit, exact: true }).click();
  await page.locator('.pin-words p', { hasText: /Çhöösé ýöür öwñ PÍÑ/ }).waitFor();
  await look('pin');
  walk.end();
});
