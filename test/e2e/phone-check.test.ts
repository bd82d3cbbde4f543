/** The page behind the QR code of a machine on a phone: OK, not OK with photos, without the gateway, and what the office then shows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { statesOf } from '#test/support/tablet-rig.ts';
import { until } from '#test/support/until.ts';
import { axeViolations, shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const skip = withoutBrowser;
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, locale: 'en-GB' };

async function makeSite(gateway: TestGateway) {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = (await client.call('equipment_create', { unit_number: 'HT-03', kind: 'haul_truck' })).id;
  const { url } = await client.call('fault_links', { equipment_id: machine });
  return { client, machine, url: `${gateway.node.http}/report/${url?.split('/report/')[1] ?? ''}` };
}

type Site = Awaited<ReturnType<typeof makeSite>>;

const tap = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
const typeName = async (page: Page, name: string) => {
  await page.getByLabel('Your name').fill(name);
  await tap(page, 'Go on');
};
const allSent = (page: Page) =>
  until(async () => (await statesOf(page)).every((state) => state === 'sent'), 'everything is sent', 100);
const checksOf = async ({ client, machine }: Site) =>
  (await client.call('equipment_events', { id: machine, type: 'checked' })).data.map(({ actor }) => actor.name);

/** A photo as a camera makes it: a PNG of this size with noise, so that it does not become small by itself. */
async function picture(page: Page, width: number, height: number) {
  const bytes = await page.evaluate(
    async ([w, h]) => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [w as number, h as number];
      const context = canvas.getContext('2d');
      const data = context?.createImageData(canvas.width, canvas.height);
      if (data !== undefined) {
        for (let i = 0; i < data.data.length; i++) data.data[i] = i % 4 === 3 ? 255 : (i * 7919) % 251;
        context?.putImageData(data, 0, 0);
      }
      const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
      return [...new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))];
    },
    [width, height],
  );
  return { name: 'brake.png', mimeType: 'image/png', buffer: Buffer.from(bytes) };
}

/** Targets that a gloved thumb hits: each control is at least 72 px high. */
async function smallTargets(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const one of await page.locator('button:visible, input:visible, textarea:visible').all())
    if (((await one.boundingBox())?.height ?? 0) < 72) found.push((await one.textContent()) ?? '');
  return found;
}

test('[U459] [U460] [U464] the label opens "This is HT-03"; OK stores a check with who and when, and asks the name once', {
  skip,
}, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open(site.url, { ...PHONE, colorScheme: 'dark' });
  const { page } = phone;
  await page.getByRole('heading', { name: 'This is HT-03' }).waitFor();
  await page.getByText('North Pit').waitFor();
  await page.getByText('Works without Wi-Fi').waitFor();
  assert.equal(await page.evaluate('getComputedStyle(document.body).colorScheme'), 'light', 'a phone is in the sun');
  const looks = async (name: string) => {
    await shot(page, `phone-${name}`);
    assert.deepEqual(await axeViolations(page), [], name);
    assert.equal(await sticksOut(page), 0, name);
    assert.deepEqual(await smallTargets(page), [], name);
  };
  await looks('choose');
  const [bad, good] = await Promise.all(
    [/^Not OK/, /^OK/].map((name) => page.getByRole('button', { name }).boundingBox()),
  );
  assert.ok((bad?.height ?? 0) > 200 && (good?.height ?? 0) > 200, 'the two choices fill the screen');
  await tap(page, /^OK/);
  await looks('name');
  await typeName(page, 'Ben Kato');
  await page.getByRole('heading', { name: 'HT-03 is OK' }).waitFor();
  await page.getByText(/^Checked at \d\d:\d\d by Ben Kato\. Have a safe shift\.$/).waitFor();
  await page.getByText('it has it').waitFor();
  await looks('ok');
  assert.deepEqual(await checksOf(site), ['Ben Kato']);
  await tap(page, 'Done');
  await page.reload();
  await page.getByText('Ben Kato').waitFor();
  await tap(page, /Not you\?/);
  await typeName(page, 'Ana Ruiz');
  await tap(page, /^OK/);
  await page.getByText(/by Ana Ruiz/).waitFor();
  await until(async () => (await checksOf(site)).length === 2, 'the gateway has both checks', 50);
  await using office = await chromium.open(`${gateway.node.http}/#story/${site.machine}`);
  await signIn(office.page);
  const line = office.page.locator('.story-log li', { hasText: 'Ben Kato' });
  await line.waitFor();
  await shot(office.page, 'phone-log-office');
  assert.match((await line.textContent()) ?? '', /Checked: OK/);
  assert.deepEqual(phone.complaints, []);
});

