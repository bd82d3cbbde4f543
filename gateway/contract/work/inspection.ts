/** Pre-start inspections: checklists by kind of machine, and the completed inspections, which never change. */
import { z } from 'zod';
import {
  base,
  Deleted,
  Id,
  idPath,
  listOf,
  listQuery,
  MediaInput,
  searchQuery,
  Timestamp,
} from '#contract/base/common.ts';
import { HINTS, operation, V1, WRITERS } from '#contract/base/operation.ts';
import { shownFields } from '#contract/base/shown.ts';

const EXTENSION = {
  extension: 'mining rules require an inspection before each shift; a failed item becomes a repair ticket',
};

/** Kinds of machines for which Headframe has a default checklist. */
export const CHECKLIST_KINDS = ['haul_truck', 'excavator', 'wheel_loader', 'dozer', 'grader', 'drill'] as const;
const INSPECTION_ANSWER = ['ok', 'not_ok', 'not_applicable'] as const;

/** Largest number of items of a checklist. */
const MOST_ITEMS = 60;
/** Largest number of files of all answers of one inspection. */
export const MOST_INSPECTION_MEDIA = 40;
const text = (max: number) => z.string().trim().min(1).max(max);

const ChecklistItem = z
  .object({
    id: z.string().max(64).optional().meta({ description: 'Made if absent. Keep it when the text changes.' }),
    text: text(160),
    hint: z.string().max(300).default(''),
    critical: z.boolean().default(false).meta({ description: 'If it is not ok, the machine must not be operated.' }),
  })
  .meta({ id: 'ChecklistItem' });
/** An item of a stored checklist. */
export type ChecklistItem = z.infer<typeof ChecklistItem> & { readonly id: string };

const fields = {
  name: text(120),
  kind: text(60).nullable().meta({ description: 'Kind of machines; null: all machines.' }),
  items: z.array(ChecklistItem).min(1).max(MOST_ITEMS),
  enabled: z.boolean(),
};

/** `data` of a stored checklist. */
export interface ChecklistData {
  name: string;
  kind: string | null;
  items: ChecklistItem[];
  enabled: boolean;
}

const Checklist = z
  .object({ object: z.literal('inspection_checklist'), ...base, ...fields })
  .meta({ id: 'InspectionChecklist', description: 'What to check on a machine before a shift.' });
export type Checklist = z.infer<typeof Checklist>;

const InspectedItem = z
  .object({
    item_id: z.string(),
    text: z.string(),
    critical: z.boolean(),
    answer: z.enum(INSPECTION_ANSWER),
    note: z.string(),
    media: z.array(z.string()),
    ticket_id: z.string().nullable().meta({ description: 'The ticket of an item that is not ok.' }),
  })
  .meta({ id: 'InspectedItem' });

const InspectionData = z.object({
  equipment_id: z.string(),
  checklist_id: z.string(),
  checklist: z.string().meta({ description: 'Name of the checklist.' }),
  result: z.enum(['passed', 'failed']),
  do_not_operate: z.boolean().meta({ description: 'A critical item is not ok.' }),
  items: z.array(InspectedItem),
  done_by: z.string(),
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.meta({ description: 'By the clock of the screen, if it sent the time.' }),
  hours: z.number().nullable().meta({ description: 'Engine hours that the person read.', unit: 'h' }),
});
export type InspectionData = z.infer<typeof InspectionData>;

const Inspection = z
  .object({ object: z.literal('inspection'), ...base, ...shownFields(InspectionData.shape) })
  .meta({ id: 'Inspection', description: 'A completed inspection of a machine. It never changes.' });
export type Inspection = z.infer<typeof Inspection>;

const Answer = z.object({
  item_id: z.string().max(64),
  answer: z.enum(INSPECTION_ANSWER),
  note: z.string().max(1_000).default(''),
  media: MediaInput.shape.media.max(10).default([]),
});

