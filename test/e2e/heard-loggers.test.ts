/** The loggers without a machine on the page of a setup: a person links one, makes the machine of another, and sees refusals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectDevice, eventually, startGateway } from '#test/support/gateway.ts';
import { hello } from '#test/support/machine-hello.ts';
import { shot, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { go, openIn, walkOf } from './office-walk.ts';
import { sharedBrowser } from './shared-browser.ts';
import { TITLE } from './untranslated.ts';

const KNOWN = '1HGBH41JXMN109186';
const NEW = 'CAT0777GKJRP01234';
const ENGINE = { 0: 'CMMNS*QSK19*37201455**' };

async function open() {
  const gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: TITLE });
  const client = gateway.project(project.id);
  const heard = async () =>
    (await client.call('projects_setup_status', { project_id: project.id })).missing_requirements.filter(
      (one) => one.heard?.last_heard_at != null,
    );
  return {
    gateway,
    client,
    heard,
    /** Provisions a logger without a machine, which sends what the machine says. */
    async logger(name: string, serial: string, says: Parameters<typeof hello>[1]): Promise<string> {
      const { device, credential } = await client.call('devices_provision', { serial, name, kind: 'can_logger' });
      const { device_id, id } = device;
      const mqtt = await connectDevice(gateway.node.mqttPort, { device_id, key: credential.key ?? '' });
      await mqtt.publishAsync(`v1/devices/${device_id}/can`, hello(Date.now() - 5_000, says), { qos: 1 });
      await mqtt.endAsync();
      return id;
    },
  };
}

test('[U360] a person links a logger to the machine with its VIN, and makes the machine of two others, by keyboard', {
  skip: withoutBrowser,
}, async () => {
  const { gateway, client, heard, logger } = await open();
  await using _ = gateway;
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#setup`, {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
  });
  const { page } = watched;
  await signIn(page);
  const section = page.getByRole('region', { name: 'Loggers without a machine' });
  await page.getByLabel('Describe the site, or paste its lists').waitFor();
  await page.waitForTimeout(1_000);
  assert.equal(await section.count(), 0, 'nothing to offer, no section');

  const truck = await client.call('equipment_create', { unit_number: 'HT-01', pin: KNOWN });
  await client.call('equipment_create', { unit_number: 'HT-02' });
  const first = await logger('Logger north', 'CL-1', { vin: KNOWN, components: ENGINE });
  const second = await logger('Logger east', 'CL-2', { vin: NEW, components: ENGINE });
  const third = await logger('Logger west', 'CL-3', { vin: NEW });
  await logger('Logger south', 'CL-4', { components: ENGINE });
  await eventually(heard, (all) => all.length === 3 && all.every(({ message }) => message.includes('CMMNS')));
  await page.reload();
  await section.waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'heard'), []);
  await page.setViewportSize({ width: 1440, height: 900 });
  const row = (name: RegExp) => section.getByRole('listitem', { name });
  const north = row(/Logger north/);
  await north.getByText(KNOWN).waitFor();
  await north.getByText('Engine: CMMNS, QSK19').waitFor();
  assert.equal(await north.getByRole('button', { name: /Make this machine/ }).count(), 0);
  await north.getByRole('button', { name: 'Link to HT-01' }).focus();
  await page.keyboard.press('Enter');
  await section.getByText('Logger north: linked to HT-01.').waitFor();
  assert.equal((await client.call('devices_get', { id: first })).equipment_id, truck.id);
  assert.equal(await north.count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H2', 'the focus is not lost');

  // The two loggers with one VIN are one row. A unit number that is in use is refused in the row, and nothing is linked.
  const pair = row(/Logger (east|west), Logger (east|west)/);
  await pair.getByRole('button', { name: /Make this machine/ }).press('Enter');
  await page.keyboard.type('HT-02');
  await page.keyboard.press('Enter');
  await pair.getByRole('alert').waitFor();
  assert.match((await pair.getByRole('alert').textContent()) ?? '', /HT-02/);
  assert.equal((await client.call('devices_get', { id: second })).equipment_id, null);
  await shot(page, 'heard-refused');

  // The machine is made, and the link fails once: the page then tries only the link.
  await page.route('**/api/v1/devices/link', (route) => route.abort(), { times: 1 });
  await pair.getByLabel('Unit number').fill('HT-09');
  await page.keyboard.press('Enter');
  await pair.getByText('The machine HT-09 is made, and the logger is not linked yet.').waitFor();
  await page.emulateMedia({ colorScheme: 'light' });
  await shot(page, 'heard-made');
  await pair.getByRole('button', { name: /^Link to HT-09/ }).press('Enter');
  await section.getByText(/^Logger \w+, Logger \w+: linked to HT-09\.$/).waitFor();
  const machines = (await client.call('equipment_list', {})).data;
  assert.deepEqual(machines.map(({ unit_number }) => unit_number).toSorted(), ['HT-01', 'HT-02', 'HT-09']);
  const made = machines.find(({ unit_number }) => unit_number === 'HT-09');
  assert.deepEqual([made?.pin, made?.device_ids.toSorted()], [NEW, [second, third].toSorted()]);

  // The engine alone identifies no machine: the person types a number, and nothing of the engine is stored as of the machine.
  const south = row(/Logger south/);
  await south.getByRole('button', { name: /Make this machine/ }).press('Enter');
  await page.setViewportSize({ width: 390, height: 844 });
  await south.getByLabel('Unit number').fill('EX-01');
  await south.scrollIntoViewIfNeeded();
  await shot(page, 'heard-make-phone');
  await page.keyboard.press('Enter');
  await section.getByText('Logger south: linked to EX-01.').waitFor();
  const engine = (await client.call('equipment_list', { unit_number: 'EX-01' })).data[0];
  assert.deepEqual([engine?.pin, engine?.serial_number, engine?.model, engine?.oem_name], [null, null, null, null]);
  await shot(page, 'heard-done-phone');
  assert.deepEqual(
    watched.complaints.filter((text) => !/401|409|ERR_FAILED/.test(text)),
    [],
  );
});

