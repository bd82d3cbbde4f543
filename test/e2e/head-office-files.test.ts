/** Photos, logs and the budget of the link in the browser: what both ends say about a file that is not there, and what a person can do. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { startCutProxy } from '#test/support/cut-proxy.ts';
import { addMachine, startGateway, uploadFile } from '#test/support/gateway.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { until } from '#test/support/until.ts';
import { axeViolations, shot, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { DESK, openOffice } from './shared-browser.ts';

/** A PNG of one pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

const DARK = { ...DESK, colorScheme: 'dark' } as const;
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

/** The full hour in UTC that is this many hours after the present one. */
const hour = (more: number) => `${String((new Date().getUTCHours() + 24 + more) % 24).padStart(2, '0')}:00`;

/** A site and head office with a proxy between them, a machine, a photo and a log of 16 MiB, and a ticket that has both. */
async function linkedEnds() {
  const stack = new AsyncDisposableStack();
  const cloud = stack.use(await startGateway(undefined, {}, { HEADFRAME_ROLE: 'cloud' }));
  const site = stack.use(await startGateway());
  const proxy = stack.use(await startCutProxy(Number(new URL(cloud.node.http).port), TEST_SEED));
  const { project } = await site.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  const [here, there] = [site.project(project.id), cloud.project(project.id)];
  const machine = await addMachine(here, 'HT-01');
  await site.client.call('sync_budget_set', { file_hours: [{ from: hour(6), to: hour(8) }] });
  const photo = await here.call('equipment_upload_photo', {
    id: machine.equipment_id,
    content_base64: PICTURE,
  });
  const log = await uploadFile(site.node.http, machine, 'log.bin', randomBytes(16 << 20));
  const ticket = await here.call('repair_tickets_create', {
    equipment_id: machine.equipment_id,
    title: 'Hose leaks',
    context: { media: [photo.id, log] },
  });
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry North' });
  await site.client.call('sync_link_set', { cloud_url: `http://127.0.0.1:${proxy.port}`, code });
  await until(async () => {
    const { data } = await cloud.client.call('projects_list', {});
    return data.length === 1 && (await there.call('repair_tickets_list', {})).data.length === 1;
  }, 'the ticket is at head office');
  const ends = { cloud, site, proxy, here, there, ticket, photo: photo.id, log };
  return { ...ends, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

test('[U184] a file that is not at head office says where it is and when it comes, and a person asks for it', {
  skip: withoutBrowser,
}, async () => {
  await using ends = await linkedEnds();
  const { cloud, site, proxy, there, ticket, photo, log } = ends;
  await until(async () => {
    const [gateway] = (await cloud.client.call('sync_status', {})).gateways;
    return gateway?.files?.paused?.why === 'window' && gateway.files.waiting === 2;
  }, 'head office knows that the files wait');
  await using office = await openOffice(cloud.node.http, `tickets/${ticket.id}`, DARK);
  const { page } = office;
  await page.getByText('is at Quarry North. Files are sent only in the hours that were chosen for them.').waitFor();
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(await sizesThatStickOut(page, 'ticket-file-away'), []);
  await page.setViewportSize(DESK.viewport);
  await page.getByRole('button', { name: /Get this file first .*: File 1/ }).click();
  await page.getByRole('img', { name: 'File 1' }).waitFor();
  assert.equal((await there.call('artifacts_transfer', { id: photo })).state, 'here');

  // The download of a log that is not here says the same, and how much has arrived.
  proxy.harm = { ...proxy.harm, delay_ms: 2_000 };
  await page.getByRole('button', { name: /^Download log.bin/ }).click();
  await page.getByRole('button', { name: /Get this file first .*: log.bin/ }).click();
  await page.getByText('It was asked for, so it comes before all other files.').waitFor();
  await page.getByRole('progressbar', { name: 'log.bin has arrived so far' }).waitFor();
  await shot(page, 'ticket-file-arriving');
  await using fleet = await openOffice(cloud.node.http, 'head-office', PHONE);
  await using link = await openOffice(site.node.http, 'head-office', PHONE);
  await link.page.getByText('To head office: log.bin').waitFor();
  await link.page.getByRole('progressbar', { name: 'log.bin has arrived so far' }).waitFor();
  assert.deepEqual(await axeViolations(link.page), []);
  await link.page.getByText('To head office: log.bin').evaluate((text) => text.scrollIntoView({ block: 'center' }));
  await shot(link.page, 'site-files-moving-phone');
  await fleet.page.getByText('1 file, 17 MB still to move.').waitFor();
  await fleet.page.getByRole('progressbar', { name: 'log.bin has arrived so far' }).waitFor();
  await fleet.page.getByText('still to move').evaluate((text) => text.scrollIntoView({ block: 'center' }));
  await shot(fleet.page, 'fleet-files-phone');
  proxy.harm = { ...proxy.harm, delay_ms: 0 };
  await until(async () => (await there.call('artifacts_transfer', { id: log })).state === 'here', 'the log arrives');
  await page.getByText('It was asked for').waitFor({ state: 'detached' });
  await link.page.getByText('No file waits: both ends have all photos and logs.').waitFor();
  const refused = office.complaints.filter((text) => !/401|404/.test(text));
  assert.deepEqual(refused, []);
});

test('[U185] an admin sees what the link used, sets its limits, and lifts them in an emergency', {
  skip: withoutBrowser,
}, async () => {
  await using ends = await linkedEnds();
  const { site, cloud, there, log } = ends;
  const budget = async () => (await site.client.call('sync_status', {})).budget;
  await using office = await openOffice(site.node.http, 'head-office');
  const { page } = office;
  const box = page.getByRole('region', { name: 'What the link may cost' });
  await box.getByText('Files are sent only from').waitFor();
  await page.getByText('2 files, 17 MB still to move.').waitFor();
  await page.getByText('Files wait for the hours that were chosen for them. They go on').waitFor();
  await box.getByText('Change the limits').click();
  await box.getByLabel('The link costs money by the byte').check();
  await box.getByLabel('Limit of a month in GB').fill('nothing');
  await box.getByRole('button', { name: 'Save the limits' }).click();
  await box.getByText('Type the limit of a month in GB').waitFor();
  await box.getByLabel('Limit of a month in GB').fill('0,001');
  await box.getByRole('button', { name: 'Add hours' }).click();
  // These hours are open now, so only the bytes of the month hold the files back.
  const open = { from: hour(-1), to: hour(3) };
  await box.getByLabel('From 2').fill(open.from);
  await box.getByLabel('To 2').fill(open.to);
  assert.deepEqual(await axeViolations(page), []);
  await shot(page, 'site-budget-form');
  await box.getByRole('button', { name: 'Remove these hours, 1' }).click();
  await box.getByRole('button', { name: 'Save the limits' }).click();
  await box.getByText(/ of 1\.0 MB/).waitFor();
  const set = await budget();
  assert.deepEqual([set?.metered, set?.bytes_per_month, set?.file_hours], [true, 1_000_000, [open]]);
  await page
    .getByText('The bytes that are left of this month are too few for these files, so they wait. They go on')
    .waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'site-budget'), []);
  await page.setViewportSize(DESK.viewport);
  await box.getByText('Emergency: lift the limits').click();
  await box.getByLabel('For').selectOption({ label: '8 hours' });
  await box.scrollIntoViewIfNeeded();
  await shot(page, 'site-budget-lift');
  await box.getByRole('button', { name: 'Lift all limits' }).click();
  await box.getByText('All limits are lifted until').waitFor();
  await until(async () => (await there.call('artifacts_transfer', { id: log })).state === 'here', 'the log arrives');
  await box.getByRole('button', { name: 'Set the limits again now' }).click();
  await box.getByText('All bytes of this month are used. Only alerts and safety are sent until').waitFor();
  await page
    .getByRole('link', { name: /Head office/ })
    .first()
    .waitFor();
  await shot(page, 'site-budget-used-up');
  await using dark = await openOffice(site.node.http, 'head-office', DARK);
  await dark.page.getByText('All bytes of this month are used.').waitFor();
  assert.deepEqual(await axeViolations(dark.page), []);
  await shot(dark.page, 'site-budget-used-up-dark');
  await using fleet = await openOffice(cloud.node.http, 'head-office', DARK);
  await fleet.page.getByText('the site sends only alerts, and it calls every 60 minutes').waitFor();
  await shot(fleet.page, 'fleet-used-up');
  assert.deepEqual(await axeViolations(fleet.page), []);
  assert.deepEqual(await sizesThatStickOut(fleet.page, 'fleet-used-up'), []);
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});
