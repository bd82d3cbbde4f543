/** A site with data for every kind of tile, and boards with all of them. */
import assert from 'node:assert/strict';
import { type Client, createClient } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import { addMachine, eventually, type TestGateway, type TestMachine } from '#test/support/gateway.ts';
import type { TestBrowser } from './browser.ts';

type Widget = NonNullable<Input<'dashboards_create'>['widgets']>[number];

const UNITS = ['HT-01', 'HT-02', 'HT-03', 'HT-04', 'EX-01', 'EX-02', 'WL-01', 'DZ-01', 'WT-01', 'CAT-797F-000123'];
/** The place of the pit. */
export const PIT = { lat: -23.36, lon: 119.73 };

/** A fence from corners in metres east and north of the pit. */
function fence(corners: readonly (readonly [x: number, y: number])[]) {
  const ring = [...corners, corners[0] ?? ([0, 0] as const)].map(([x, y]): [number, number] => [
    PIT.lon + x / 102_080,
    PIT.lat + y / 111_195,
  ]);
  return { type: 'Polygon' as const, coordinates: [ring] };
}

/** A picture like that of a camera, drawn by the browser. */
export async function picture(chromium: TestBrowser, words: string): Promise<Blob> {
  await using blank = await chromium.open('about:blank', { viewport: { width: 960, height: 540 } });
  await blank.page.setContent(
    `<body style="margin:0;font:700 60px sans-serif;color:#fff;background:linear-gradient(#7fa7c9 0 45%,#b08d57 45% 70%,#6d5634 70%)"><p style="margin:40px">${words}</p>`,
  );
  return new Blob([Uint8Array.from(await blank.page.screenshot({ type: 'jpeg', quality: 70 }))]);
}

/** Makes the site. */
export async function tileSite(gateway: TestGateway, chromium: TestBrowser) {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit', timezone: 'Australia/Perth' });
  const client = gateway.project(project.id);
  const location = async (
    name: string,
    kind: 'site' | 'pit' | 'haul_road' | 'crusher',
    corners: [number, number][],
    parent?: string,
  ) =>
    (
      await client.call('locations_create', {
        name,
        kind,
        geofence: fence(corners),
        ...(parent && { parent_id: parent }),
      })
    ).id;
  const all = await location('North Pit', 'site', [
    [-900, -600],
    [1_000, -650],
    [1_050, 600],
    [-850, 650],
  ]);
  await location(
    'Pit 3',
    'pit',
    [
      [-780, -480],
      [-80, -520],
      [40, -60],
      [-300, 180],
      [-760, 60],
    ],
    all,
  );
  await location(
    'Haul road',
    'haul_road',
    [
      [40, -60],
      [120, -100],
      [560, 260],
      [500, 330],
    ],
    all,
  );
  await location(
    'Crusher',
    'crusher',
    [
      [500, 250],
      [900, 250],
      [900, 540],
      [500, 540],
    ],
    all,
  );
  const machines: TestMachine[] = [];
  for (const unit of UNITS) machines.push(await addMachine(client, unit));
  const camera = await client.call('devices_provision', { serial: 'CAM-1', kind: 'camera', name: 'Crusher feed' });
  const base = gateway.node.http;
  await Promise.all(machines.map((machine, i) => (i === 8 ? undefined : report(base, machine, i))));
  for (const [i, status] of [
    [3, 'down'],
    [5, 'maintenance'],
  ] as const)
    await client.call('equipment_update', { id: machines[i]?.equipment_id ?? '', status });
  await tickets(client, machines);
  await client.call('equipment_append_event', {
    id: machines[3]?.equipment_id ?? '',
    type: 'downtime.started',
    occurred_at: new Date(Date.now() - 3_600_000).toISOString(),
  });
  await client.call('alert_rules_create', {
    name: 'Coolant too hot',
    signal: 'engine.coolant_temperature',
    op: 'gte',
    value: 107,
    severity: 'critical',
  });
  const frame = async (words: string, sequence: number) => {
    const answer = await fetch(`${base}/api/v1/devices/stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${camera.credential.key}`,
        'content-type': 'image/jpeg',
        'idempotency-key': `frame-${sequence}`,
        'x-sequence': String(sequence),
        'x-captured-at': new Date().toISOString(),
      },
      body: await picture(chromium, words),
    });
    assert.equal(answer.status, 202, await answer.text());
  };
  await frame('Crusher feed 1', 1);
  return { client, project, machines, camera: camera.device.id, frame };
}

