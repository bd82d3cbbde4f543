/**
 * The RxDB schema of the envelope: the fields that every stored document has besides its data. It must never change: for RxDB even one more
 * optional field is a new schema, and every gateway would have to migrate its database.
 */
import type { RxJsonSchema } from 'rxdb/plugins/core';
import type { Stored } from '#contract/base/view.ts';
import { MAX_ID } from '#store/base/envelope.ts';

const text = { type: 'string', maxLength: 200 } as const;
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, multipleOf: 1 } as const;

/** The schema of all five collections. Its version stays 0, because another version would make RxDB migrate the data. */
export const ENVELOPE: RxJsonSchema<Stored> = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: {
    id: { type: 'string', maxLength: MAX_ID },
    project_id: text,
    object: text,
    hlc: text,
    origin: text,
    origin_seq: count,
    created_at: text,
    updated_at: text,
    revision: count,
    data: { type: 'object', additionalProperties: true },
  },
  required: [
    'id',
    'project_id',
    'object',
    'hlc',
    'origin',
    'origin_seq',
    'created_at',
    'updated_at',
    'revision',
    'data',
  ],
};
