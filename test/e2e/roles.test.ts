/**
 * Walks the pages of the office as each role, uses every button, choice and form that the role sees, and looks for answers with 403. The
 * page must not show an action or a field that the gateway refuses.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import {
  addMachine,
  connectDevice,
  eventually,
  startGateway,
  type TestGateway,
  uploadFile,
} from '#test/support/gateway.ts';
import { withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

interface Walked {
  busy: number;
  used: number;
  refused: string[];
}
type WalkWindow = Window & { walked: Walked };

/** A site with at least one object of each kind that a page shows. */
async function furnish(gateway: TestGateway) {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  await client.call('locations_create', { name: 'Pit' });
  const machine = await addMachine(client, 'HT-14');
  await client.call('equipment_update', { id: machine.equipment_id, kind: 'haul_truck' });
  await addMachine(client, 'HT-15');
  await client.call('operators_create', { name: 'Olaf' });
  await client.call('mechanics_create', { name: 'Bo' });
  const hot = { signal: 'engine.coolant_temperature', op: 'gt', value: 105, severity: 'warning' } as const;
  const rule = await client.call('alert_rules_create', { name: 'Hot', ...hot });
  const oil = { name: 'Oil', equipment_id: machine.equipment_id, every_hours: 250 };
  await client.call('maintenance_plans_create', oil);
  await client.call('inspection_checklists_add_defaults', {});
  const ticket = await client.call('repair_tickets_create', { title: 'Leak', equipment_id: machine.equipment_id });
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  const values = { 'engine.coolant_temperature': 109, 'engine.hours': 900 };
  await mqtt.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify({ values }), { qos: 1 });
  await mqtt.endAsync();
  const file = await uploadFile(
    gateway.node.http,
    machine,
    'broken.mf4',
    new TextEncoder().encode('MDF     4.10    x'),
  );
  await eventually(
    async () => {
      const { decode_task_id } = await client.call('artifacts_get', { id: file });
      return decode_task_id === null ? null : client.call('tasks_get', { task_id: decode_task_id });
    },
    (task) => task?.run?.status === 'failed',
  );
  await eventually(
    () => client.call('alerts_list', {}),
    ({ data }) => data.length > 0,
  );
  return { machine, ticket, rule };
}

/** Counts the requests of the page in progress, and remembers those that the gateway answers with 403. */
function watchRequests(key: string): void {
  sessionStorage.setItem('headframe.key', key);
  const walked: Walked = { busy: 0, used: 0, refused: [] };
  (window as unknown as WalkWindow).walked = walked;
  const send = window.fetch;
  window.fetch = async (input, init) => {
    walked.busy++;
    try {
      const answer = await send(input, init);
      if (answer.status === 403) walked.refused.push(`${location.hash}: ${init?.method ?? 'GET'} ${String(input)}`);
      return answer;
    } finally {
      walked.busy--;
    }
  };
}

