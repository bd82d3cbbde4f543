/** Pages that only a site with a head office has, at both ends. */
import { addMachine, connectDevice, OWNER_KEY } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { apart, End, twoEnds } from '#test/sync/ends.ts';
import { ALL_VIEWS, LONG_VIEWS, lookAt, openOffice, walkOffice } from './office.ts';
import type { Run } from './run.ts';
import { visitsOf } from './visits.ts';

const urlOf = ({ port }: End): string => `http://127.0.0.1:${port}`;

/** Looks at head office without a site, and then at a site and head office with an alert, repairs and a conflict. */
export async function lookAtEnds(run: Run): Promise<void> {
  await using ends = await twoEnds();
  const { site, cloud, here, there } = ends;
  const machine = await addMachine(here, 'HT-01');
  const { equipment_id } = machine;
  await here.call('repair_tickets_create', { equipment_id, title: 'Brake fades', safety_critical: true });
  await here.call('alert_rules_create', { name: 'Speed 12', signal: 'vehicle.speed', op: 'gt', value: 10 });
  const device = await connectDevice(site.mqtt, machine);
  const values = { 'vehicle.speed': 12, 'engine.speed': 900, 'engine.hours': 4_511.5 };
  await device.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify({ values }), { qos: 1 });
  await site.inStep();
  await until(async () => (await there.call('fleet_alerts_list', {})).data.length === 1, 'head office has the alert');
  await device.endAsync(true);
  await apart(
    ends,
    () => here.call('equipment_update', { id: equipment_id, name: 'North truck' }),
    () => there.call('equipment_update', { id: equipment_id, name: 'Truck 14' }),
  );
  // At head office an address of a page that it does not serve shows why.
  const isExpected = (response: { status(): number }) => [401, 404].includes(response.status());
  for (const [name, end, client] of [
    ['site', site, here],
    ['head office', cloud, there],
  ] as const) {
    const visits = (await visitsOf(client)).filter((one) => one.name.includes(run.only));
    const walk = { ...run, http: urlOf(end), key: OWNER_KEY, isExpected, visits };
    await walkOffice({ ...walk, name, views: ALL_VIEWS });
    await walkOffice({ ...walk, name: `${name}, long texts`, language: 'en-XA', views: LONG_VIEWS });
  }
  await using alone = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using look = await openOffice({ ...run, http: urlOf(alone), key: OWNER_KEY });
  await look.page.locator('main h1').first().waitFor();
  await lookAt(look, ALL_VIEWS, run.findings, 'head office without sites');
  run.findings.pages++;
}
