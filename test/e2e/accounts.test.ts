/** Accounts in the browser: an owner invites an operator, who signs in on a phone and sees only the pages of an operator. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { shot, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const OWNERS = 'seven quiet haul roads';
const OPERATORS = 'four yellow gravel trucks';

test('an owner invites an operator, who signs in on a phone without any key', { skip: withoutBrowser }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-accounts-'));
  try {
    const settings = { data: folder, host: '127.0.0.1', port: '0', 'mqtt-port': '0', 'bucket-port': '0', log: 'error' };
    await using node = await startNode(readConfig(settings, {}));
    const chromium = await sharedBrowser();
    await using office = await chromium.open(node.http, {
      viewport: { width: 1440, height: 900 },
      colorScheme: 'light',
    });
    const { page } = office;
    await page.getByLabel('Claim code').fill(node.claim?.code ?? '');
    await page.getByLabel('Your name').fill('Maria');
    await page.getByLabel('Passphrase', { exact: true }).fill(OWNERS);
    await page.getByLabel('Passphrase again').fill(OWNERS);
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.getByLabel('Site name').fill('North Pit');
    await page.keyboard.press('Enter');
    await page.getByText('No machines yet').waitFor();
    assert.deepEqual(
      await page.evaluate(() => [
        localStorage.getItem('headframe.key'),
        sessionStorage.getItem('headframe.key'),
        document.cookie,
      ]),
      [null, null, ''],
    );

    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByLabel('Name').fill('Olaf');
    await page.getByRole('button', { name: 'Add and invite' }).click();
    const link = await page.getByLabel('Link').inputValue();
    await page.getByRole('img', { name: 'QR code of the invitation' }).waitFor();
    await shot(page, 'office-invitation');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'Invited' }).waitFor();
    await page.getByRole('button', { name: 'Olaf' }).click();
    await shot(page, 'office-users');

    await using phone = await chromium.open(link, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await phone.page.getByText('Hello Olaf. Your role is operator.').waitFor();
    await phone.page.getByLabel('Passphrase', { exact: true }).fill(OPERATORS);
    await phone.page.getByLabel('Passphrase again').fill('another text');
    await phone.page.getByRole('button', { name: 'Save and sign in' }).click();
    await phone.page.getByText('The two passphrases differ').waitFor();
    await phone.page.getByLabel('Passphrase again').fill(OPERATORS);
    await shot(phone.page, 'office-accept-phone');
    await phone.page.getByRole('button', { name: 'Save and sign in' }).click();
    await phone.page.getByText('No machines yet').waitFor();
    assert.equal(await phone.page.getByRole('button', { name: 'Add a machine' }).count(), 0);
    await phone.page.getByRole('button', { name: 'More', exact: true }).click();
    const titles = await phone.page.getByRole('navigation').getByRole('link').allInnerTexts();
    for (const hidden of ['Users', 'Keys', 'Site', 'Connect', 'Screens', 'DBC files'])
      assert.ok(!titles.includes(hidden), `${hidden} in ${titles}`);
    await phone.page.goto(`${node.http}/#keys`);
    await phone.page.getByText('The role operator does not include this page.').waitFor();
    await phone.page.goto(`${node.http}/#account`);
    await phone.page.getByText('This browser').waitFor();
    await shot(phone.page, 'office-account-phone');

    await phone.page.getByRole('button', { name: /Sign out/ }).click();
    await phone.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await phone.page.getByLabel('Name').fill('olaf');
    await phone.page.getByLabel('Passphrase').fill('a wrong passphrase');
    await phone.page.getByRole('button', { name: 'Sign in' }).click();
    await phone.page.getByText('The name or the passphrase is wrong').waitFor();
    await shot(phone.page, 'office-sign-in-phone');
    await phone.page.getByLabel('Passphrase').fill(OPERATORS);
    await phone.page.getByRole('button', { name: 'Sign in' }).click();
    await phone.page.getByRole('heading', { name: 'My account' }).waitFor();

    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('cell', { name: 'Disabled' }).waitFor();
    await phone.page.reload();
    await phone.page.getByText('Your session has ended').waitFor();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('an owner makes, replaces and revokes a key for a program', { skip: withoutBrowser }, async () => {
  await using gateway = await startGateway();
  await gateway.client.call('projects_create', { name: 'North Pit' });
  const chromium = await sharedBrowser();
  await using office = await chromium.open(`${gateway.node.http}/#keys`, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await page.getByLabel('Key', { exact: true }).fill(OWNER_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Name').fill('report program');
  await page.getByLabel('Scopes').fill('equipment:read');
  await page.getByRole('button', { name: 'Create key' }).click();
  const secret = await page.getByLabel('Key', { exact: true }).inputValue();
  assert.match(secret, /^wk_/);
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row', { name: /report program/ });
  assert.match((await row.textContent()) ?? '', /Agentequipment:readNeverValid/);
  await shot(page, 'office-keys');
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.getByRole('button', { name: 'Revoke now' }).click();
  await row.getByText('Revoked').waitFor();
  const refused = await fetch(`${gateway.node.http}/api/v1/session`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(refused.status, 401);
});

test('[U170] an admin links a user to an operator, and the person makes and revokes a personal token', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(project.id);
  const operator = await site.call('operators_create', { name: 'Olaf Berg' });
  const user = await gateway.client.call('users_create', { name: 'Olaf', role: 'supervisor' });
  const { url } = await gateway.client.call('users_invite', { id: user.id });
  const chromium = await sharedBrowser();
  const size = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const;
  await using office = await chromium.open(`${gateway.node.http}/#users`, size);
  const { page } = office;
  await page.getByRole('button', { name: 'Use a key instead' }).click();
  await page.getByLabel('Key', { exact: true }).fill(OWNER_KEY);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Olaf' }).click();
  await page.getByLabel('Operator or mechanic').selectOption({ label: 'Olaf Berg, operator' });
  await until(async () => (await gateway.client.call('users_get', { id: user.id })).person?.id === operator.id);

  await using own = await chromium.open(url, size);
  await own.page.getByLabel('Passphrase', { exact: true }).fill(OPERATORS);
  await own.page.getByLabel('Passphrase again').fill(OPERATORS);
  await own.page.getByRole('button', { name: 'Save and sign in' }).click();
  await own.page.getByRole('link', { name: 'My account' }).click();
  await own.page.getByText('No personal tokens.').waitFor();
  await own.page.getByLabel('Name of the token').fill('reader');
  await own.page.getByRole('button', { name: 'Create a token' }).click();
  const secret = await own.page.getByLabel('Token', { exact: true }).inputValue();
  assert.match(secret, /^pat_/);
  const status = async () =>
    (await fetch(`${gateway.node.http}/api/v1/equipment`, { headers: { authorization: `Bearer ${secret}` } })).status;
  assert.equal(await status(), 403, 'the token reads transcripts only');
  await page.getByText('transcript:read').waitFor();
  await own.page.getByRole('button', { name: 'Revoke the token' }).click();
  await own.page.getByText('No personal tokens.').waitFor();
  assert.equal(await status(), 401);
  await own.page.getByLabel('Token', { exact: true }).scrollIntoViewIfNeeded();
  await shot(own.page, 'office-tokens');
});

test('[U170] a linked mechanic finds the own tickets, and work and services begin with this person', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(project.id);
  const [ana, bert] = [
    await site.call('mechanics_create', { name: 'Ana Ruiz' }),
    await site.call('mechanics_create', { name: 'Bert Moe' }),
  ];
  const { id: equipment_id } = await site.call('equipment_create', { unit_number: 'HT-1' });
  const ticket = (title: string, one: typeof ana) =>
    site.call('repair_tickets_create', { equipment_id, title, assigned_mechanic_ids: [one.id] });
  await ticket('Boom leaks', ana);
  const lamp = await ticket('Lamp broken', bert);
  const person = { project_id: project.id, object: 'mechanic', id: ana.id } as const;
  const user = await gateway.client.call('users_create', { name: 'Ana', role: 'mechanic', person });
  const { url } = await gateway.client.call('users_invite', { id: user.id });
  const chromium = await sharedBrowser();
  await using office = await chromium.open(url, { viewport: { width: 1180, height: 820 } });
  const { page } = office;
  await page.getByLabel('Passphrase', { exact: true }).fill(OPERATORS);
  await page.getByLabel('Passphrase again').fill(OPERATORS);
  await page.getByRole('button', { name: 'Save and sign in' }).click();
  await page.getByRole('link', { name: 'Repairs' }).click();
  await page.getByText('Lamp broken').waitFor();
  await page.getByLabel('Assigned to').selectOption('Me');
  await page.getByText('Lamp broken').waitFor({ state: 'detached' });
  await page.getByText('Boom leaks').click();
  await page.getByText('Add work').click();
  await page.getByLabel('Mechanic', { exact: true }).waitFor();
  assert.equal(await page.getByLabel('Mechanic', { exact: true }).inputValue(), ana.id);

  const free = await site.call('repair_tickets_create', { equipment_id, title: 'Horn silent' });
  for (const [id, has] of [
    [free.id, [ana.id]],
    [lamp.id, [bert.id]],
  ] as const) {
    await page.goto(`${new URL(page.url()).origin}/#tickets/${id}`);
    await page.getByRole('button', { name: 'Start work' }).click();
    await page.getByRole('button', { name: 'Mark as fixed' }).waitFor();
    const started = async () => (await site.call('repair_tickets_get', { id })).status === 'in_progress';
    await until(started, 'the gateway has the step', 100);
    assert.deepEqual((await site.call('repair_tickets_get', { id })).assigned_mechanic_ids, has);
  }
});
