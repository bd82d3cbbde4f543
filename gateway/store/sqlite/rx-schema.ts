/** The frozen envelope as RxDB sees it. Never change it: another schema, even by an optional field, is a migration on every device. */
import type { RxJsonSchema } from 'rxdb/plugins/core';
import type { Stored } from '#contract/base/view.ts';
import { MAX_ID } from '#store/base/envelope.ts';

const text = { type: 'string', maxLength: 200 } as const;
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, multipleOf: 1 } as const;

/** One schema for all five collections, version 0 for good. */
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
