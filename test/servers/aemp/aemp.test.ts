import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, eventually, OWNER_KEY, startGateway } from '#test/support/gateway.ts';

type Json = { Links: { rel: string; href: string }[]; Equipment: Record<string, Record<string, unknown>>[] } & Record<
  string,
  unknown
>;

/** A gateway with a fleet, and a reader of `/aemp/v2` on it. */
async function fleetOf(machines: number) {
  const gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  for (let i = 0; i < machines; i += 30)
    await Promise.all(
      Array.from({ length: Math.min(30, machines - i) }, (_, k) =>
        client.call('equipment_create', { unit_number: `HT-${i + k}` }),
      ),
    );
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(path.startsWith('http') ? path : `${gateway.node.http}/aemp/v2/${path}`, {
      headers: { authorization: `Bearer ${OWNER_KEY}`, accept: 'application/json', ...headers },
    });
  return { gateway, client, project, get, json: async (path: string) => (await (await get(path)).json()) as Json };
}

test('[W15] the pages of a fleet snapshot have every machine once, and links to the next page', async () => {
  const { gateway, json } = await fleetOf(230);
  await using _ = gateway;
  const seen: string[] = [];
  let next: string | undefined = 'Fleet';
  let pages = 0;
  while (next !== undefined) {
    const page: Json = await json(next);
    pages++;
    seen.push(...page.Equipment.map(({ EquipmentHeader }) => String(EquipmentHeader?.EquipmentID)));
    next = page.Links.find(({ rel }) => rel === 'next')?.href;
  }
  assert.equal(pages, 3);
  assert.deepEqual(seen.toSorted(), Array.from({ length: 230 }, (_, i) => `HT-${i}`).toSorted());
  const beyond = await json('Fleet/9');
  assert.deepEqual(beyond.Equipment, []);
});

test('[W15] values have their own times and units, unknown values are left out, and XML equals JSON', async () => {
  const { gateway, client, get, json } = await fleetOf(1);
  await using _ = gateway;
  const machine = await addMachine(client, 'EX <7> & "8"');
  await client.call('equipment_update', {
    id: machine.equipment_id,
    oem_name: 'Volvo',
    model: 'EC950',
    serial_number: '11/22',
    pin: 'vceec950abc',
  });
  const start = Date.now() - 4 * 3_600_000;
  const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
  for (let i = 0; i < 240; i += 120)
    await client.call('devices_telemetry', {
      id: machine.device,
      points: Array.from({ length: 120 }, (_, k) => ({
        observed_at: at(i + k),
        values: {
          'engine.hours': 1_000 + (i + k) / 60,
          'fuel.level': 80,
          'position.latitude': -23.5,
          'position.longitude': 119.25,
        },
      })),
    });
  const known = await eventually(
    () => json('Fleet/Equipment/PIN/VCEEC950ABC'),
    ({ Equipment: [one] }) => one?.CumulativeOperatingHours?.Hour === 1_000 + 239 / 60,
  );
  const [one] = known.Equipment;
  assert.deepEqual(one?.FuelRemaining, { datetime: `${at(239).slice(0, 19)}Z`, Percent: 80 });
  assert.deepEqual(one?.Location, { datetime: `${at(239).slice(0, 19)}Z`, Latitude: -23.5, Longitude: 119.25 });
  assert.equal(one?.DEFRemaining, undefined);
  assert.deepEqual((await json('Fleet/Equipment/MakeModelSerial/Volvo/EC950/11%2F22')).Equipment, known.Equipment);
  const xml = await (await get('Fleet/Equipment/PIN/VCEEC950ABC', { accept: '*/*' })).text();
  assert.match(
    xml,
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<Fleet xmlns="http:\/\/standards.iso.org\/iso\/15143\/-3"/,
  );
  assert.ok(xml.includes('<EquipmentID>EX &lt;7&gt; &amp; &quot;8&quot;</EquipmentID>'), xml);
  assert.ok(xml.includes(`<FuelRemaining datetime="${at(239).slice(0, 19)}Z"><Percent>80</Percent></FuelRemaining>`));
  assert.ok(!xml.includes('DEFRemaining'));

  const [from, to] = [`${at(0).slice(0, 19)}Z`, `${at(300).slice(0, 19)}Z`];
  const path = `Fleet/Equipment/PIN/VCEEC950ABC/CumulativeOperatingHours/${from}/${to}`;
  const hours: unknown[] = [];
  let next: string | undefined = path;
  let pages = 0;
  while (next !== undefined) {
    const page: Json = await json(next);
    pages++;
    hours.push(...(page.CumulativeOperatingHours as { Hour: number }[]).map(({ Hour }) => Hour));
    next = page.Links.find(({ rel }) => rel === 'next')?.href;
  }
  assert.equal(pages, 3);
  assert.deepEqual(
    hours,
    Array.from({ length: 240 }, (_, i) => 1_000 + i / 60),
  );
  const series = await (await get(path, { accept: 'application/xml' })).text();
  assert.equal(series.match(/<CumulativeOperatingHours datetime="[^"]+"><Hour>/g)?.length, 100);
});

test('[W15] a wrong key, project, method, element or time gets its specific error', async () => {
  const { gateway, project, get } = await fleetOf(2);
  await using _ = gateway;
  const path = `${gateway.node.http}/aemp/v2/Fleet`;
  const code = async (response: Response) =>
    [response.status, ((await response.json()) as { error: { code: string } }).error.code] as const;
  assert.deepEqual(await code(await fetch(path)), [401, 'authentication_required']);
  const password = `Basic ${Buffer.from(`anyone:${OWNER_KEY}`).toString('base64')}`;
  assert.equal((await get('Fleet', { authorization: password })).status, 200);
  assert.equal(
    (await fetch(`${gateway.node.http}/api/v1/projects`, { headers: { authorization: password } })).status,
    401,
  );
  assert.deepEqual(await code(await fetch(path, { method: 'POST' })), [405, 'method_not_allowed']);
  assert.deepEqual(await code(await get('Fleet', { accept: 'text/html' })), [406, 'not_acceptable']);
  assert.deepEqual(await code(await get('Fleet/0')), [400, 'parameter_invalid']);
  assert.deepEqual(await code(await get('Fleet/Equipment/ID/nobody')), [404, 'not_found']);
  const series = 'Fleet/Equipment/ID/HT-0';
  const span = '2026-01-01T00:00:00Z/2026-01-02T00:00:00Z';
  assert.deepEqual(await code(await get(`${series}/Toasters/${span}`)), [404, 'not_found']);
  assert.deepEqual(await code(await get(`${series}/FuelUsed/yesterday/today`)), [400, 'parameter_invalid']);
  await gateway.client.call('projects_create', { name: 'Other' });
  assert.deepEqual(await code(await get('Fleet')), [400, 'project_required']);
  assert.equal((await get('Fleet', { 'project-id': project.id })).status, 200);
});
