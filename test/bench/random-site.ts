/** Random sites with troubles, from a seed, built through REST. The truth of each site says which machine is the worst, and why. */
import { type Client, createClient } from '#contract/client.ts';
import { random, streamOf } from '#domain/base/random.ts';
import { addMachine, type TestGateway, type TestMachine } from '#test/support/gateway.ts';

const TYPES = [
  ['HT', 'haul_truck', 0.5],
  ['EX', 'excavator', 0.12],
  ['WL', 'wheel_loader', 0.14],
  ['DZ', 'dozer', 0.1],
  ['GR', 'grader', 0.06],
  ['WT', 'water_truck', 0.05],
  ['DR', 'drill', 0.03],
] as const;
const PLACES = ['Pit North', 'Pit South', 'Main road', 'Crusher', 'Waste dump', 'Workshop'];
const PEOPLE = ['Ana Ruiz', 'Ben Kato', 'Eva Lind', 'Sam Obi'];

/**
 * What the simulation does to machines, the gravest harm first. The order is that of the harm, and says nothing of how the gateway ranks:
 *
 *   people   somebody may be hurt
 *   machine  the machine destroys itself if it goes on
 *   stopped  the machine stands, and nobody planned it
 *   later    somebody must look at it today
 *
 * `words`: an answer that contains one of these words names the cause.
 */
const INCIDENTS = {
  brakes: { harm: 'people', words: ['brake'] },
  steering: { harm: 'people', words: ['steer'] },
  coolant: { harm: 'machine', words: ['coolant', 'hot', 'overheat', 'temperature'] },
  oil: { harm: 'machine', words: ['oil'] },
  hose: { harm: 'stopped', words: ['hose', 'burst'] },
  gearbox: { harm: 'stopped', words: ['gear', 'transmission'] },
  tyre: { harm: 'later', words: ['tyre', 'tire', 'flat'] },
  fuel: { harm: 'later', words: ['fuel'] },
  service_moving: { harm: 'later', words: ['service'] },
  silent: { harm: 'later', words: ['no data', 'silent'] },
} as const;
const HARMS = ['people', 'machine', 'stopped', 'later'] as const;
type Incident = keyof typeof INCIDENTS;
const GRAVE = ['brakes', 'steering', 'coolant', 'oil', 'hose', 'gearbox'] as const satisfies readonly Incident[];
const LATER = ['tyre', 'fuel', 'service_moving', 'silent'] as const satisfies readonly Incident[];
const TITLES: Readonly<Partial<Record<Incident, string>>> = {
  brakes: 'Brakes bad',
  steering: 'Steering slips',
  hose: 'Lift arm hose burst',
  gearbox: 'Gearbox stuck',
  tyre: 'Rear left tyre flat',
};
const harmOf = (incident: Incident) => HARMS.indexOf(INCIDENTS[incident].harm);

/** The truth of a site: what was done to a machine, and the words that name it. */
export interface Truth {
  readonly unit: string;
  readonly incident: Incident;
  readonly words: readonly string[];
}

export interface RandomSite extends AsyncDisposable {
  readonly client: Client;
  /** The path of the display link of a board that shows all machines. */
  readonly wall: string;
  readonly light: string;
  /** The machine to which the gravest harm was done; null if nothing was done. Only one machine of the site has this harm. */
  readonly worst: Truth | null;
  readonly troubles: ReadonlyMap<string, Incident>;
}

type Values = Record<string, number>;

