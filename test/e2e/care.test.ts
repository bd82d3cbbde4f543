/** Maintenance, inspections and fault reports in the browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '#contract/client.ts';
import {
  addMachine,
  connectDevice,
  eventually,
  startGateway,
  type TestGateway,
  type TestMachine,
} from '#test/support/gateway.ts';
import { shot, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { openOffice, sharedBrowser } from './shared-browser.ts';

async function site(gateway: TestGateway): Promise<Client> {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit', timezone: 'Europe/Oslo' });
  return gateway.project(project.id);
}

/** Console messages other than those of the sign-in, which asks without a key first, and of requests that the test drops or that are refused on purpose. */
const unexpected = (complaints: readonly string[]) => complaints.filter((text) => !/\b40[014]\b|ERR_FAILED/.test(text));

/** Sends a meter reading, and waits until the API returns it. */
async function reports(gateway: TestGateway, client: Client, machine: TestMachine, hours: number): Promise<void> {
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  const values = { 'engine.hours': hours };
  await mqtt.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify({ values }), { qos: 1 });
  await mqtt.endAsync();
  await eventually(
    () => client.call('equipment_get', { id: machine.equipment_id }),
    ({ engine_hours }) => engine_hours === hours,
  );
}

test('[U140] a plan is created, a service is recorded, and the page says what is left and what is unknown', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const machine = await addMachine(client, 'HT-01');
  await client.call('equipment_update', { id: machine.equipment_id, kind: 'haul_truck' });
  await reports(gateway, client, machine, 12_000);
  await using watched = await openOffice(gateway.node.http, 'maintenance');
  const { page } = watched;
  await page.getByText('Nothing is planned').waitFor();
  await page.getByRole('button', { name: 'New plan' }).click();
  await page.getByLabel('Name').fill('Engine oil');
  await page.getByLabel('Kind').fill('Haul truck');
  await page.getByLabel('Every hours of the engine').fill('250');
  await page.getByLabel('Every months').fill('3');
  await shot(page, 'care-plan-form');
  await page.getByRole('button', { name: 'Create plan' }).click();
  await page.getByText('No service is recorded yet.').first().waitFor();
  await page.getByRole('button', { name: 'Service done' }).click();
  await page.getByLabel('Engine hours').fill('11765');
  await page.getByLabel('Done by').fill('Ana Ruiz');
  await page.reload();
  await page.getByRole('button', { name: 'Service done' }).click();
  assert.equal(await page.getByLabel('Done by').inputValue(), 'Ana Ruiz');
  await shot(page, 'care-service-form');
  await page.getByRole('button', { name: 'Record the service' }).click();
  await page.getByText('15 h left, at 12,015 h').waitFor();
  await page.getByText(/Last service .* at 11765 h, Ana Ruiz/).waitFor();
  await page.locator('.due-mark.due_soon').waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'care-maintenance'), []);
  assert.deepEqual(unexpected(watched.complaints), []);
});

