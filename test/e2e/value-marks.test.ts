/** A value that has passed a threshold is marked with a shape, and a low tank makes the look of its machine agree with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '#contract/client.ts';
import { addMachine, eventually, startGateway } from '#test/support/gateway.ts';
import { misfits, shot, withoutBrowser } from './browser.ts';
import { openOffice, sharedBrowser } from './shared-browser.ts';

const BELOW = [
  { at: 20, level: 'warning' as const, below: true },
  { at: 10, level: 'critical' as const, below: true },
];

test('[U447] a value past a threshold has a shape in lists, on old TVs and in the strip, and a low tank is in trouble everywhere', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const shift_pattern = [{ name: 'all day', starts: '00:00', ends: '00:00' }];
  const { project } = await gateway.client.call('projects_create', {
    name: 'North Pit',
    timezone: 'UTC',
    shift_pattern,
  });
  const client = gateway.project(project.id);
  const machines = [
    { ...(await addMachine(client, 'HT-01')), level: 3 },
    { ...(await addMachine(client, 'HT-02')), level: 15 },
    { ...(await addMachine(client, 'HT-03')), level: 80 },
  ];
  const beat = () =>
    Promise.all(
      machines.map(({ key, device, level }) =>
        createClient({ base_url: gateway.node.http, key }).call('devices_telemetry', {
          id: device,
          points: [{ observed_at: new Date().toISOString(), values: { 'engine.speed': 1_500, 'fuel.level': level } }],
        }),
      ),
    );
  await beat();
  const timer = setInterval(() => void beat().catch(() => undefined), 3_000);
  try {
    const query = { signals: ['fuel.level' as const] };
    const place = (x: number) => ({ x, y: 0, w: 6, h: 6 });
    const board = await client.call('dashboards_create', {
      name: 'Fuel',
      widgets: [
        { type: 'machine_list', position: place(0), query, thresholds: BELOW },
        { type: 'status_board', position: place(6), query, thresholds: BELOW },
      ],
    });
    const share = await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
    const path = new URL(share.url ?? '').pathname;
    await eventually(
      async () => (await client.call('equipment_list', { include: 'attention' })).data,
      (all) => all.filter(({ attention }) => attention?.place === 1).length === 1,
    );
    const chromium = await sharedBrowser();
    for (const theme of ['tv-dark', 'tv-light'] as const) {
      const current = await client.call('dashboards_get', { id: board.id });
      await client.call('dashboards_update', { id: board.id, theme }, { if_match: current.revision });
      await using tv = await chromium.open(gateway.node.http + path, { viewport: { width: 1920, height: 1080 } });
      const { page } = tv;
      await page.locator('.list [data-level="critical"]', { hasText: '3' }).waitFor();
      const shape = (level: string) =>
        page.locator(`.list [data-level="${level}"]`).evaluate((cell) => {
          const { clipPath, width, content } = getComputedStyle(cell, '::before');
          return content === 'none' ? null : `${clipPath.split(',').length} ${Number.parseFloat(width) > 10}`;
        });
      assert.deepEqual(
        [await shape('warning'), await shape('critical'), await shape('normal')],
        ['3 true', '19 true', null],
      );
      // The look of the machine agrees with the colour of its value.
      await page.locator('.machine:has(h2:text-is("HT-01"))[data-grade="look"]', { hasText: 'Fuel 3 %' }).waitFor();
      await page.locator('.machine:has(h2:text-is("HT-02")) .detail[data-level="warning"]').waitFor();
      assert.equal(await page.textContent('header .counts'), 'Look soon: 1Fine: 2');
      assert.deepEqual(await misfits(page, 1080 * 0.037), []);
      await shot(page, `value-marks-${theme}`);
    }
    await using old = await chromium.open(gateway.node.http + path.replace('/tv/', '/tv/lite/'));
    await old.page.locator('td.number.critical .mark-critical').waitFor();
    await old.page.locator('td.number.warning .mark-warning').waitFor();
    await shot(old.page, 'value-marks-lite');
    await using office = await openOffice(gateway.node.http, 'now');
    await office.page.getByText('Look soon: 1').waitFor();
    await office.page.getByText('Fuel 3 %').waitFor();
    await office.page.goto(`${gateway.node.http}/#story/${machines[0]?.equipment_id}`);
    await office.page.getByText('Why first?').click();
    await office.page.getByText(/low tank 25/).waitFor();
  } finally {
    clearInterval(timer);
  }
});
