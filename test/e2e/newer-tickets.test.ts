/** The pages of head office show a repair ticket whose status only the newer version of its site knows. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '#test/support/until.ts';
import { End, enrol } from '#test/sync/ends.ts';
import { axeViolations, shot, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { DESK, sharedBrowser } from './shared-browser.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, '..', 'support', 'other-version.ts')).href;

test('[U255] [Y250] a ticket with an unknown status has a column of its own, and the machine has an open repair', {
  skip: withoutBrowser,
}, async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start({ NODE_OPTIONS: `--import=${HOOK}`, TEST_VERSION: 'newer' });
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  const [here, there] = [site.client(project), cloud.client(project)];
  const { id: machine } = await here.call('equipment_create', { unit_number: 'HT-1' });
  const { id } = await here.call('repair_tickets_create', {
    ...{ equipment_id: machine, title: 'Brake fades', safety_critical: true, priority: 'critical' },
  });
  await here.call('repair_tickets_create', { equipment_id: machine, title: 'Mirror is loose' });
  for (const status of ['in_progress', 'waiting'])
    await here.call('repair_tickets_update', { id, status: status as 'in_progress' });
  await until(
    async () => (await cloud.client().call('projects_list', {})).data.some((one) => one.id === project),
    'head office has the project',
  );
  await until(
    async () => (await there.call('repair_tickets_list', { status: 'unknown' })).data[0]?.id === id,
    'head office has the ticket',
  );
  await there.call('dashboards_create', {
    name: 'Repairs',
    widgets: [{ type: 'ticket_board', title: 'Repairs', position: { x: 0, y: 0, w: 12, h: 6 } }],
  });
  const board = (await there.call('dashboards_list', {})).data.find(({ name }) => name === 'Repairs');
  const { url } = await there.call('display_shares', {
    kind: 'dashboard',
    object_id: board?.id ?? '',
    action: 'read-or-create',
  });

  const chromium = await sharedBrowser();
  const http = `http://127.0.0.1:${cloud.port}`;
  await using office = await chromium.open(`${http}/#tickets`, DESK);
  const { page } = office;
  await signIn(page);
  const column = page.getByRole('region', { name: 'Unknown status' });
  await column.getByRole('link', { name: /Brake fades/ }).waitFor();
  assert.match((await column.textContent()) ?? '', /A newer version gave a status that this version does not know/);
  assert.equal(await page.getByRole('link', { name: /Brake fades/ }).count(), 1);
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(await sizesThatStickOut(page, 'tickets-unknown'), []);
  await page.setViewportSize(DESK.viewport);
  await shot(page, 'tickets-unknown');

  await page.goto(`${http}/#alerts`);
  await page.getByRole('region', { name: 'Safety critical repairs' }).getByText('Brake fades').waitFor();
  await page.goto(`${http}/#machines`);
  await page.getByRole('link', { name: '2 open tickets' }).first().waitFor();
  await page.goto(`${http}/#all-repairs`);
  await page
    .getByRole('row', { name: /Brake fades/ })
    .getByText('Unknown status')
    .waitFor();

  await using wall = await chromium.open(url ?? '', { viewport: { width: 1920, height: 1080 } });
  await wall.page.getByRole('heading', { name: /Unknown status/ }).waitFor();
  await wall.page.getByText('Brake fades').waitFor();
  await shot(wall.page, 'wall-unknown');
});
