/** A shared tablet in the browser: an admin enrols it, people sign in with a PIN, and a revoked tablet says why. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { shot, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const PIN = '730164';
const SIZES = [
  ['landscape', 1024, 768],
  ['portrait', 800, 1280],
] as const;

/** Takes pictures in both sizes and themes; returns what sticks out, and touch targets below 48 px. */
async function look(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [size, width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      if (process.env.HEADFRAME_SHOTS === undefined) continue;
      await page.emulateMedia({ colorScheme });
      await shot(page, `tablet-${name}-${size}-${colorScheme}`);
    }
    const wide = await sticksOut(page);
    if (wide > 0) found.push(`${name} ${size}: ${wide} px stick out`);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.tablet button, .tablet input')]
        .map((element) => ({ text: element.textContent, ...element.getBoundingClientRect().toJSON() }))
        .filter(({ height, width }) => height < 48 || width < 48)
        .map(({ text }) => String(text)),
    );
    for (const text of small) found.push(`${name} ${size}: ${text} is below 48 px`);
  }
  return found;
}

async function type(page: Page, pin: string): Promise<void> {
  for (const digit of pin) await page.getByRole('button', { name: digit, exact: true }).click();
}

test('[U160] an admin enrols a tablet, people sign in with a PIN and switch, and a revoked tablet says why', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  for (const name of ['Olaf Berg', 'Ada Nyström', 'Bo Lindqvist', 'Carla Diaz', 'Dmitri Orlov', 'Eva Hansen'])
    await gateway.client.call('users_create', { name, role: 'operator' });
  const chromium = await sharedBrowser();
  await using office = await chromium.open(`${gateway.node.http}/#tablets`, {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
  });
  const { page } = office;
  await page.getByRole('button', { name: 'Use a key instead' }).click();
  await page.getByLabel('Key', { exact: true }).fill(OWNER_KEY);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('No tablets yet').waitFor();
  await page.getByLabel('Name').fill('Workshop');
  await page.getByText('Owners and admins cannot use a shared tablet').waitFor();
  await page.getByRole('button', { name: 'Add and show the QR code' }).click();
  await page.getByRole('img', { name: 'QR code that enrols the tablet' }).waitFor();
  const link = await page.getByLabel('Link').inputValue();
  await shot(page, 'tablet-office-link');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('cell', { name: 'Not enrolled yet' }).waitFor();
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('button', { name: 'Olaf Berg' }).click();
  await page.getByRole('button', { name: 'Give a PIN' }).click();
  const once = ((await page.locator('.once-pin').textContent()) ?? '').replace(/\D/g, '');
  await shot(page, 'tablet-office-pin');

  await using tablet = await chromium.open(link, { viewport: { width: 1024, height: 768 }, colorScheme: 'light' });
  const screen = tablet.page;
  await screen.getByRole('heading', { name: 'Use this device as a shared tablet' }).waitFor();
  assert.deepEqual(await look(screen, 'enrol'), []);
  await screen.getByRole('button', { name: 'Enrol this tablet' }).click();
  await screen.getByRole('heading', { name: 'Who are you?' }).waitFor();
  assert.equal(await screen.getByRole('listitem').count(), 6);
  assert.deepEqual(await look(screen, 'who'), []);
  assert.equal(await screen.evaluate(() => document.cookie), '', 'no script can read the credential');

  await screen.getByRole('button', { name: 'Olaf Berg' }).click();
  await type(screen, '264917');
  await screen.getByText('This PIN is wrong. 4 more tries before a wait.').waitFor();
  assert.deepEqual(await look(screen, 'wrong-pin'), []);
  await type(screen, once);
  await screen.getByText('Choose your own PIN').waitFor();
  await type(screen, '123456');
  await screen.getByText('Enter your new PIN again').waitFor();
  await type(screen, '123456');
  await screen.getByText('The PIN 123456 is easy to guess: it is a rising sequence').waitFor();
  await type(screen, PIN);
  await type(screen, PIN);
  await screen.getByText('No machines yet').waitFor();
  await screen.getByText('Olaf Berg').waitFor();
  await screen.getByRole('button', { name: 'More', exact: true }).click();
  for (const hidden of ['Users', 'Keys', 'Tablets', 'Site'])
    assert.equal(await screen.getByRole('link', { name: hidden, exact: true }).count(), 0, hidden);
  await shot(screen, 'tablet-signed-in');
  await screen.getByRole('link', { name: 'My account' }).click();
  await screen.getByLabel('Current PIN').waitFor();

  await screen.getByRole('button', { name: 'Switch person' }).click();
  await screen.getByRole('heading', { name: 'Who are you?' }).waitFor();
  assert.equal(new URL(screen.url()).hash, '', 'the next person does not begin on the page of the last one');
  await screen.reload();
  await screen.getByRole('heading', { name: 'Who are you?' }).waitFor();
  await screen.getByRole('button', { name: 'Ada Nyström' }).click();
  await type(screen, PIN);
  await screen.getByText('Ada Nyström has no PIN yet').waitFor();
  await screen.getByRole('button', { name: 'Back to the names' }).click();
  await screen.getByRole('button', { name: 'Olaf Berg' }).click();
  for (let i = 0; i < 5; i++) {
    await type(screen, '264917');
    await screen.getByText(i === 4 ? 'Too many wrong PINs of Olaf Berg' : `${4 - i} more tr`).waitFor();
  }
  assert.deepEqual(await look(screen, 'locked'), []);

  const { id = '' } = (await gateway.client.call('users_list', {})).data.find(({ name }) => name === 'Olaf Berg') ?? {};
  const { pin } = await gateway.client.call('users_pin_reset', { id });
  await screen.keyboard.type(pin);
  await screen.getByText('Choose your own PIN').waitFor();
  await screen.keyboard.type(PIN);
  await screen.getByText('Enter your new PIN again').waitFor();
  await screen.keyboard.type(PIN);
  await screen.getByText('No machines yet').waitFor();
  await page.getByRole('link', { name: 'Tablets' }).click();
  await page.getByRole('button', { name: 'Workshop' }).click();
  await shot(page, 'tablet-office-edit');
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByRole('button', { name: 'Revoke now' }).click();
  await page.getByRole('cell', { name: /Revoked/ }).waitFor();
  // The tablet asks within 10 s; it asks at once when somebody wakes it.
  await screen.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await screen.getByText('An admin revoked the tablet Workshop').waitFor();
  assert.deepEqual(await look(screen, 'revoked'), []);
  const audit = await gateway.project(project.id).call('audit_list', {});
  assert.ok(audit.data.some(({ type: what }) => what === 'revoked'));
  assert.deepEqual(
    tablet.complaints.filter((text) => !/status of (400|401|403|429)/.test(text)),
    [],
  );
});