/** Uses each button, choice and form of the page once. Opens the page again if a button leads to another one. */
async function useEverything(hash: string): Promise<void> {
  const { walked } = window as unknown as WalkWindow;
  const frame = () => new Promise<void>((resolve) => setTimeout(() => requestAnimationFrame(() => resolve()), 0));
  // The script of a page is loaded when the page is opened; meanwhile the page says "Loading".
  const isLoading = () => [...document.querySelectorAll('main p')].some((one) => one.textContent === 'Loading');
  const isIdle = () => walked.busy === 0 && !isLoading();
  const settle = async () => {
    for (let quiet = 0; quiet < 2; quiet = isIdle() ? quiet + 1 : 0) await frame();
  };
  const isUsable = (element: HTMLElement) => element.checkVisibility() && !element.matches(':disabled');
  /** The name of a control, without ages. All choices of one radio group have one name. */
  const nameOf = (element: HTMLElement) => {
    if (element instanceof HTMLInputElement && element.type === 'radio') return `INPUT ${element.name}`;
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : element.textContent;
    return `${element.tagName} ${element.getAttribute('aria-label') ?? label}`.replace(/\d+ s ago.*/, '').slice(0, 80);
  };
  /** Buttons that save files, copy texts or choose a range of time send no request that a role could be refused. */
  const SKIPPED = /CSV|Download|^BUTTON (Copy|\d+ [hd]$|In \d)|Show older|Print|Try this rule/;
  /** These close a form or a panel, so the other controls are used first. */
  const LAST = /^BUTTON (Close|Cancel|Back|Hide)/;
  const fill = () => {
    for (const input of document.querySelectorAll<HTMLInputElement>('main input[type=text], main textarea')) {
      if (!isUsable(input) || input.readOnly || input.value !== '') continue;
      input.value = '5';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }
  };
  const CONTROLS = 'main button, main select, main input[type=checkbox], main input[type=radio]';
  location.hash = hash;
  await settle();
  const done = new Set<string>();
  for (let round = 0; round < 80; round++) {
    for (const more of document.querySelectorAll('main details')) (more as HTMLDetailsElement).open = true;
    const all = [...document.querySelectorAll<HTMLElement>(CONTROLS)].filter(
      (element) => isUsable(element) && !done.has(nameOf(element)) && !SKIPPED.test(nameOf(element)),
    );
    const next = all.find((element) => !LAST.test(nameOf(element))) ?? all[0];
    if (next === undefined) break;
    done.add(nameOf(next));
    fill();
    await settle();
    if (next instanceof HTMLSelectElement) {
      next.selectedIndex = (next.selectedIndex + 1) % next.options.length;
      next.dispatchEvent(new Event('change', { bubbles: true }));
    } else next.click();
    walked.used++;
    await settle();
    if (location.hash !== hash) {
      location.hash = hash;
      await settle();
    }
  }
}

/** Walks the pages of a role; returns what the gateway refused, and how many controls the role has used. */
async function walk(page: Page, pages: readonly string[]): Promise<{ refused: string[]; used: number }> {
  await page.getByRole('navigation').waitFor();
  for (const hash of pages) await page.evaluate(useEverything, `#${hash}`);
  return page.evaluate(() => {
    const { refused, used } = (window as unknown as WalkWindow).walked;
    return { refused, used };
  });
}

test('[U162] no page shows a role an action or a field that the gateway refuses', {
  skip: withoutBrowser,
}, async (t) => {
  await using gateway = await startGateway();
  const { machine, ticket, rule } = await furnish(gateway);
  const pages = [
    'alerts',
    'alerts/rules',
    `alerts/rules/${rule.id}`,
    'alerts/rules/new',
    'tickets',
    `tickets/new/${machine.equipment_id}`,
    `tickets/${ticket.id}`,
    'maintenance',
    'inspections',
    `inspections/new/${machine.equipment_id}`,
    'shifts',
    'devices',
    `devices/${machine.device}`,
    `bus/${machine.device}`,
    'people/mechanics',
    'dbc',
    'screens',
    'health',
    'account',
    `machines/${machine.equipment_id}`,
  ];
  const chromium = await sharedBrowser();
  const counts: Record<string, number> = {};
  for (const role of ['viewer', 'operator', 'mechanic', 'supervisor'] as const) {
    const { secret } = await gateway.client.call('keys_create', { name: role, role });
    await using watched = await chromium.open('about:blank', { viewport: { width: 1440, height: 900 } });
    await watched.page.addInitScript(watchRequests, secret);
    await watched.page.goto(gateway.node.http);
    const { refused, used } = await walk(watched.page, pages);
    t.diagnostic(`${role}: ${used} controls used`);
    assert.deepEqual(refused, [], role);
    counts[role] = used;
  }
  const { viewer = 0, operator = 0, mechanic = 0, supervisor = 0 } = counts;
  assert.ok(viewer > 5 && operator > viewer && mechanic > operator && supervisor > mechanic, JSON.stringify(counts));
});