test('[U360] the section stands below the result of a setup, and a link that the gateway refuses is told in its row', {
  skip: withoutBrowser,
}, async () => {
  const { gateway, client, heard, logger } = await open();
  await using _ = gateway;
  await logger('Logger north', 'CL-1', { vin: KNOWN });
  const truck = await client.call('equipment_create', { unit_number: 'HT-01', pin: KNOWN });
  await eventually(heard, (all) => all[0]?.proposal?.operation === 'telemetry_devices_link');
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#setup`, { viewport: { width: 1440, height: 900 } });
  const { page } = watched;
  await signIn(page);
  await page.getByLabel('Describe the site, or paste its lists').fill('HT-21 is a Cat 777G haul truck.');
  await page.getByRole('button', { name: 'Read the description' }).click();
  await page.getByRole('button', { name: /^Make \d+ object/ }).click();
  await page.getByText(/^Made /).waitFor();
  const section = page.getByRole('region', { name: 'Loggers without a machine' });
  const button = section.getByRole('button', { name: 'Link to HT-01' });
  await button.waitFor();
  await client.call('equipment_update', { id: truck.id, status: 'decommissioned' });
  await button.click();
  await section.getByRole('alert').getByText('The machine HT-01 is decommissioned').waitFor();
  await shot(page, 'heard-after-setup');
});

test('[U360] [U292] the section is translated and fits', { skip: withoutBrowser }, async () => {
  const { gateway, client, heard, logger } = await open();
  await using _ = gateway;
  const pin = 'WDB9634031L123456';
  for (const unit of ['HT-01', 'HT-02']) await client.call('equipment_create', { unit_number: unit, pin: KNOWN });
  await client.call('equipment_create', { unit_number: 'HT-03', pin, status: 'decommissioned' });
  await client.call('equipment_create', { unit_number: 'HT-04', pin: 'WDB9634031L999999' });
  await logger(`${TITLE} 1`, 'CL-1', { vin: KNOWN, components: ENGINE });
  await logger(`${TITLE} 2`, 'CL-2', { vin: pin });
  await logger(`${TITLE} 3`, 'CL-3', { vin: 'WDB9634031L999999' });
  await logger(`${TITLE} 4`, 'CL-4', { vin: NEW, components: { ...ENGINE, 49: 'CAT*777G*A10342*HT-31*' } });
  await logger(`${TITLE} 5`, 'CL-5', { vin: NEW });
  await eventually(heard, (all) => all.length === 4 && all.some(({ message }) => message.includes('A10342')));
  await using office = await openIn(gateway.node.http, 'en-XA');
  const { page } = office;
  const { look, end } = walkOf(page);
  await go(page, 'setup', '.heard-list');
  await look('heard');
  const forms = page.locator('.heard-list button[aria-expanded]');
  assert.equal(await forms.count(), 1);
  await forms.click();
  await look('heard-make');
  await page.locator('.heard-list button.primary').first().click();
  await page.locator('section p.arrived').first().waitFor();
  await look('heard-linked');
  end();
});