test('[U141] an inspection keeps its answers without a link, is sent once, and a critical defect stops the machine', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const { id } = await client.call('equipment_create', { unit_number: 'HT-01', kind: 'haul_truck' });
  await using watched = await openOffice(gateway.node.http, 'inspections');
  const { page } = watched;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Add default checklists' }).click();
  await page.getByText('Haul truck, before the shift').waitFor();
  await page.getByRole('link', { name: 'HT-01' }).click();
  const item = (text: string) => page.locator('.inspect-item').filter({ hasText: text });
  await item('Service brake').getByRole('button', { name: 'Not ok' }).click();
  await item('Service brake').getByLabel('What is wrong?').fill('Pedal goes to the floor');
  // A photo of a phone has more pixels than the gateway stores, so the page makes it smaller.
  const large = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = 4_000;
    canvas.height = 3_000;
    canvas.getContext('2d')?.fillRect(0, 0, 2_000, 3_000);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
    return [...new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))];
  });
  const input = item('Service brake').locator('input[type=file]');
  assert.deepEqual(
    [await input.getAttribute('accept'), await input.getAttribute('capture')],
    ['image/*', 'environment'],
  );
  await input.setInputFiles({ name: 'brake.png', mimeType: 'image/png', buffer: Buffer.from(large) });
  const photo = item('Service brake').getByRole('img', { name: 'File 1' });
  await photo.waitFor();
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>('.inspect-photos img')?.naturalWidth === 1_600,
  );
  await shot(page, 'care-inspect-phone-stop');
  const count = await page.locator('.inspect-item').count();
  for (let i = 0; i < count; i++) {
    const one = page.locator('.inspect-item').nth(i);
    const answered = one.locator('button[aria-pressed="true"]');
    if ((await answered.count()) === 0) await one.getByRole('button', { name: 'OK', exact: true }).click();
  }
  for (const button of await page.locator('.inspect-answers button').all())
    assert.ok(((await button.boundingBox())?.height ?? 0) >= 64);
  await page.getByLabel('Your name').fill('Olav Moe');
  await page.reload();
  await page.getByText(`${count} of ${count} answered`).waitFor();
  assert.equal(await item('Service brake').getByLabel('What is wrong?').inputValue(), 'Pedal goes to the floor');
  await photo.waitFor();
  // The gateway stores the inspection, and its answer is lost.
  await page.route('**/api/v1/inspections', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('button', { name: 'Send the inspection' }).click();
  await page.getByRole('heading', { name: 'To send' }).waitFor();
  await shot(page, 'care-inspect-kept');
  // A call that is on its way must end before.
  await page.unrouteAll({ behavior: 'wait' });
  await page.reload();
  await page.getByRole('heading', { name: 'Sent last' }).waitFor();
  await page.getByRole('heading', { name: 'To send' }).waitFor({ state: 'detached' });
  const [stored] = (await client.call('inspections_list', {})).data;
  await page.goto(`${gateway.node.http}/#inspections/${stored?.id}`);
  await page.getByRole('alert').filter({ hasText: 'Do not operate HT-01' }).waitFor();
  await page.getByRole('img', { name: 'File 1' }).waitFor();
  await shot(page, 'care-inspect-result-phone');
  const sent = (await client.call('inspections_list', {})).data;
  assert.deepEqual(
    sent.map(({ done_by, do_not_operate }) => [done_by, do_not_operate]),
    [['Olav Moe', true]],
  );
  await page.goto(`${gateway.node.http}/#machines/${id}`);
  await page.getByText('Do not operate this machine. An inspection found').waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'care-machine-stop'), []);
  await page.getByRole('link', { name: 'Service brake' }).click();
  await page.waitForURL(/#tickets\/rt_/);
  await page.getByRole('img', { name: 'File 1' }).waitFor();
  await page.goto(`${gateway.node.http}/#inspections`);
  await page.getByText('Olav Moe').waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'care-inspections'), []);
  assert.deepEqual(unexpected(watched.complaints), []);
});