test('[U461] [U462] not OK with photos: each step is asked, the photos are made smaller and are on the ticket in the office', {
  skip,
}, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open(site.url, PHONE);
  const { page } = phone;
  await tap(page, /^Not OK/);
  await typeName(page, 'Ben Kato');
  const send = page.locator('button.send');
  await page.getByRole('heading', { name: 'What is wrong?' }).waitFor();
  assert.equal(await send.textContent(), 'Choose what is wrong');
  await tap(page, 'Brakes or steering');
  assert.equal(await send.textContent(), 'Say if it can keep working');
  await tap(page, /^No, stop it/);
  assert.equal(await send.textContent(), 'Send: HT-03 brakes or steering, stop');
  const input = page.locator('input[type=file]');
  assert.equal(await input.getAttribute('capture'), 'environment');
  await input.setInputFiles(await picture(page, 3_000, 2_000));
  await page.getByRole('button', { name: 'Photo, 1' }).waitFor();
  await input.setInputFiles(await picture(page, 600, 400));
  await page.getByRole('button', { name: 'Photo, 2' }).waitFor();
  await tap(page, 'Remove photo 2');
  await page.getByRole('button', { name: 'Photo, 1' }).waitFor();
  await tap(page, 'Add words');
  await page.getByLabel('Your words').fill('Pedal goes to the floor');
  await shot(page, 'phone-not-ok');
  assert.deepEqual(await axeViolations(page), []);
  assert.equal(await sticksOut(page), 0);
  assert.deepEqual(await smallTargets(page), []);
  await send.click();
  await page.getByText('Thank you. The workshop has your report.').waitFor();
  await page.getByText('1 of 1 sent').waitFor();
  await page.getByText(/^ticket RT-/).waitFor();
  await shot(page, 'phone-sent');
  assert.deepEqual(await axeViolations(page), []);
  const [ticket] = (await site.client.call('repair_tickets_list', {})).data;
  assert.deepEqual([ticket?.priority, ticket?.reported_by, ticket?.context.media.length], ['critical', 'Ben Kato', 1]);
  const file = await site.client.call('artifacts_get', { id: ticket?.context.media[0] ?? '' });
  assert.ok(file.content_type === 'image/jpeg' && file.bytes <= 660_000, `${file.content_type}, ${file.bytes} bytes`);
  await using office = await chromium.open(`${gateway.node.http}/#tickets/${ticket?.id}`);
  await signIn(office.page);
  const image = office.page.getByRole('img', { name: 'File 1' });
  await image.waitFor();
  await until(
    async () => (await image.evaluate((one) => (one as HTMLImageElement).naturalWidth)) === 1_600,
    'the office shows the photo',
    50,
  );
  await office.page.getByText('Picture added').waitFor();
  await shot(office.page, 'phone-ticket-office');
  assert.deepEqual(phone.complaints, []);
});