/** Builds a site with this number of machines. `calm`: nothing is wrong. */
export async function randomSite(
  gateway: TestGateway,
  seed: number,
  count: number,
  { calm = false }: { calm?: boolean } = {},
): Promise<RandomSite> {
  const stream = streamOf(seed, count);
  const next = () => random(stream);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit', timezone: 'Australia/Perth' });
  const client = gateway.project(project.id);
  const places: string[] = [];
  for (const name of PLACES) places.push((await client.call('locations_create', { name, kind: 'zone' })).id);
  const hot = { signal: 'engine.coolant_temperature', op: 'gte', value: 105, severity: 'critical' } as const;
  const oil = { signal: 'engine.oil_pressure', op: 'lte', value: 150, severity: 'critical' } as const;
  const fuel = { signal: 'fuel.level', op: 'lte', value: 10, severity: 'warning' } as const;
  await client.call('alert_rules_create', { ...hot, name: 'Coolant too hot' });
  await client.call('alert_rules_create', { ...oil, name: 'Oil pressure low' });
  await client.call('alert_rules_create', { ...fuel, name: 'Fuel low' });

  const units: { unit: string; kind: string; machine: TestMachine }[] = [];
  for (const [type, kind, share] of TYPES) {
    const many = Math.max(1, Math.round(share * count));
    for (let i = 1; i <= many && units.length < count; i++) {
      const unit = `${type}-${String(i).padStart(2, '0')}`;
      units.push({ unit, kind, machine: await addMachine(client, unit) });
    }
  }
  for (const { kind, machine } of units) {
    const location_id = pick(places);
    const { revision } = await client.call('equipment_get', { id: machine.equipment_id });
    await client.call('equipment_update', { id: machine.equipment_id, kind, location_id }, { if_match: revision });
  }

  const people = new Map<string, Client>();
  for (const name of PEOPLE) {
    const { secret } = await gateway.client.call('keys_create', { name, role: 'mechanic', project_ids: [project.id] });
    people.set(name, createClient({ base_url: gateway.node.http, key: secret, project_id: project.id }));
  }

  // One machine has the gravest harm of the site, so that the truth has one answer. All others have a smaller harm.
  const shuffle = <T>(list: readonly T[]): T[] =>
    list
      .map((one) => ({ one, at: next() }))
      .sort((x, y) => x.at - y.at)
      .map(({ one }) => one);
  const gravest = pick(GRAVE);
  const smaller = shuffle([...GRAVE, ...LATER].filter((one) => harmOf(one) > harmOf(gravest)));
  const most = count <= 12 ? 2 : count <= 40 ? 4 : 7;
  const kinds = calm ? [] : [gravest, ...smaller.slice(0, 1 + Math.floor(next() * most))];
  const troubles = new Map<string, Incident>();
  const free = shuffle(units);
  for (const kind of kinds) troubles.set((free.pop() as (typeof units)[number]).unit, kind);
  const parked = new Set(free.splice(0, Math.floor(count * 0.1)).map(({ unit }) => unit));
  const idle = new Set(free.splice(0, Math.floor(count * 0.15)).map(({ unit }) => unit));
  const service = new Set(free.splice(0, Math.max(1, Math.floor(count * 0.05))).map(({ unit }) => unit));

  const heat = Math.floor(next() * 9);
  const valuesOf = (unit: string, ago_min: number): Values => {
    const trouble = troubles.get(unit);
    const stands = trouble === 'hose' || trouble === 'gearbox' || parked.has(unit) || service.has(unit);
    const i = units.findIndex((one) => one.unit === unit);
    return {
      'engine.speed': stands ? 0 : idle.has(unit) ? 750 : 1_500,
      'engine.load': stands || idle.has(unit) ? 0 : 60,
      'vehicle.speed': trouble === 'brakes' || trouble === 'steering' ? 23 : 0,
      'engine.fuel_rate': stands ? 0 : idle.has(unit) ? 4 : 20 + ((i * 7) % 60),
      'engine.coolant_temperature': trouble === 'coolant' ? 106 + heat - 0.8 * ago_min : 84 + (i % 6),
      'engine.oil_pressure': trouble === 'oil' ? 110 + 6 * ago_min : 380 + (i % 40),
      'fuel.level': trouble === 'fuel' ? 6 : 30 + ((i * 13) % 60),
    };
  };
  const send = (unit: string, machine: TestMachine, ages_s: readonly number[]) =>
    createClient({ base_url: gateway.node.http, key: machine.key }).call('devices_telemetry', {
      id: machine.device,
      points: ages_s.map((s) => {
        return { observed_at: new Date(Date.now() - s * 1000).toISOString(), values: valuesOf(unit, s / 60) };
      }),
    });
  const beat = async (ages_s: readonly number[]) => {
    for (let i = 0; i < units.length; i += 8)
      await Promise.all(
        units.slice(i, i + 8).map(({ unit, machine }) => {
          const silent = troubles.get(unit) === 'silent';
          if (!silent) return send(unit, machine, ages_s);
          return ages_s.length > 1
            ? send(
                unit,
                machine,
                ages_s.filter((s) => s >= 1_200),
              )
            : undefined;
        }),
      );
  };
  await beat([...Array.from({ length: 28 }, (_, i) => 1_740 - 60 * i), 40, 30, 20, 10, 0]);

  const ticket = (unit: string, title: string, more: object) => {
    const id = units.find((one) => one.unit === unit)?.machine.equipment_id ?? '';
    const flagged_at = new Date(Date.now() - (3 + next() * 100) * 60_000).toISOString();
    return client.call('repair_tickets_create', { equipment_id: id, title, flagged_at, ...more });
  };
  for (const [unit, trouble] of [...troubles, ...[...service].map((one) => [one, 'service'] as const)]) {
    const id = units.find((one) => one.unit === unit)?.machine.equipment_id ?? '';
    const stopped = trouble === 'hose' || trouble === 'gearbox';
    const status = stopped ? 'down' : trouble.startsWith('service') ? 'maintenance' : null;
    const title = trouble === 'service' ? undefined : TITLES[trouble];
    const safety = trouble === 'brakes' || trouble === 'steering';
    if (title !== undefined)
      await ticket(unit, title, { safety_critical: safety, priority: stopped ? 'high' : 'critical' });
    if (status !== null) {
      const { revision } = await client.call('equipment_get', { id });
      await client.call('equipment_update', { id, status }, { if_match: revision });
    }
    if (troubles.has(unit) && next() < 0.5) {
      const name = pick(PEOPLE);
      const { id: mechanic } = await client.call('mechanics_create', { name: `${name}` }).catch(async () => ({
        id: (await client.call('mechanics_list', { q: name })).data[0]?.id ?? '',
      }));
      const { data } = await client.call('repair_tickets_list', { equipment_id: id, limit: 1 });
      const [first] = data;
      if (first !== undefined && mechanic !== '')
        await client.call(
          'repair_tickets_update',
          { id: first.id, assigned_mechanic_ids: [mechanic] },
          { if_match: first.revision },
        );
      else await people.get(name)?.call('equipment_take', { id });
    }
  }
  const timer = setInterval(() => void beat([0]).catch(() => undefined), 5_000);
  const position = { x: 0, y: 0, w: 12, h: 6 };
  const share = async (theme: 'tv-dark' | 'tv-light') => {
    const widgets = [{ type: 'status_board' as const, position, query: { signal: 'engine.fuel_rate' } }];
    const { id } = await client.call('dashboards_create', { name: 'Fleet now', theme, widgets });
    const { url } = await client.call('display_shares', { kind: 'dashboard', object_id: id });
    return new URL(url ?? '').pathname;
  };
  const [worst] = [...troubles].filter(([, incident]) => incident === gravest);
  return {
    client,
    wall: await share('tv-dark'),
    light: await share('tv-light'),
    worst: worst === undefined ? null : { unit: worst[0], incident: gravest, words: INCIDENTS[gravest].words },
    troubles,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}
