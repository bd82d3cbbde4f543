/** The map of the simulated quarry: roads and geofences, in metres east and north of `ORIGIN`. */
import type { LocationData } from '#contract/fleet/location.ts';
import type { MachineKind } from './machines.ts';

/** The reference point: in the Tanami desert in Australia, so that no real quarry is confused with the simulated one. */
const ORIGIN = { lat: -19.97, lon: 130.4 };
/** Metres in one degree of latitude. `EAST_M` is the number of metres in one degree of longitude at the latitude of `ORIGIN`. */
const DEGREE_M = 111_195;
const EAST_M = DEGREE_M * Math.cos((ORIGIN.lat * Math.PI) / 180);

type Spot = readonly [east: number, north: number];

/** The road of each kind of machine, as points from the place of loading to the place of unloading. */
const ROADS: Readonly<Record<MachineKind, readonly Spot[]>> = {
  haul_truck: [
    [-520, -260],
    [-330, -330],
    [-120, -180],
    [120, -120],
    [330, 90],
    [560, 170],
  ],
  excavator: [[-560, -240]],
  wheel_loader: [
    [600, 250],
    [660, 280],
  ],
  dozer: [
    [240, 380],
    [300, 420],
  ],
  water_truck: [
    [420, -300],
    [120, -120],
    [-120, -180],
    [-330, -330],
  ],
};

/** Returns the distance of each point of a road from its start, in metres. */
function milestones(road: readonly Spot[]): number[] {
  const at = [0];
  for (let i = 1; i < road.length; i++) {
    const [a, b] = [road[i - 1] as Spot, road[i] as Spot];
    at.push((at[i - 1] as number) + Math.hypot(b[0] - a[0], b[1] - a[1]));
  }
  return at;
}

const STONES = Object.fromEntries(Object.entries(ROADS).map(([kind, road]) => [kind, milestones(road)])) as Record<
  MachineKind,
  number[]
>;

/** Returns the length of the road of a kind of machine in metres; 0 for a kind that does not drive while it works. */
export function roadLength(kind: MachineKind): number {
  return STONES[kind].at(-1) ?? 0;
}

/**
 * Returns the position and the heading of a machine at this distance along its road. The position is some metres beside the road; how many
 * depends on `index`, so that machines of one kind do not all drive in one line.
 */
export function placeOn(
  kind: MachineKind,
  road_m: number,
  index: number,
): { readonly lat: number; readonly lon: number; readonly course: number } {
  const road = ROADS[kind];
  const stones = STONES[kind];
  let leg = 1;
  while (leg < stones.length - 1 && (stones[leg] as number) < road_m) leg++;
  const from = road[leg - 1] as Spot;
  const to = road[leg] ?? from;
  const length = (stones[leg] ?? 0) - (stones[leg - 1] as number);
  const share = length > 0 ? Math.min(1, Math.max(0, (road_m - (stones[leg - 1] as number)) / length)) : 0;
  const aside = road.length === 1 ? 70 : 26;
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const east = from[0] + share * dx + aside * ((index * 7) % 5) - 2 * aside;
  const north = from[1] + share * dy + aside * ((index * 3) % 5) - 2 * aside;
  const course = length > 0 ? (Math.atan2(dx, dy) * 180) / Math.PI : (index * 97) % 360;
  return {
    lat: ORIGIN.lat + north / DEGREE_M,
    lon: ORIGIN.lon + east / EAST_M,
    course: (course + 360) % 360,
  };
}

/** The areas of the site that have a geofence; the first is the whole site. */
export const GROUNDS: readonly (Pick<LocationData, 'name' | 'kind'> & {
  readonly code: string;
  readonly corners: readonly Spot[];
})[] = [
  {
    name: 'Quarry',
    code: 'SIM',
    kind: 'site',
    corners: [
      [-800, -560],
      [820, -600],
      [860, 560],
      [-780, 600],
    ],
  },
  {
    name: 'Pit',
    code: 'SIM-PIT',
    kind: 'pit',
    corners: [
      [-720, -460],
      [-180, -500],
      [-60, -60],
      [-360, 140],
      [-740, 40],
    ],
  },
  {
    name: 'Crusher',
    code: 'SIM-CRUSHER',
    kind: 'crusher',
    corners: [
      [480, 90],
      [760, 90],
      [760, 400],
      [480, 400],
    ],
  },
  {
    name: 'Dump',
    code: 'SIM-DUMP',
    kind: 'stockpile',
    corners: [
      [120, 280],
      [420, 280],
      [420, 520],
      [120, 520],
    ],
  },
];

/** Returns the geofence of an area from its corners, as a polygon of GeoJSON (RFC 7946). */
export function fenceOf(corners: readonly Spot[]): NonNullable<LocationData['geofence']> {
  const ring = [...corners, corners[0] as Spot].map(([east, north]): [number, number] => [
    Math.round((ORIGIN.lon + east / EAST_M) * 1e6) / 1e6,
    Math.round((ORIGIN.lat + north / DEGREE_M) * 1e6) / 1e6,
  ]);
  return { type: 'Polygon', coordinates: [ring] };
}