test('[U462] [U465] without the gateway the report and its photos wait, and each arrives exactly once', {
  skip,
}, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open(site.url, PHONE);
  const { page } = phone;
  await page.getByRole('heading', { name: 'This is HT-03' }).waitFor();
  await page.context().setOffline(true);
  await tap(page, /^Not OK/);
  await typeName(page, 'Ben Kato');
  await tap(page, 'Tyres or tracks');
  await tap(page, /^Yes, look at it soon/);
  for (const n of [1, 2]) {
    await page.locator('input[type=file]').setInputFiles(await picture(page, 500, 400 + n));
    await page.getByRole('button', { name: `Photo, ${n}` }).waitFor();
  }
  await page.locator('button.send').click();
  await page.getByText('Saved on this phone').waitFor();
  await page.getByText('0 of 2 sent').waitFor();
  await page.getByText('No Wi-Fi right now', { exact: true }).waitFor();
  await shot(page, 'phone-saved');
  assert.deepEqual(await axeViolations(page), []);
  await tap(page, 'Done');
  await tap(page, /^OK/);
  await page.getByRole('heading', { name: 'HT-03 is OK' }).waitFor();
  await tap(page, 'Done');
  await page.getByText(/^1 report is saved on this phone\. 1 check is saved on this phone\. 2 photos are/).waitFor();
  // The gateway takes the report and each photo, and the first answer to each is lost.
  const seen = new Set<string>();
  const order: string[] = [];
  await page.route('**/api/v1/fault-reports/**', async (route) => {
    const request = route.request();
    if (request.method() !== 'POST') return route.continue();
    const { photo_id, report_id } = request.postDataJSON() as { photo_id?: string; report_id: string };
    const id = photo_id ?? report_id;
    if (seen.has(id)) return route.continue();
    seen.add(id);
    order.push(new URL(request.url()).pathname.split('/').at(-1) === 'photos' ? 'photo' : 'other');
    await route.fetch();
    return route.abort();
  });
  await page.context().setOffline(false);
  await allSent(page);
  assert.equal(seen.size, 4, 'a report, a check and two photos');
  assert.deepEqual(order.slice(2), ['photo', 'photo'], 'photos go last');
  const tickets = (await site.client.call('repair_tickets_list', {})).data;
  assert.deepEqual(
    tickets.map(({ title, priority, context }) => [title, priority, context.media.length]),
    [['Tyres or tracks', 'medium', 2]],
  );
  const log = await site.client.call('repair_tickets_events', { id: tickets[0]?.id ?? '' });
  assert.deepEqual(log.data.map(({ type }) => type).sort(), ['flagged', 'photo.added', 'photo.added']);
  assert.deepEqual(await checksOf(site), ['Ben Kato']);
});

test('[U463] a file that is no photo, or a picture too large to read, says so, and the report goes without it', {
  skip,
}, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open(site.url, PHONE);
  const { page } = phone;
  await tap(page, /^Not OK/);
  await typeName(page, 'Ben Kato');
  const input = page.locator('input[type=file]');
  const add = (name: string, buffer: Buffer) => input.setInputFiles({ name, mimeType: 'image/heic', buffer });
  await add('brake.heic', Buffer.from('....ftypheic and nothing that this browser reads'));
  await page.getByText('This browser cannot read the file as a photo.').waitFor();
  // Playwright sends at most 50 MB, so the file says in the page that it is larger.
  await page.evaluate(() => {
    Object.defineProperty(File.prototype, 'size', { configurable: true, get: () => 60_000_000 });
  });
  await add('large.heic', Buffer.from('x'));
  await page.getByText('The photo is too large. Take it again with a lower resolution.').waitFor();
  await shot(page, 'phone-photo-problem');
  await tap(page, 'Lights or electrics');
  await tap(page, /^Yes, look at it soon/);
  await page.locator('button.send').click();
  await page.getByText(/^ticket RT-/).waitFor();
  const [ticket] = (await site.client.call('repair_tickets_list', {})).data;
  assert.deepEqual(ticket?.context.media, []);
});

test('[U462] [U465] a photo that the gateway refuses does not hold up its report or a later one', {
  skip,
}, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open(site.url, PHONE);
  const { page } = phone;
  // The photo is damaged on the way, so the gateway sees no picture.
  await page.route('**/photos', (route) =>
    route.continue({
      postData: JSON.stringify({ ...(route.request().postDataJSON() as object), content_base64: 'AAAAAAAA' }),
    }),
  );
  await tap(page, /^Not OK/);
  await typeName(page, 'Ben Kato');
  await tap(page, 'Engine');
  await tap(page, /^Yes, look at it soon/);
  await page.locator('input[type=file]').setInputFiles(await picture(page, 500, 400));
  await page.getByRole('button', { name: 'Photo, 1' }).waitFor();
  await page.locator('button.send').click();
  await page.getByText(/^ticket RT-/).waitFor();
  await page.getByText('0 of 1 sent').waitFor();
  await tap(page, 'Done');
  await page.getByText('The gateway did not take this photo').waitFor();
  await page.getByText('The photo must be a JPEG, PNG, WebP, GIF or AVIF image.').waitFor();
  await shot(page, 'phone-photo-refused');
  await tap(page, /^Not OK/);
  await tap(page, 'Leak or hydraulics');
  await tap(page, /^Yes, look at it soon/);
  await page.locator('button.send').click();
  await page.getByText(/^ticket RT-/).waitFor();
  assert.equal((await site.client.call('repair_tickets_list', {})).data.length, 2);
  await tap(page, 'Done');
  await tap(page, 'Delete it here');
  await page.getByText('The gateway did not take this photo').waitFor({ state: 'detached' });
});

