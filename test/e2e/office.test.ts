/** The office page in the browser, from an unclaimed gateway to the first value. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { addMachine, connectDevice, startGateway } from '#test/support/gateway.ts';
import { shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

test('a person claims a gateway, adds a site, a machine and a device, and sees the first value with its source', {
  skip: withoutBrowser,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-office-'));
  try {
    await using node = await startNode(
      readConfig(
        { data: folder, host: '127.0.0.1', port: '0', 'mqtt-port': '0', 'bucket-port': '0', log: 'error' },
        {},
      ),
    );
    const chromium = await sharedBrowser();
    await using watched = await chromium.open(node.http, { viewport: { width: 1440, height: 900 } });
    const { page } = watched;

    await page.getByLabel('Claim code').fill('WRONG-CODE');
    await page.getByLabel('Your name').fill('Maria');
    await page.getByLabel('Passphrase', { exact: true }).fill('seven quiet haul roads');
    await page.getByLabel('Passphrase again').fill('seven quiet haul roads');
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.getByRole('alert').waitFor();
    await shot(page, 'office-claim');
    await page.getByLabel('Claim code').fill(node.claim?.code ?? '');
    await page.keyboard.press('Enter');

    await page.getByLabel('Site name').fill('North Pit');
    await shot(page, 'office-site');
    await page.keyboard.press('Enter');
    await page.getByText('No machines yet').waitFor();
    await shot(page, 'office-empty');

    await page.getByRole('button', { name: 'Add a machine' }).click();
    await page.getByLabel('Unit number').fill('HT-01');
    await page.keyboard.press('Enter');
    await page.getByText('No values yet').waitFor();

    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('button', { name: 'Provision a device' }).click();
    await page.getByLabel('Serial number').fill('SN-1');
    await page.getByLabel('Machine', { exact: true }).selectOption({ label: 'HT-01' });
    await page.getByRole('button', { name: 'Provision', exact: true }).click();
    const deviceKey = await page.getByLabel('Device key').inputValue();
    const device_id = await page.getByLabel('User name and client ID').inputValue();
    const command = await page.getByLabel('Send one test frame').inputValue();
    assert.ok(command.includes(deviceKey) && command.includes(`v1/devices/${device_id}/can`));
    await page.getByText('Data stops at this step: Connection.').waitFor();
    await page.getByRole('cell', { name: /Linked yes.*Seen not yet.*Transmitting not yet/ }).waitFor();
    await shot(page, 'office-provisioned');

    // Send the frame of the command that the page shows.
    const frame = /-m '([^']+)'/.exec(command)?.[1] ?? '';
    const mqtt = await connectDevice(node.mqttPort, { device_id, key: deviceKey });
    await mqtt.publishAsync(`v1/devices/${device_id}/can`, frame, { qos: 1 });
    await page.getByText('Everything works: its data arrives').waitFor();
    await page.getByRole('cell', { name: /Linked yes.*Seen yes.*Transmitting yes/ }).waitFor();
    await page.getByRole('button', { name: 'I saved it' }).click();
    await mqtt.endAsync();

    await page.getByRole('link', { name: 'Machines', exact: true }).click();
    await page.getByRole('button', { name: 'HT-01' }).click();
    await page.getByRole('button', { name: /Engine speed/ }).click();
    await page.getByText('PGN 61444, SPN 190').waitFor();
    await shot(page, 'office-provenance');
    await page.getByLabel('Reported status').selectOption({ label: 'Down' });
    await page.locator('.said.down').waitFor();

    await page.getByRole('link', { name: 'Screens' }).click();
    await page.getByRole('button', { name: 'Open on a TV' }).first().click();
    const link = await page.getByLabel(/^Link for the TV/).inputValue();
    assert.match(link, /\/tv\/dsp_/);
    await page.getByRole('button', { name: 'Preview' }).first().click();
    await page.locator('.preview .machine').first().waitFor();

    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('rowheader', { name: device_id }).waitFor();
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel(/shown only once/).waitFor();
    assert.match(await page.getByLabel('Configuration').inputValue(), /Bearer wk_/);

    assert.doesNotMatch((await page.textContent('body')) ?? '', /\bconnected\b/i);
    const refused = watched.complaints.filter((text) => !text.includes('401') && !text.includes('403'));
    assert.deepEqual(refused, [], '[U21] nothing refused by the policy');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[U80] a person selects time zone and shifts when creating a site, and changes them on the site page', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(gateway.node.http);
  const { page } = watched;
  await signIn(page);
  await page.getByLabel('Site name').fill('North Pit');
  await page.getByLabel('Time zone').selectOption('Australia/Perth');
  await page.getByLabel('Shift pattern').selectOption({ label: 'Three shifts of 8 hours' });
  await shot(page, 'office-site-times');
  await page.getByRole('button', { name: 'Create site' }).click();
  await page.getByText('No machines yet').waitFor();
  const read = async () => (await gateway.client.call('projects_list', {})).data[0];
  const made = await read();
  assert.equal(made?.timezone, 'Australia/Perth');
  assert.deepEqual(
    made?.shift_pattern.map(({ starts, ends }) => `${starts} ${ends}`),
    ['06:00 14:00', '14:00 22:00', '22:00 06:00'],
  );

  await page.getByRole('link', { name: 'Site', exact: true }).click();
  await page.getByLabel('Starts').first().fill('05:30');
  await page.getByLabel('Ends').last().fill('05:30');
  await page.getByLabel('Time zone').selectOption('America/Santiago');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await shot(page, 'office-site-page');
  const changed = await read();
  assert.equal(changed?.timezone, 'America/Santiago');
  assert.deepEqual(
    changed?.shift_pattern.map(({ name, starts, ends }) => `${name} ${starts} ${ends}`),
    ['early 05:30 14:00', 'late 14:00 22:00', 'night 22:00 05:30'],
  );

  // The gateway refuses shifts that overlap; the page shows the error and keeps the form.
  await page.getByLabel('Ends').first().fill('15:00');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('overlap').waitFor();
  assert.equal(await page.getByLabel('Ends').first().inputValue(), '15:00');
});

test('[U24] a wrong key shows an error, and a valid key is stored in the tab only', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await gateway.client.call('projects_create', { name: 'North Pit' });
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(gateway.node.http);
  const { page } = watched;
  await signIn(page, 'wk_nonsense1_x');
  await page.getByText('This key is unknown, revoked or expired.').waitFor();
  await signIn(page);
  await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem('headframe.key')), null);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('[U374] the QR code of a TV opens the pairing form with its code, and the form pairs the TV', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await gateway.client.call('projects_create', { name: 'North Pit' });
  const pairing = await gateway.client.call('display_pairings_create', {});
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(gateway.node.http);
  const { page } = watched;
  await signIn(page);
  await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor();
  await page.goto(pairing.verification_url);
  const again = page.waitForRequest((request) => /\/playlists\b/.test(request.url()), { timeout: 10_000 });
  await page.getByRole('button', { name: 'Pair' }).click();
  await page.getByText(/Paired\. The TV shows/).waitFor();
  await again;
  const polled = await gateway.client.call('display_pairings_poll', { device_code: pairing.device_code ?? '' });
  assert.equal(polled.status, 'approved');
});

test('the office page does not scroll sideways at 320, 820 and 1440 px', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const { device_id } = await addMachine(gateway.project(project.id), 'HT-104');
  const chromium = await sharedBrowser();
  for (const width of [320, 820, 1440]) {
    await using watched = await chromium.open(gateway.node.http, { viewport: { width, height: 900 } });
    const { page } = watched;
    await signIn(page);
    await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor();
    for (const name of ['Devices', 'Bus', 'Screens', 'Connect', 'Health']) {
      if (width < 1440) await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name: name === 'Bus' ? 'Bus monitor' : name, exact: true }).waitFor();
      if (name === 'Devices') await page.getByRole('rowheader', { name: device_id }).waitFor();
      const over = await sticksOut(page);
      assert.ok(over <= 0, `${name} at ${width}: ${over} px`);
      const clipped = await page.evaluate(() =>
        [...document.querySelectorAll('.stacks')].map((table) => table.scrollWidth - table.clientWidth),
      );
      assert.ok(
        clipped.every((px) => px <= 0),
        `a table of ${name} at ${width} hides ${clipped} px`,
      );
      await shot(page, `office-${name}-${width}`);
    }
  }
});
