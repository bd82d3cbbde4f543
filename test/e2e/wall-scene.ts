/** Sets up a site with many problems through REST and MQTT. */
import { type Client, createClient } from '#contract/client.ts';
import { addMachine, connectDevice, eventually, type TestGateway, type TestMachine } from '#test/support/gateway.ts';

const PIT = { lat: -23.36, lon: 119.73 };

/** The problems of the machines in the small scene. Other machines run without a problem. */
export const TROUBLE = {
  safety: 'LD-07',
  critical: 'HT-03',
  stopLamp: 'DZ-01',
  down: 'WL-02',
  silent: 'EX-02',
  service: 'WT-01',
  warning: 'HT-04',
} as const;
const SMALL = [
  'HT-01',
  'HT-02',
  'HT-03',
  'HT-04',
  'EX-01',
  'EX-02',
  'LD-07',
  'WL-01',
  'WL-02',
  'DZ-01',
  'WT-01',
  'GR-01',
];

export interface Scene extends AsyncDisposable {
  readonly client: Client;
  readonly machines: ReadonlyMap<string, TestMachine>;
  /** Path of the display link of the playlist that a new project has. */
  readonly wall: string;
  /** Path of the display link of a playlist with a map, a list, and a shift board. */
  readonly boards: string;
  /** Sends one round of values. */
  beat(ages_s?: readonly number[]): Promise<void>;
}

type Values = Record<string, number>;

function valuesOf(unit: string, i: number, many: boolean): Values {
  // The large scene has two crowds: the down machine and the next one at one point, the others a few metres apart.
  const [east, north] = many
    ? i % 3 === 0
      ? [700 + ((i * 7) % 50), 300 + ((i * 11) % 40)]
      : [unit === TROUBLE.down || i === 10 ? 30 : (i * 7) % 60, unit === TROUBLE.down || i === 10 ? 25 : (i * 11) % 50]
    : [
        [-500, -200, 200, 205, -420, -620, 640, 760, 0, 6, -150, -350][i] ?? 0,
        [-300, -200, 100, 96, -150, -380, 400, 380, -420, -418, 220, 300][i] ?? 0,
      ];
  return {
    'engine.speed': unit === TROUBLE.down ? 0 : 1_500,
    'engine.load': 55 + (i % 30),
    'engine.fuel_rate': unit === TROUBLE.down ? 0 : 20 + 3.3 * i,
    'engine.hours': 12_000.4 + 511 * i,
    'engine.coolant_temperature': unit === TROUBLE.critical ? 110 : unit === TROUBLE.warning ? 101 : 82 + (i % 7),
    'fuel.level': 30 + ((i * 13) % 60),
    'position.latitude': PIT.lat + north / 111_195,
    'position.longitude': PIT.lon + east / 102_080,
    'position.heading': (i * 53) % 360,
  };
}

/** A DM1 message with red stop lamp and malfunction lamp on: engine oil pressure (SPN 100) far too low. */
function dm1(): string {
  return `(${(Date.now() / 1000).toFixed(6)}) can0 18FECA00#50FF64000101FFFF\n`;
}

/** Builds the scene; `many` adds machines up to 40 and places them close together. */
export async function setScene(gateway: TestGateway, many = false): Promise<Scene> {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit', timezone: 'Australia/Perth' });
  const client = gateway.project(project.id);
  const units = [...SMALL];
  for (let i = 5; units.length < (many ? 40 : SMALL.length); i += 1) units.push(`HT-${String(i).padStart(2, '0')}`);
  const machines = new Map<string, TestMachine>();
  for (const unit of units) machines.set(unit, await addMachine(client, unit));
  const of = (unit: string): TestMachine => machines.get(unit) as TestMachine;

  const hot = { signal: 'engine.coolant_temperature' as const, op: 'gte' as const };
  await client.call('alert_rules_create', { ...hot, name: 'Coolant too hot', value: 107, severity: 'critical' });
  await client.call('alert_rules_create', { ...hot, name: 'Coolant warm', value: 100, severity: 'warning' });
  await client.call('equipment_update', { id: of(TROUBLE.down).equipment_id, status: 'down' });
  await client.call('equipment_update', { id: of(TROUBLE.service).equipment_id, status: 'maintenance' });
  await client.call('repair_tickets_create', {
    equipment_id: of(TROUBLE.safety).equipment_id,
    title: 'Service brake fails on the ramp',
    safety_critical: true,
    priority: 'critical',
  });
  await client.call('repair_tickets_create', { equipment_id: of('HT-01').equipment_id, title: 'Cabin light' });

  const { mqttPort, http } = gateway.node;
  const lamps = await connectDevice(mqttPort, of(TROUBLE.stopLamp));
  const engine = await connectDevice(mqttPort, of(TROUBLE.critical));
  const send = async (unit: string, ages_s: readonly number[]): Promise<void> => {
    const machine = of(unit);
    const values = valuesOf(unit, units.indexOf(unit), many);
    const points = ages_s.map((s) => ({ observed_at: new Date(Date.now() - s * 1000).toISOString(), values }));
    if (unit === TROUBLE.critical)
      await engine.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify(points), { qos: 1 });
    else
      await createClient({ base_url: http, key: machine.key }).call('devices_telemetry', {
        id: machine.device,
        points,
      });
  };
  const beat = async (ages_s: readonly number[] = [0]): Promise<void> => {
    const talking = units.filter((unit) => unit !== TROUBLE.silent);
    for (let i = 0; i < talking.length; i += 8)
      await Promise.all(talking.slice(i, i + 8).map((unit) => send(unit, ages_s)));
    await lamps.publishAsync(`v1/devices/${of(TROUBLE.stopLamp).device_id}/can`, dm1(), { qos: 1 });
  };
  await send(TROUBLE.silent, [18 * 60]);
  // The live status changes only after ten seconds of the same data.
  await beat([30, 20, 10, 0]);
  const timer = setInterval(() => void beat().catch(() => undefined), 5_000);

  const share = async (id: string): Promise<string> =>
    new URL((await client.call('display_shares', { kind: 'playlist', object_id: id })).url ?? '').pathname;
  const first = (await client.call('playlists_list', { limit: 1, order: 'asc' })).data[0]?.id ?? '';
  const whole = { x: 0, y: 0, w: 12, h: 6 };
  const made = [
    await client.call('dashboards_create', { name: 'Where they are', widgets: [{ type: 'map', position: whole }] }),
    await client.call('dashboards_create', {
      name: 'All machines',
      widgets: [{ type: 'machine_list', position: whole, query: { signals: ['fuel.level', 'engine.hours'] } }],
    }),
    await client.call('dashboards_create', {
      name: 'Every machine',
      widgets: [{ type: 'status_board', position: whole }],
    }),
    await client.call('dashboards_create', {
      name: 'Light',
      theme: 'tv-light',
      widgets: [{ type: 'status_board', position: whole }],
    }),
  ];
  const playlist = await client.call('playlists_create', {
    name: 'More boards',
    items: made.map(({ id }) => ({ dashboard_id: id, duration_s: 3_600 })),
  });
  const until = (enough: (names: readonly string[]) => boolean) =>
    eventually(
      async () =>
        (await client.call('alerts_list', { state: 'active', limit: 50 })).data.map(({ rule_name }) => rule_name),
      enough,
    );
  await until((names) =>
    ['Coolant too hot', 'Red stop lamp', 'Malfunction indicator lamp'].every((name) => names.includes(name)),
  );
  return {
    client,
    machines,
    wall: await share(first),
    boards: await share(playlist.id),
    beat,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await lamps.endAsync();
      await engine.endAsync();
    },
  };
}