test('[U465] photos of a refused report go with it when the person deletes it', { skip }, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open(site.url, PHONE);
  const { page } = phone;
  await page.getByRole('heading', { name: 'This is HT-03' }).waitFor();
  await site.client.call('fault_links', { equipment_id: site.machine, action: 'revoke' });
  await tap(page, /^Not OK/);
  await typeName(page, 'Ben Kato');
  await tap(page, 'Engine');
  await tap(page, /^No, stop it/);
  await page.locator('input[type=file]').setInputFiles(await picture(page, 500, 400));
  await page.getByRole('button', { name: 'Photo, 1' }).waitFor();
  await page.locator('button.send').click();
  await page.getByText('The gateway did not take this report').waitFor();
  await tap(page, 'Delete it here');
  await until(async () => (await statesOf(page)).length === 0, 'nothing is left on the phone', 50);
});

test('[U462] a phone that stores nothing sends the report and its photo directly', { skip }, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open('about:blank', PHONE);
  const { page } = phone;
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, 'indexedDB', {
      get: () => {
        throw new DOMException('The user denied permission to access the database.', 'SecurityError');
      },
    });
  });
  await page.goto(site.url);
  await tap(page, /^OK/);
  await typeName(page, 'Ben Kato');
  await page.getByRole('heading', { name: 'HT-03 is OK' }).waitFor();
  assert.deepEqual(await checksOf(site), ['Ben Kato']);
  await tap(page, 'Done');
  assert.equal(await page.getByText('Works without Wi-Fi').count(), 0, 'this phone does not');
  await tap(page, /^Not OK/);
  await tap(page, 'Engine');
  await tap(page, /^Yes, look at it soon/);
  await page.locator('input[type=file]').setInputFiles(await picture(page, 500, 400));
  await page.getByRole('button', { name: 'Photo, 1' }).waitFor();
  await page.locator('button.send').click();
  await page.getByText('1 of 1 sent').waitFor();
  const [ticket] = (await site.client.call('repair_tickets_list', {})).data;
  assert.equal(ticket?.context.media.length, 1);
});

test('[U459] the page speaks Spanish, and "back" of the phone goes one step back', { skip }, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open(site.url, {
    ...PHONE,
    viewport: { width: 360, height: 640 },
    locale: 'es-CL',
  });
  const { page } = phone;
  await page.getByRole('heading', { name: 'Esta es HT-03' }).waitFor();
  await shot(page, 'phone-es');
  assert.equal(await sticksOut(page), 0);
  await tap(page, /^Mal/);
  await page.getByLabel('Su nombre').fill('Ana Ruiz');
  await tap(page, 'Seguir');
  await page.getByText('¿Puede seguir trabajando?').waitFor();
  await tap(page, 'Frenos o dirección');
  await tap(page, /^No, hay que pararla/);
  await page.getByRole('button', { name: 'Enviar: HT-03 frenos o dirección, parar' }).waitFor();
  await shot(page, 'phone-es-not-ok');
  assert.equal(await sticksOut(page), 0);
  await page.goBack();
  await page.getByRole('heading', { name: 'Esta es HT-03' }).waitFor();
  await page.goForward();
  await page.locator('button.send').click();
  await page.getByText('Gracias. El taller tiene su aviso.').waitFor();
  await shot(page, 'phone-es-sent');
  assert.equal(await sticksOut(page), 0);
});
