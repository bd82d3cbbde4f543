/** Shapes that every noun shares: timestamps, context with provenance, the list envelope and its query. */
import { z } from 'zod';
import { LIMITS } from './limits.ts';

export const Timestamp = z.iso.datetime({ offset: true }).meta({ description: 'ISO 8601 timestamp.' });

export const Labels = z
  .record(z.string().max(64), z.string().max(256))
  .meta({ description: 'Free key and value pairs of yours.' });

/** A map that callers send, of at most so many entries. */
export function mapOf<V extends z.ZodType>(longestKey: number, value: V, most: number) {
  return z
    .record(z.string().max(longestKey), value)
    .refine((map) => Object.keys(map).length <= most, `${most} entries at most`)
    .meta({ maxProperties: most });
}

/** Names with JSON of any kind that callers send: at most so many names, and so many characters as JSON. */
export function freeJson(longestKey: number, most: number, longest: number) {
  return z
    .record(z.string().max(longestKey), z.unknown())
    .refine((map) => Object.keys(map).length <= most, `${most} entries at most`)
    .refine((map) => JSON.stringify(map).length <= longest, `${longest} characters of JSON at most`)
    .meta({ maxProperties: most, 'x-max-json': longest });
}

/** Labels as callers send them. */
export const LabelsInput = mapOf(64, z.string().max(256), 64).meta({
  description: 'Free key and value pairs of yours.',
});

/** Where one field's number came from, down to the frame. */
export const FieldSource = z
  .object({
    run_id: z.string().nullable().meta({ description: 'The run that produced the number.' }),
    device_id: z.string().nullable().meta({ description: 'Record id of the device that reported it.' }),
    observed_at: Timestamp.nullable().meta({ description: 'When the machine reported it (bus or device clock).' }),
    received_at: Timestamp.nullable().meta({ description: 'When this gateway received it.' }),
    ref: z.string().nullable().meta({ description: 'Place in the raw journal: `segment:offset#frame`.' }),
    bus: z.number().int().nullable().meta({ description: 'CAN channel of the source.' }),
    source_address: z.number().int().nullable().meta({ description: 'J1939 source address.' }),
    pgn: z.number().int().nullable().meta({ description: 'J1939 parameter group number.' }),
    spn: z.number().int().nullable().meta({ description: 'J1939 suspect parameter number.' }),
    raw: z.number().nullable().meta({ description: 'The number on the bus, before scale and offset.' }),
    dbc: z
      .string()
      .optional()
      .meta({ description: 'Where a DBC file was read: id of the version, message and signal.' }),
  })
  .meta({ id: 'FieldSource', description: 'Provenance of one field.' });
export type FieldSource = z.infer<typeof FieldSource>;

export const Context = z
  .object({
    run_id: z.string().nullable(),
    device_id: z.string().nullable(),
    media: z.array(z.string()).meta({ description: 'Artifact ids of this project.' }),
    fields: z
      .record(z.string(), FieldSource)
      .optional()
      .meta({ description: 'Provenance per field that telemetry wrote.' }),
  })
  .meta({ id: 'Context', description: 'Provenance of an object.' });
export type Context = z.infer<typeof Context>;

/** What every object of a project carries besides its own fields. */
export const base = {
  id: z.string().meta({ description: 'Record identifier.' }),
  project_id: z.string(),
  revision: z.number().int().meta({ description: 'Counts changes by people and agents; also the ETag.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Id = z.string().min(1).max(64).meta({ description: 'Record identifier.' });

/** The list envelope of the spec. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item),
    has_more: z.boolean().meta({ description: 'More pages exist.' }),
    next_cursor: z.string().nullable().meta({ description: 'Send as `cursor` for the next page; null at the end.' }),
  });
}

/** What every list read takes. */
export const listQuery = {
  limit: z.number().int().min(1).max(LIMITS.page.value).default(50).meta({ description: 'Items on a page, 1 to 200.' }),
  cursor: z.string().max(1024).optional().meta({ description: '`next_cursor` of the page before.' }),
  order: z.enum(['asc', 'desc']).default('desc').meta({ description: 'By creation time.' }),
  created_after: Timestamp.optional(),
  created_before: Timestamp.optional(),
};

/** What lists of things that people write take besides. */
export const searchQuery = {
  ...listQuery,
  q: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .optional()
    .meta({ description: 'Part of a name or number; case and width do not matter. May give a short page: go on.' }),
  updated_after: Timestamp.optional(),
  updated_before: Timestamp.optional(),
};

/** The part of `context` that callers write. */
export const MediaInput = z
  .object({
    media: z
      .array(z.string().regex(/^art_[0-9a-hjkmnp-tv-z]{26}$/, 'an artifact id, never a URL'))
      .max(50)
      .meta({ description: 'Artifact ids of this project; replaces what was there.' }),
  })
  .meta({ id: 'MediaInput', description: 'Media of an object.' });

export const idPath = { id: Id };

/** The answer of a deletion. */
export const Deleted = z.object({ object: z.string(), id: z.string(), deleted: z.literal(true) });