test('[U142] [U274] [U371] [U390] a person without an account reports a fault with the QR code, and a revoked code says what to do', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const client = await site(gateway);
  const { id } = await client.call('equipment_create', { unit_number: 'HT-01', name: 'Truck one', kind: 'haul_truck' });
  const chromium = await sharedBrowser();
  await using watched = await openOffice(gateway.node.http, `machines/${id}`);
  const { page } = watched;
  await page.getByRole('button', { name: 'Show the QR code' }).click();
  const url = (await page.locator('.fault-link a').getAttribute('href')) ?? '';
  await page.locator('.sticker').scrollIntoViewIfNeeded();
  await shot(page, 'care-sticker');
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false);
  assert.equal(await page.locator('.sticker img').isVisible(), true);
  await shot(page, 'care-sticker-print');
  await page.emulateMedia({ media: 'screen' });

  await using phone = await chromium.open(url.replace(/^http:\/\/[^/]+/, gateway.node.http), {
    viewport: { width: 390, height: 844 },
  });
  const report = phone.page;
  await report.getByRole('heading', { name: 'This is HT-01' }).waitFor();
  await report.getByRole('button', { name: /^Not OK/ }).click();
  await report.getByLabel('Your name').fill('Ana Ruiz');
  await report.getByRole('button', { name: 'Go on' }).click();
  await report.getByRole('button', { name: 'Leak or hydraulics' }).click();
  await report.getByRole('button', { name: /^Yes, look at it soon/ }).click();
  // [U390] A tick marks the choice, and only the choice.
  const ticks = await report
    .locator('.choices button')
    .evaluateAll((all) =>
      all.filter((one) => getComputedStyle(one, '::before').content.includes('✓')).map((one) => one.textContent),
    );
  assert.deepEqual(ticks, ['Leak or hydraulics']);
  await report.getByRole('button', { name: 'Add words' }).click();
  await report.getByLabel('Your words').fill('Oil below the hoist');
  for (const button of await report.locator('button').all())
    assert.ok(((await button.boundingBox())?.height ?? 0) >= 72);
  await shot(report, 'care-report-phone');
  // The gateway stores the report, and its answer is lost.
  await report.route('**/api/v1/fault-reports/*', async (route) => {
    // A request that ends with the page, or with the route, is lost in the same way.
    await route
      .fetch()
      .then(() => route.abort())
      .catch(() => undefined);
  });
  await report.locator('button.send').click();
  await report.getByText('Saved on this phone').waitFor();
  await shot(report, 'care-report-kept-phone');
  await report.reload();
  // Without the gateway the phone shows the page that it has kept, and the name of the person.
  await report.getByText('1 report is saved on this phone').waitFor();
  await report.getByRole('button', { name: /Ana Ruiz/ }).waitFor();
  await report.unroute('**/api/v1/fault-reports/*');
  await report.reload();
  await report.getByText('1 report is saved on this phone').waitFor({ state: 'detached' });
  await shot(report, 'care-report-sent-phone');
  await report.getByRole('button', { name: /^Not OK/ }).click();
  await report.getByRole('button', { name: 'Leak or hydraulics' }).click();
  const stopped = report.getByRole('button', { name: /^No, stop it/ });
  assert.equal(await stopped.getAttribute('aria-pressed'), 'false', 'each report is asked anew');
  await stopped.click();
  assert.equal(await stopped.getAttribute('aria-pressed'), 'true');
  assert.deepEqual(await sizesThatStickOut(report, 'care-report-stopped'), []);
  await report.setViewportSize({ width: 390, height: 844 });
  await report.locator('button.send').click();
  await report.getByText(/^ticket RT-/).waitFor();
  assert.equal(await report.locator('.kept .stop').textContent(), 'The machine cannot work');
  await shot(report, 'care-report-stopped-sent-phone');
  // The page Now, and so the TV, has the machine whose operator waits beside it.
  {
    await using office = await openOffice(gateway.node.http, 'now');
    const row = office.page.locator('main').getByText('Leak or hydraulics').first();
    await row.waitFor();
    await office.page.getByText('Act now: 1').waitFor();
  }
  const tickets = (await client.call('repair_tickets_list', {})).data;
  assert.deepEqual(
    tickets.map(({ title, source, reported_by }) => [title, source.kind, reported_by]),
    [['Leak or hydraulics', 'qr', 'Ana Ruiz']],
  );
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke the code' }).click();
  await page.getByText('The code is revoked').waitFor();
  await report.reload();
  await report.getByText('This QR code is not valid any more').waitFor();
  assert.deepEqual(await sizesThatStickOut(report, 'care-report-revoked'), []);
  await report.goto(`${gateway.node.http}/report/short`);
  await report.getByText('Scan the QR code on the machine again').waitFor();
  assert.deepEqual(unexpected([...watched.complaints, ...phone.complaints]), []);
});
