/**
 * Schemas that all resources share: timestamps, the origin of values (`context`), the answer of a list, and the query parameters of a list.
 */
import { z } from 'zod';
import { FRESHNESS, INTERVAL_BASES } from './freshness.ts';
import { LIMITS } from './limits.ts';

export const Timestamp = z.iso.datetime({ offset: true }).meta({ description: 'ISO 8601 timestamp.' });

const ToldPart = z.object({
  text: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
/** Schema of the sentences of a text, so that a page can put the text into its language. */
export const Words = z
  .array(
    z.object({
      text: z
        .string()
        .meta({ description: 'The English template. A template with `|` has two forms, for one and for more.' }),
      params: z.record(z.string(), z.union([z.string(), z.number(), ToldPart])).optional(),
    }),
  )
  .meta({ description: 'The sentences of the English text as templates with parameters, for translation.' });

export const Labels = z
  .record(z.string().max(64), z.string().max(256))
  .meta({ description: 'Your own key-value pairs.' });

/** Schema of a map in a request, with a limit of entries. */
export function mapOf<V extends z.ZodType>(longestKey: number, value: V, most: number) {
  return z
    .record(z.string().max(longestKey), value)
    .refine((map) => Object.keys(map).length <= most, `${most} entries at most`)
    .meta({ maxProperties: most });
}

/** Schema of an object with any JSON values in a request, with a limit of names and of characters as JSON. */
export function freeJson(longestKey: number, most: number, longest: number) {
  return z
    .record(z.string().max(longestKey), z.unknown())
    .refine((map) => Object.keys(map).length <= most, `${most} entries at most`)
    .refine((map) => JSON.stringify(map).length <= longest, `${longest} characters of JSON at most`)
    .meta({ maxProperties: most, 'x-max-json': longest });
}

/** Schema of labels in a request. */
export const LabelsInput = mapOf(64, z.string().max(256), 64).meta({
  description: 'Your own key-value pairs.',
});

/** The fields that say how current a value is. */
export const freshnessFields = {
  freshness: z.enum(FRESHNESS).optional().meta({ description: '`none`: a gauge that is too old to show.' }),
  expected_interval_s: z.number().optional().meta({ description: 'When the next value is expected.', unit: 's' }),
  interval_basis: z.enum(INTERVAL_BASES).optional().meta({ description: 'Where the interval comes from.' }),
  stale_after_s: z.number().optional().meta({ description: 'Age from which the value is stale.', unit: 's' }),
};

/** Where the value of one field came from: its run, device, times and CAN frame. */
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
      .meta({ description: 'For a value decoded with a DBC file: id of the file version, message and signal.' }),
    gnss: z
      .literal(true)
      .optional()
      .meta({ description: 'Present for a value that the GNSS receiver of the device measured, not the machine.' }),
    ...freshnessFields,
  })
  .meta({ id: 'FieldSource', description: 'Provenance of one field.' });
export type FieldSource = z.infer<typeof FieldSource>;

/** One source of the present values of a machine. */
const LineageSource = z
  .object({
    run_id: z.string().nullable().meta({ description: 'The run that produced the values.' }),
    task_id: z.string().nullable().meta({
      description: 'The task of the run; `GET /tasks/{id}` reads it. Null if the run is not stored yet, or no longer.',
    }),
    device_id: z.string().nullable().meta({ description: 'Record id of the device that reported them.' }),
    values: z.number().int().meta({ description: 'Number of values in `fields` from this run and device.' }),
    observed_at: Timestamp.nullable().meta({ description: 'Time of the newest of them.' }),
    ref: z.string().nullable().meta({ description: 'The message of the newest, for `GET /lineage/{ref}`.' }),
  })
  .meta({ id: 'LineageSource', description: 'A run and device that present values came from.' });
export type LineageSource = z.infer<typeof LineageSource>;

export const Context = z
  .object({
    run_id: z.string().nullable(),
    device_id: z.string().nullable(),
    media: z.array(z.string()).meta({ description: 'Artifact ids of this project.' }),
    lineage: z
      .array(LineageSource)
      .optional()
      .meta({ description: 'Where the present values of a machine came from: a row for each run and device.' }),
    fields: z
      .record(z.string(), FieldSource)
      .optional()
      .meta({ description: 'Provenance per field that telemetry wrote.' }),
  })
  .meta({ id: 'Context', description: 'Provenance of an object.' });
export type Context = z.infer<typeof Context>;

/** Fields that every object of a project has in addition to its own. */
export const base = {
  id: z.string().meta({ description: 'Record identifier.' }),
  project_id: z.string(),
  revision: z.number().int().meta({ description: 'Counts changes by people and agents; also the ETag.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Id = z.string().min(1).max(64).meta({ description: 'Record identifier.' });

/** A stored document that a list leaves out, or shows with `unknown` values. */
const ListWarning = z
  .object({
    code: z.string().meta({
      description:
        '`document_unreadable`: left out of `data`. `values_unknown`: shown, with `unknown` for some values.',
    }),
    id: z.string().nullable().meta({ description: 'Record identifier; null when unknown.' }),
    message: z.string(),
  })
  .meta({ id: 'ListWarning', description: 'A stored document that does not fit the schema of this version.' });

/** Schema of a list answer. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item),
    has_more: z.boolean().meta({ description: 'More pages exist.' }),
    next_cursor: z.string().nullable().meta({ description: 'Send as `cursor` for the next page; null at the end.' }),
    warnings: z.array(ListWarning).optional().meta({
      description:
        'Documents that are left out of `data` or have values that this version does not know; absent when none.',
    }),
  });
}

/** Query parameters of every list. */
export const listQuery = {
  limit: z.number().int().min(1).max(LIMITS.page.value).default(50).meta({ description: 'Items on a page, 1 to 200.' }),
  cursor: z.string().max(1024).optional().meta({ description: '`next_cursor` of the page before.' }),
  order: z.enum(['asc', 'desc']).default('desc').meta({ description: 'By creation time.' }),
  created_after: Timestamp.optional(),
  created_before: Timestamp.optional(),
};

/** Additional query parameters of lists of records that people write. */
export const searchQuery = {
  ...listQuery,
  q: z.string().trim().min(1).max(80).optional().meta({
    description:
      'Part of a name or number; case and character width are ignored. A page may hold fewer items than `limit`; continue with `next_cursor`.',
  }),
  updated_after: Timestamp.optional(),
  updated_before: Timestamp.optional(),
};

/** The part of `context` that a request may contain. */
export const MediaInput = z
  .object({
    media: z
      .array(z.string().regex(/^art_[0-9a-hjkmnp-tv-z]{26}$/, 'an artifact id, never a URL'))
      .max(50)
      .meta({ description: 'Artifact ids of this project; replaces the earlier ids.' }),
  })
  .meta({ id: 'MediaInput', description: 'Media of an object.' });

export const idPath = { id: Id };

/** Schema of the answer to a DELETE. */
export const Deleted = z.object({ object: z.string(), id: z.string(), deleted: z.literal(true) });
