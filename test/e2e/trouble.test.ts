/** Machines in trouble on the office page and on TVs: what is wrong, who is on it, and why a machine comes first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '#contract/client.ts';
import { addMachine, startGateway } from '#test/support/gateway.ts';
import { axeViolations, shot, signIn, sizesThatStickOut, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { setScene, TROUBLE } from './wall-scene.ts';

test('[U95] the office lists machines in trouble as the wall does; one tap takes a machine, and one undoes it', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const places = async () => {
    const { data } = await scene.client.call('equipment_list', { include: 'attention' });
    return data
      .flatMap(({ unit_number, attention }) =>
        attention?.place == null ? [] : [{ unit_number, place: attention.place }],
      )
      .sort((a, b) => a.place - b.place)
      .map(({ unit_number }) => unit_number);
  };
  for (const width of [1440, 390]) {
    await using office = await chromium.open(`${gateway.node.http}/#machines`, {
      viewport: { width, height: 844 },
      hasTouch: width < 500,
    });
    const { page } = office;
    await signIn(page);
    const row = page.locator('.troubles .machine-trouble', { hasText: TROUBLE.safety });
    await row.waitFor();
    await page.locator('.troubles .machine-trouble', { hasText: TROUBLE.silent }).waitFor();
    assert.deepEqual(await page.locator('.troubles .says .link').allTextContents(), await places());
    assert.match((await row.textContent()) ?? '', /Service brake fails on the ramp, still running/);
    assert.match((await row.textContent()) ?? '', /Act now\. For .+, since .+Nobody on it yet/);
    await row.getByRole('button', { name: 'I take it', exact: true }).click();
    await row.getByText(/is on it/).waitFor();
    await row.getByRole('button', { name: 'Undo "I take it"' }).click();
    await row.getByText('Nobody on it yet').waitFor();
    assert.equal(await sticksOut(page), 0);
    // Nothing lies over the links and buttons of the page.
    const covered = await page
      .locator('nav a:visible, header button:visible, .head button:visible')
      .evaluateAll((all) =>
        all.flatMap((one) => {
          one.scrollIntoView({ block: 'center' });
          const { x, y, width: w, height: h } = one.getBoundingClientRect();
          const hit = document.elementFromPoint(x + w / 2, y + h / 2);
          return one.contains(hit) || hit?.contains(one) === true ? [] : [one.textContent];
        }),
      );
    assert.deepEqual(covered, []);
    const tall = await row.getByRole('button', { name: 'I take it', exact: true }).boundingBox();
    assert.ok((tall?.height ?? 0) >= 44);
    await row.getByRole('button', { name: TROUBLE.safety }).click();
    await page.getByRole('button', { name: 'Why first?' }).click();
    const why = page.locator('.head-trouble .why');
    await why.getByText(/First of 7 in trouble\. safety repair 70, .*still running \+10/).waitFor();
    const cut = await page
      .locator('.machine-trouble, .machine-trouble *')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).length);
    assert.equal(cut, 0, 'texts that are cut off');
    await page.locator('.machine-trouble.head-trouble').scrollIntoViewIfNeeded();
    await shot(page, `office-trouble-${width}`);
    await page.evaluate(() => scrollTo(0, 0));
    await shot(page, `office-troubles-${width}`);
    assert.deepEqual(
      office.complaints.filter((text) => !text.includes('401')),
      [],
    );
  }
});

/** The times of day that a shift has which is not now. */
function laterToday(): { starts: string; ends: string } {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  return { starts: at(6), ends: at(8) };
}

test('[U371] [V33] a breakdown that an operator reports is on every screen, outside the shift and in maintenance', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const shift_pattern = [{ name: 'later', ...laterToday() }];
  const { project } = await gateway.client.call('projects_create', {
    name: 'North Pit',
    timezone: 'UTC',
    shift_pattern,
  });
  const client = gateway.project(project.id);
  const [stuck, served] = [await addMachine(client, 'HT-07'), await addMachine(client, 'EX-02')];
  for (const [i, { key, device }] of [stuck, served].entries())
    await createClient({ base_url: gateway.node.http, key }).call('devices_telemetry', {
      id: device,
      points: [
        { values: { 'position.latitude': -23.36 + i * 0.002, 'position.longitude': 119.73, 'engine.speed': 0 } },
      ],
    });
  await client.call('equipment_update', { id: served.equipment_id, status: 'maintenance' });
  const report = async (equipment_id: string, problem: string) => {
    const { url } = await client.call('fault_links', { equipment_id });
    const answer = await fetch(`${gateway.node.http}/api/v1/fault-reports/${url?.split('/report/')[1]}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ problem, reporter: 'Ana Ruiz', stopped: true }),
    });
    assert.equal(answer.status, 201);
    await answer.body?.cancel();
  };
  await report(stuck.equipment_id, 'engine');
  await report(served.equipment_id, 'leak');

  const whole = { x: 0, y: 0, w: 12, h: 6 };
  for (const theme of ['tv-dark', 'tv-light'] as const) {
    const board = await client.call('dashboards_create', {
      ...{ name: theme, theme, widgets: [{ type: 'status_board', position: whole }] },
    });
    const list = await client.call('playlists_create', {
      ...{ name: theme, items: [{ dashboard_id: board.id, duration_s: 3_600 }] },
    });
    const share = await client.call('display_shares', { kind: 'playlist', object_id: list.id });
    await using tv = await chromium.open(gateway.node.http + new URL(share.url ?? '').pathname, {
      viewport: { width: 1920, height: 1080 },
    });
    const hero = tv.page.locator('.layer.shown .trouble', { hasText: 'HT-07' });
    await hero.getByText('Cannot work: Engine').waitFor();
    await tv.page.locator('.layer.shown .trouble', { hasText: 'EX-02' }).getByText('Cannot work').first().waitFor();
    await tv.page
      .locator('header .counts')
      .filter({ hasText: /^Act now: 1Look soon: 1/ })
      .waitFor();
    assert.deepEqual(await axeViolations(tv.page), []);
    await shot(tv.page, `breakdown-${theme}`);
  }

  await using office = await chromium.open(`${gateway.node.http}/#now`, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await signIn(page);
  for (const place of ['now', 'machines', 'map']) {
    await page.goto(`${gateway.node.http}/#${place}`);
    if (place === 'map') {
      await page.locator('.map-machine[data-grade="act"][aria-label*="HT-07, Cannot work: Engine"] i').waitFor();
      await page.locator('.map-machine[data-grade="look"][aria-label*="EX-02"] i').waitFor();
    } else {
      await page.locator('main').getByText('Cannot work: Engine').first().waitFor();
      await page.locator('main').getByText('Cannot work: Leak or hydraulics').first().waitFor();
    }
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await sizesThatStickOut(page, `breakdown-${place}-${colorScheme}`), []);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  const ticket = (await client.call('repair_tickets_list', { equipment_id: served.equipment_id })).data[0];
  await page.goto(`${gateway.node.http}/#tickets/${ticket?.id}`);
  await page.getByText('Flagged. The reporter says that the machine cannot work.').waitFor();
  await shot(page, 'breakdown-ticket');

  // While a mechanic works on it, the machine is still in trouble.
  await client.call('repair_tickets_update', { id: ticket?.id ?? '', status: 'in_progress' });
  await page.goto(`${gateway.node.http}/#machines`);
  const row = page.locator('.troubles .machine-trouble', { hasText: 'EX-02' });
  await row.getByText('Somebody is on it').waitFor();
  assert.match((await row.textContent()) ?? '', /Cannot work: Leak or hydraulics/);
  await shot(page, 'breakdown-served');
});
