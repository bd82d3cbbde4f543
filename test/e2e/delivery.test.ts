/** What the pages of head office say about a change that goes to a site. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { twoEnds } from '#test/sync/ends.ts';
import { axeViolations, shot, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const DESK = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const;
const DARK = { ...DESK, colorScheme: 'dark' } as const;

test('[U200] the page of a machine or ticket at head office says whether its change has arrived at the site', {
  skip: withoutBrowser,
}, async () => {
  await using ends = await twoEnds();
  const { site, cloud, here, there } = ends;
  const { id } = await here.call('equipment_create', { unit_number: 'HT-14' });
  const ticket = await here.call('repair_tickets_create', { equipment_id: id, title: 'Brake fades' });
  await site.inStep();
  await site.kill();
  await there.call('equipment_update', { id, name: 'Big truck' });
  await there.call('repair_tickets_update', { id: ticket.id, priority: 'critical' });

  const chromium = await sharedBrowser();
  const http = `http://127.0.0.1:${cloud.port}`;
  await using machine = await chromium.open(`${http}/#machines/${id}`, DESK);
  await signIn(machine.page);
  await using repair = await chromium.open(`${http}/#tickets/${ticket.id}`, DARK);
  await signIn(repair.page);
  const waits = /Changed at head office .*Not confirmed by the site yet, waiting for/s;
  for (const [{ page }, name] of [
    [machine, 'delivery-machine'],
    [repair, 'delivery-ticket'],
  ] as const) {
    await page.getByRole('status').filter({ hasText: waits }).waitFor();
    assert.deepEqual(await axeViolations(page), []);
    assert.deepEqual(await sizesThatStickOut(page, name), []);
    await page.setViewportSize(DESK.viewport);
  }

  await site.start();
  for (const [{ page }, name] of [
    [machine, 'delivery-machine-arrived'],
    [repair, 'delivery-ticket-arrived'],
  ] as const) {
    await page
      .getByRole('status')
      .filter({ hasText: /Arrived at the site/ })
      .waitFor();
    await shot(page, name);
  }
});