/** Sends values of a machine over HTTP with the key of its device. */
export async function report(
  base: string,
  machine: TestMachine,
  i: number,
  more: Record<string, number> = {},
): Promise<void> {
  const device = createClient({ base_url: base, key: machine.key });
  const values = {
    'engine.speed': 1_500,
    'engine.load': 60 + i,
    'engine.fuel_rate': 20 + 9.3 * i,
    'engine.hours': 12_000.4 + 511 * i,
    'engine.coolant_temperature': 88,
    'fuel.level': [74, 8, 55, 18, 91, 37, 66, 23, 40, 47][i] ?? 50,
    'position.latitude': PIT.lat + ([-300, -200, 100, 400, -150, -380, 380, -420, 0, -250][i] ?? 0) / 111_195,
    'position.longitude': PIT.lon + ([-500, -200, 200, 640, -420, -620, 760, -150, 0, -170][i] ?? 0) / 102_080,
    'position.heading': (i * 53) % 360,
    ...more,
  };
  await device.call('devices_telemetry', {
    id: machine.device,
    points: [30, 20, 10, 0].map((s) => ({ observed_at: new Date(Date.now() - s * 1000).toISOString(), values })),
  });
}

async function tickets(client: Client, machines: readonly TestMachine[]): Promise<void> {
  const make = (i: number, title: string, more: Partial<Input<'repair_tickets_create'>> = {}) =>
    client.call('repair_tickets_create', { equipment_id: machines[i]?.equipment_id ?? '', title, ...more });
  await make(3, 'Brake accumulator leaks', { safety_critical: true });
  await make(0, 'Tyre 4 worn', { priority: 'high', due_at: new Date(Date.now() - 7_200_000).toISOString() });
  await make(9, 'Cabin light');
  const work = await make(5, '2000 h service', { type: 'preventive' });
  await client.call('repair_tickets_update', { id: work.id, status: 'in_progress' });
  const held = await make(7, 'Ripper cylinder seal', { priority: 'high' });
  await client.call('repair_tickets_update', { id: held.id, status: 'in_progress' });
  await client.call('repair_tickets_update', { id: held.id, status: 'on_hold', hold_reason: 'parts' });
}

/** The position of a widget. */
export const at = (x: number, y: number, w: number, h: number) => ({ x, y, w, h });

/** Returns boards with all kinds of tiles, large and small. */
export function tileBoards(
  camera: string,
  playlist: string,
): { name: string; theme?: 'tv-light'; widgets: Widget[] }[] {
  const low = [
    { at: 20, level: 'warning' as const, below: true },
    { at: 10, level: 'critical' as const, below: true },
  ];
  const share = { kind: 'playlist' as const, object_id: playlist };
  return [
    {
      name: 'Where they are',
      widgets: [
        { type: 'map', position: at(0, 0, 8, 6) },
        {
          type: 'bar',
          title: 'Fuel in the tank',
          position: at(8, 0, 4, 6),
          query: { signal: 'fuel.level' },
          thresholds: low,
        },
      ],
    },
    {
      name: 'Workshop',
      widgets: [
        { type: 'ticket_board', title: 'Repairs', position: at(0, 0, 8, 6) },
        { type: 'alert_feed', title: 'Alerts', position: at(8, 0, 4, 6) },
      ],
    },
    {
      name: 'Shift',
      widgets: [
        { type: 'shift_progress', position: at(0, 0, 5, 6) },
        {
          type: 'machine_list',
          title: 'Machines',
          position: at(5, 0, 7, 6),
          query: { signal: 'fuel.level', signals: ['engine.hours', 'engine.fuel_rate'] },
          thresholds: low,
        },
      ],
    },
    {
      name: 'The days',
      widgets: [
        { type: 'day', position: at(0, 0, 7, 6) },
        { type: 'day', title: 'What we did', position: at(7, 0, 5, 4), params: { day: 'yesterday' } },
      ],
    },
    {
      name: 'Small ones',
      theme: 'tv-light',
      widgets: [
        { type: 'camera', position: at(0, 0, 4, 3), query: { device_id: camera } },
        { type: 'qr', title: 'On your phone', position: at(4, 0, 2, 3), params: { share, caption: 'Scan me' } },
        { type: 'qr', title: 'Manual', position: at(6, 0, 2, 3), params: { text: 'https://example.org/m' } },
        { type: 'map', title: 'Pit', position: at(8, 0, 4, 3) },
        { type: 'machine_list', position: at(0, 3, 3, 3), query: { signal: 'engine.hours' } },
        { type: 'bar', position: at(3, 3, 2, 3), query: { signal: 'engine.hours' } },
        { type: 'ticket_board', position: at(5, 3, 2, 3) },
        { type: 'alert_feed', position: at(7, 3, 2, 3) },
        { type: 'shift_progress', position: at(9, 3, 3, 3) },
      ],
    },
  ];
}

/** Reports a hot engine for the first machine, and waits for its critical alert. */
export async function overheat(url: string, client: Client, machines: readonly TestMachine[]): Promise<void> {
  const [hot] = machines;
  assert.ok(hot);
  await report(url, hot, 0, { 'engine.coolant_temperature': 109 });
  await eventually(
    () => client.call('alerts_list', { state: 'active', severity: 'critical' }),
    ({ data }) => data.length > 0,
  );
}
