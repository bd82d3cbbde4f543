/** The main flows of the office by keyboard alone: Tab, Enter, Space, arrow keys and typed text. The pointer is never used. */
import type { Page } from 'playwright';
import {
  addMachine,
  connectDevice,
  eventually,
  OWNER_KEY,
  startGateway,
  type TestGateway,
} from '#test/support/gateway.ts';
import { openLook } from './checks.ts';
import { WINDOWS } from './office.ts';
import type { Run } from './run.ts';

/** A person who uses only the keyboard. */
class Keys {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses Tab until the control with this name has the focus; fails after 250 presses. */
  async to(name: RegExp): Promise<void> {
    for (let pressed = 0; pressed < 250; pressed++) {
      const at = await this.page.evaluate(() => {
        const one = document.activeElement as HTMLInputElement | null;
        if (one === null || one === document.body) return '';
        const label = one.labels?.[0]?.textContent;
        return (one.getAttribute('aria-label') ?? label ?? one.textContent ?? '').trim();
      });
      if (name.test(at)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${name}`);
  }

  async press(name: RegExp, key = 'Enter'): Promise<void> {
    await this.to(name);
    await this.page.keyboard.press(key);
  }

  async type(name: RegExp, text: string): Promise<void> {
    await this.to(name);
    await this.page.keyboard.type(text);
  }

  sees(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor({ timeout: 20_000 });
  }

  /** Waits for a control, so that the next Tab does not run past the place where it will be. */
  async opens(page: RegExp, shows: string): Promise<void> {
    await this.press(page);
    await this.page.locator(shows).first().waitFor({ timeout: 20_000 });
  }
}

/** A machine with a critical alert and a repair. */
async function furnish(gateway: TestGateway) {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-14');
  const hot = { signal: 'engine.coolant_temperature', op: 'gt', value: 105, severity: 'critical' } as const;
  await client.call('alert_rules_create', { name: 'Hot', ...hot });
  const { equipment_id } = machine;
  const ticket = await client.call('repair_tickets_create', { title: 'Leak', equipment_id });
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  const values = { 'engine.coolant_temperature': 109 };
  await mqtt.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify({ values }), { qos: 1 });
  await mqtt.endAsync();
  await eventually(
    () => client.call('alerts_list', {}),
    ({ data }) => data.length > 0,
  );
  const report = await client.call('fault_links', { equipment_id });
  return { client, ticket, report: gateway.node.http + new URL(report.url ?? '').pathname };
}

type Site = Awaited<ReturnType<typeof furnish>>;

/** Each flow checks its result with the API. */
const FLOWS: Readonly<Record<string, (keys: Keys, site: Site) => Promise<boolean>>> = {
  async 'create a machine'(keys, { client }) {
    await keys.opens(/^Machines$/, '.actions button, .head button');
    await keys.press(/^Add a machine$/);
    await keys.type(/^Unit number/, 'HT-15');
    await keys.page.keyboard.press('Enter');
    await keys.sees('No values yet');
    return (await client.call('equipment_list', { unit_number: 'HT-15' })).data.length === 1;
  },
  async 'acknowledge an alert'(keys, { client }) {
    await keys.opens(/^Alerts/, '.alert');
    await keys.press(/^Acknowledge$/);
    await keys.sees('Acknowledged: Hot.');
    return (await client.call('alerts_list', {})).data[0]?.acknowledged_at !== null;
  },
  async 'change the status of a repair'(keys, { client, ticket }) {
    await keys.opens(/^Repairs/, '.ticket-card');
    await keys.press(/Leak/);
    await keys.press(/^Start work$/);
    await eventually(
      () => client.call('repair_tickets_get', { id: ticket.id }),
      ({ status }) => status === 'in_progress',
      20,
    );
    await keys.press(/^Mark as fixed$/);
    const { status } = await eventually(
      () => client.call('repair_tickets_get', { id: ticket.id }),
      (one) => one.status === 'fixed',
      20,
    );
    return status === 'fixed';
  },
  async 'pair a TV'(keys, { client }) {
    const pairing = await client.call('display_pairings_create', {});
    await keys.opens(/^Screens$/, '.head .buttons');
    await keys.type(/^Code on the TV/, pairing.user_code ?? '');
    await keys.page.keyboard.press('Enter');
    await keys.sees(/Paired\. The TV shows/);
    const polled = await client.call('display_pairings_poll', { device_code: pairing.device_code ?? '' });
    return polled.status === 'approved';
  },
  async 'make and change a board'(keys, { client }) {
    await keys.opens(/^Screens$/, '.head .buttons');
    await keys.opens(/^New board$/, '.templates button');
    await keys.press(/^Empty board/);
    await keys.page.locator('.add-tile').waitFor();
    await keys.press(/^Add a tile/);
    await keys.press(/^Notice/);
    await keys.page.locator('.tile-box').waitFor();
    await keys.press(/^Save$/);
    await keys.sees(/Saved/);
    const board = (await client.call('dashboards_list', { limit: 50 })).data.find((one) => one.name === 'Empty board');
    return board?.widgets.length === 1;
  },
  async 'set up a site'(keys, { client }) {
    await keys.page.evaluate(() => {
      location.hash = 'setup';
    });
    await keys.page.locator('textarea').waitFor();
    await keys.type(/^Describe the site/, 'WL-01 to WL-02 are Cat 966 wheel loaders.');
    await keys.press(/^Read the description$/);
    await keys.page.locator('.plan-equipment').first().waitFor();
    await keys.press(/^Make \d+ objects?$/);
    await keys.sees(/^Made \d+ machines/);
    return (await client.call('equipment_list', { limit: 50 })).data.some((one) => one.unit_number === 'WL-02');
  },
};

/** Runs each flow, and reports those that fail. */
export async function useKeyboard(run: Run): Promise<void> {
  await using gateway = await startGateway();
  const site = await furnish(gateway);
  const isExpected = (response: { status(): number }) => response.status() === 401;
  const note = async (name: string, work: () => Promise<boolean>) => {
    if (!name.includes(run.only)) return;
    run.findings.pages++;
    const problem = await work().then(
      (isDone) => (isDone ? null : 'the gateway does not have the result'),
      (error: unknown) => String(error).split('\n')[0] ?? '',
    );
    if (problem !== null) run.findings.add(`keyboard: ${name}`, [problem]);
    run.say(`${problem === null ? 'ok   ' : 'FAULT'} keyboard: ${name}${problem === null ? '' : `: ${problem}`}`);
  };
  await using office = await openLook(run.chromium, gateway.node.http, { viewport: WINDOWS.desk }, isExpected);
  const keys = new Keys(office.page);
  await keys.page.locator('main.card form').waitFor();
  await keys.type(/^Key/, OWNER_KEY);
  await keys.page.keyboard.press('Enter');
  await note('sign in', async () => {
    await keys.page.locator('nav.pages').waitFor({ timeout: 20_000 });
    return true;
  });
  for (const [name, flow] of Object.entries(FLOWS)) await note(name, () => flow(keys, site));
  await using phone = await openLook(run.chromium, site.report, { viewport: WINDOWS.phone });
  const fingers = new Keys(phone.page);
  await note('report a fault', async () => {
    await phone.page.locator('.not-ok').waitFor();
    await fingers.opens(/^Not OK/, '#reporter');
    await fingers.type(/name/i, 'Olaf');
    await fingers.opens(/^Go on/, '.choices button');
    await fingers.press(/^Brakes/);
    await fingers.press(/^Yes/);
    await fingers.press(/^Send/);
    await phone.page.locator('[role="status"] h1').waitFor({ timeout: 20_000 });
    // The phone keeps the report first, and then sends it.
    const { data } = await eventually(
      () => site.client.call('repair_tickets_list', { limit: 50 }),
      (list) => list.data.some((one) => one.reported_by === 'Olaf'),
      20,
    );
    return data.length > 0;
  });
  run.findings.add('keyboard', [...office.faults(), ...phone.faults()]);
}