/** Operations on inspections and their checklists. */
export const inspectionOperations = {
  inspection_checklists_create: operation({
    example: { name: 'Haul truck', kind: 'haul_truck', items: [{ text: 'Service brake', critical: true }] },
    method: 'POST',
    path: `${V1}/inspection-checklists`,
    summary: 'Create a checklist for inspections',
    input: z.object({
      name: fields.name,
      kind: fields.kind.default(null),
      items: fields.items,
      enabled: fields.enabled.default(true),
    }),
    output: Checklist,
    status: 201,
    revision: 'etag',
    errors: ['parameter_invalid', 'limit_reached'],
    source: EXTENSION,
  }),
  inspection_checklists_add_defaults: operation({
    method: 'POST',
    path: `${V1}/inspection-checklists/defaults`,
    summary: 'Add the default checklists for kinds of machines that have none',
    input: z.object({
      kinds: z
        .array(z.enum(CHECKLIST_KINDS))
        .min(1)
        .max(CHECKLIST_KINDS.length)
        .default([...CHECKLIST_KINDS]),
    }),
    output: listOf(Checklist),
    hints: HINTS.CHANGE,
    errors: ['limit_reached'],
    source: EXTENSION,
  }),
  inspection_checklists_list: operation({
    method: 'GET',
    path: `${V1}/inspection-checklists`,
    summary: 'List checklists',
    input: z.object({ ...searchQuery, kind: z.string().max(60).optional() }),
    output: listOf(Checklist),
    errors: ['invalid_cursor'],
    source: EXTENSION,
  }),
  inspection_checklists_get: operation({
    method: 'GET',
    path: `${V1}/inspection-checklists/{id}`,
    summary: 'Get a checklist',
    input: z.object(idPath),
    output: Checklist,
    revision: 'etag',
    errors: ['not_found'],
    source: EXTENSION,
  }),
  inspection_checklists_update: operation({
    method: 'PATCH',
    path: `${V1}/inspection-checklists/{id}`,
    summary: 'Update a checklist; completed inspections do not change',
    input: z.object({
      ...idPath,
      name: fields.name.optional(),
      kind: fields.kind.optional(),
      items: fields.items.optional(),
      enabled: fields.enabled.optional(),
    }),
    output: Checklist,
    revision: 'if-match',
    errors: ['not_found', 'parameter_invalid', 'revision_mismatch'],
    source: EXTENSION,
  }),
  inspection_checklists_delete: operation({
    method: 'DELETE',
    path: `${V1}/inspection-checklists/{id}`,
    summary: 'Delete a checklist; its completed inspections stay',
    input: z.object(idPath),
    output: Deleted,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
    source: EXTENSION,
  }),
  inspections_create: operation({
    method: 'POST',
    path: `${V1}/inspections`,
    summary: 'Submit a completed inspection; each failed item makes or joins a ticket',
    input: z.object({
      equipment_id: Id,
      checklist_id: Id,
      answers: z.array(Answer).min(1).max(MOST_ITEMS).meta({ description: 'One answer to each item.' }),
      done_by: text(120).optional().meta({ description: 'Default: the caller.' }),
      started_at: Timestamp.optional(),
      completed_at: Timestamp.optional(),
      hours: z.number().min(0).max(1_000_000).optional().meta({ unit: 'h' }),
    }),
    output: Inspection,
    status: 201,
    roles: [...WRITERS, 'mechanic', 'operator'],
    errors: ['not_found', 'parameter_invalid'],
    source: EXTENSION,
  }),
  inspections_list: operation({
    method: 'GET',
    path: `${V1}/inspections`,
    summary: 'List completed inspections',
    input: z.object({ ...listQuery, equipment_id: Id.optional(), result: InspectionData.shape.result.optional() }),
    output: listOf(Inspection),
    errors: ['invalid_cursor'],
    source: EXTENSION,
  }),
  inspections_get: operation({
    method: 'GET',
    path: `${V1}/inspections/{id}`,
    summary: 'Get a completed inspection',
    input: z.object(idPath),
    output: Inspection,
    errors: ['not_found'],
    source: EXTENSION,
  }),
} as const;
