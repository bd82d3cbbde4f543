/** Location: a site, pit or zone. Locations form a tree; each may have a geofence. */
import { z } from 'zod';
import {
  base,
  Context,
  Id,
  idPath,
  Labels,
  LabelsInput,
  listOf,
  MediaInput,
  searchQuery,
} from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { shown } from '#contract/base/shown.ts';

/** The kinds of places of a site. */
export const LOCATION_KINDS = [
  'site',
  'pit',
  'zone',
  'stockpile',
  'crusher',
  'workshop',
  'fuel_bay',
  'haul_road',
] as const;
export type LocationKind = (typeof LOCATION_KINDS)[number];

/** Position of RFC 7946 3.1.1: longitude, latitude and optional height. */
const Position = z.union(
  [
    z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]),
    z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90), z.number().min(-1_000).max(10_000)]),
  ],
  'a position is [longitude, latitude] in degrees, with an optional height in metres',
);
type Position = z.infer<typeof Position>;

/** Largest number of corners of all rings together. */
const MAX_CORNERS = 2_000;

/** True for a ring of RFC 7946 3.1.6: at least four positions, the last equal to the first. Returns false for a ring whose area is zero. */
function isRing(ring: readonly Position[]): boolean {
  const first = ring[0];
  const last = ring.at(-1);
  if (first === undefined || last === undefined || ring.length < 4) return false;
  let doubleArea = 0;
  for (let i = 1; i < ring.length; i++) {
    const [x1, y1] = ring[i - 1] as Position;
    const [x2, y2] = ring[i] as Position;
    doubleArea += x1 * y2 - x2 * y1;
  }
  return first.length === last.length && first.every((part, i) => part === last[i]) && doubleArea !== 0;
}

const Rings = z
  .array(
    z
      .array(Position)
      .max(MAX_CORNERS)
      .refine(
        isRing,
        'a ring must have at least four positions and an area, and end at its first position (RFC 7946 3.1.6)',
      ),
  )
  .min(1)
  .max(200);

const Geofence = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('Polygon'), coordinates: Rings }),
    z.strictObject({ type: z.literal('MultiPolygon'), coordinates: z.array(Rings).min(1).max(50) }),
  ])
  .refine(({ type, coordinates }) => {
    const rings = type === 'Polygon' ? coordinates : coordinates.flat();
    return rings.reduce((sum, ring) => sum + ring.length, 0) <= MAX_CORNERS;
  }, `a fence must have at most ${MAX_CORNERS} positions`)
  .meta({ id: 'Geofence', description: 'GeoJSON Polygon or MultiPolygon (RFC 7946), WGS 84.' });
export type Geofence = z.infer<typeof Geofence>;

const described = {
  name: z.string().trim().min(1).max(120),
  code: z.string().trim().min(1).max(40).meta({ description: 'Short name, unique in the project.' }),
  parent_id: Id.meta({ description: 'The location that this one is part of.' }),
  timezone: z.string().max(64).meta({ description: 'IANA time zone; null: zone of the parent or the project.' }),
  elevation_m: z.number().min(-1_000).max(10_000).meta({ description: 'Height above sea level.', unit: 'm' }),
};

const fields = {
  name: described.name,
  code: described.code.nullable(),
  kind: z.enum(LOCATION_KINDS),
  parent_id: described.parent_id.nullable(),
  timezone: described.timezone.nullable(),
  geofence: Geofence.nullable(),
  elevation_m: described.elevation_m.nullable(),
  active: z.boolean(),
  labels: Labels,
};
export type LocationData = z.infer<z.ZodObject<typeof fields>>;

const Location = z
  .object({ object: z.literal('location'), ...base, ...fields, kind: shown(LOCATION_KINDS), context: Context })
  .meta({ id: 'Location', description: 'Site, pit or zone that machines are assigned to.' });

const optional = {
  code: fields.code.optional(),
  parent_id: fields.parent_id.optional(),
  timezone: fields.timezone.optional(),
  geofence: fields.geofence.optional(),
  elevation_m: fields.elevation_m.optional(),
  labels: LabelsInput.optional(),
  context: MediaInput.optional(),
};

/** Operations on locations. */
export const locationOperations = {
  locations_create: operation({
    method: 'POST',
    path: `${V1}/locations`,
    summary: 'Create a location',
    input: z.object({
      name: described.name,
      kind: fields.kind.default('zone'),
      active: fields.active.default(true),
      ...optional,
    }),
    output: Location,
    status: 201,
    revision: 'etag',
    errors: ['not_found', 'already_exists'],
  }),
  locations_list: operation({
    method: 'GET',
    path: `${V1}/locations`,
    summary: 'List locations',
    input: z.object({
      ...searchQuery,
      kind: fields.kind.optional(),
      parent_id: Id.optional(),
      active: z.boolean().optional(),
      code: z.string().max(40).optional(),
    }),
    output: listOf(Location),
    errors: ['invalid_cursor'],
  }),
  locations_get: operation({
    method: 'GET',
    path: `${V1}/locations/{id}`,
    summary: 'Get a location',
    input: z.object(idPath),
    output: Location,
    revision: 'etag',
    errors: ['not_found'],
  }),
  locations_update: operation({
    method: 'PATCH',
    path: `${V1}/locations/{id}`,
    summary: 'Update a location',
    input: z.object({
      ...idPath,
      name: described.name.optional(),
      kind: fields.kind.optional(),
      active: fields.active.optional(),
      ...optional,
    }),
    output: Location,
    revision: 'if-match',
    errors: ['not_found', 'already_exists', 'revision_mismatch'],
  }),
} as const;