test('[U161] a person who leaves the tablet is signed out, and finds unsent text at the next sign-in', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  await client.call('equipment_create', { unit_number: 'HT-14' });
  const { url } = await client.call('tablets_create', { name: 'Gate', roles: ['mechanic'] });
  const people: { name: string; pin: string }[] = [];
  for (const name of ['Olaf', 'Ada']) {
    const { id } = await client.call('users_create', { name, role: 'mechanic' });
    people.push({ name, pin: (await client.call('users_pin_reset', { id })).pin });
  }
  const chromium = await sharedBrowser();
  await using tablet = await chromium.open('about:blank', { viewport: { width: 1024, height: 768 } });
  const { page } = tablet;
  await page.clock.install();
  await page.goto(url);
  await page.getByRole('button', { name: 'Enrol this tablet' }).click();
  const enter = async ({ name = '', pin = '' }, isNew: boolean) => {
    await page.getByRole('button', { name }).click();
    await page.keyboard.type(isNew ? pin : PIN);
    if (!isNew) return;
    await page.getByText('Choose your own PIN').waitFor();
    await page.keyboard.type(PIN);
    await page.getByText('Enter your new PIN again').waitFor();
    await page.keyboard.type(PIN);
  };
  await enter(people[0] ?? {}, true);
  await page.getByRole('link', { name: 'Repairs' }).click();
  await page.getByRole('link', { name: 'New ticket' }).click();
  await page.getByLabel('Title').fill('the left mirror is loose');
  await page.clock.fastForward((15 * 60 - 50) * 1_000);
  await page.getByText(/Nobody touched the tablet\. Olaf is signed out in \d+ s/).waitFor();
  await shot(page, 'tablet-ending');
  await page.clock.fastForward(60_000);
  await page.getByRole('heading', { name: 'Who are you?' }).waitFor();
  await enter(people[1] ?? {}, true);
  await page.getByRole('link', { name: 'Repairs' }).click();
  await page.getByRole('link', { name: 'New ticket' }).click();
  assert.equal(await page.getByLabel('Title').inputValue(), '', 'Ada does not see the text of Olaf');
  await page.getByRole('button', { name: 'Switch person' }).click();
  await enter(people[0] ?? {}, false);
  await page.getByRole('link', { name: 'Repairs' }).click();
  await page.getByRole('link', { name: 'New ticket' }).click();
  await page.getByLabel('Title').waitFor();
  assert.equal(await page.getByLabel('Title').inputValue(), 'the left mirror is loose');
});
