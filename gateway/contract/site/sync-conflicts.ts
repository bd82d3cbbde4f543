/**
 * Conflicts: fields to which people at a site and at head office gave different values while there was no connection. One value is shown, the
 * others are kept until a person chooses. `gateway/sync/SPEC.md` has the rules.
 */
import { z } from 'zod';
import { idPath, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import type { Role } from '#contract/base/roles.ts';

const Value = z.object({
  id: z.string().meta({ description: 'Choose the value by this id.' }),
  value: z.unknown(),
  text: z.string().meta({ description: 'The value in words, with names instead of ids.' }),
  by: z.string().nullable().meta({ description: 'Who gave it; null if the log of the record does not say so.' }),
  node: z.string().nullable().meta({ description: 'The gateway or head office on which it was given.' }),
  place: z.string().meta({ description: 'Where it was given: this site, head office, or the name of the site.' }),
  at: Timestamp.meta({ description: 'When it was given, by the clock of that place.' }),
});
export type ConflictValue = z.infer<typeof Value>;

const Record = z.object({
  object: z.string(),
  id: z.string(),
  name: z.string().meta({ description: 'Unit number, ticket number or name.' }),
});

const Conflict = z
  .object({
    object: z.literal('sync_conflict'),
    kind: z.enum(['conflict', 'deletion', 'step', 'records']).meta({
      description:
        '`conflict`: two values of one field. `deletion`: one person deleted the record, and another one edited it, so it stays. `step`: a move of a ticket that its state did not allow any more. `records`: records contradict each other, such as two machines with one unit number; each value is a remedy.',
    }),
    record: Record,
    path: z.string().meta({ description: 'The field, such as `name` or `labels/crew`.' }),
    label: z.string().meta({ description: 'The field in words.' }),
    values: z
      .array(Value)
      .meta({ description: 'All values. The one that is shown now is the first, unless the kind is `records`.' }),
  })
  .meta({ id: 'SyncConflict' });
export type SyncConflict = z.infer<typeof Conflict>;

const Choice = z
  .object({
    object: z.literal('sync_choice'),
    id: z.string(),
    record: Record,
    path: z.string(),
    label: z.string(),
    chosen: Value,
    others: z.array(Value).meta({ description: 'The values that lost. They stay readable here.' }),
    by: z.string().nullable(),
    place: z.string(),
    at: Timestamp,
    undoes: z.string().nullable().meta({ description: 'The choice that this one took back.' }),
    undone: z.boolean().meta({ description: 'A later choice took this one back.' }),
  })
  .meta({ id: 'SyncChoice', description: 'What a person chose in a conflict.' });
export type SyncChoice = z.infer<typeof Choice>;

/** A stored choice. It is a fact, so both ends have it. */
export interface SyncChoiceData {
  record: SyncChoice['record'];
  path: string;
  label: string;
  chosen: ConflictValue;
  others: ConflictValue[];
  actor: { type: string; id: string | null; name: string | null };
  node: string;
  undoes: string | null;
}

/** An agent does not decide between two people. */
const DECIDERS: readonly Role[] = ['owner', 'admin', 'supervisor'];

const source = { extension: 'a person decides which of two values counts' };

/** Operations on conflicts. */
export const conflictOperations = {
  sync_conflicts_list: operation({
    method: 'GET',
    path: `${V1}/sync/conflicts`,
    summary: 'List fields with different values of two ends, who gave each and when',
    scope: 'project',
    input: z.object({}),
    output: z.object({
      object: z.literal('list'),
      data: z.array(Conflict).meta({ description: 'At most those of 200 records.' }),
    }),
    source,
  }),
  sync_conflicts_choose: operation({
    method: 'POST',
    path: `${V1}/sync/conflicts/choose`,
    summary: 'Choose one value of a conflict; the others stay readable',
    scope: 'project',
    roles: DECIDERS,
    input: z.object({
      record_id: z.string().max(100),
      path: z.string().max(300),
      value_id: z.string().max(40).meta({
        description: 'The id of the value. `keep` keeps a deleted record; `seen` puts a move of a ticket aside.',
      }),
    }),
    output: Choice,
    status: 201,
    errors: ['not_found', 'conflict_moved'],
    source,
  }),
  sync_choices_list: operation({
    method: 'GET',
    path: `${V1}/sync/choices`,
    summary: 'List choices in conflicts with the values that lost',
    scope: 'project',
    input: z.object(listQuery),
    output: listOf(Choice),
    source,
  }),
  sync_choices_undo: operation({
    method: 'POST',
    path: `${V1}/sync/choices/{id}/undo`,
    summary: 'Undo a choice: the value that was shown before counts again',
    scope: 'project',
    roles: DECIDERS,
    input: z.object(idPath),
    output: Choice,
    status: 201,
    errors: ['not_found', 'conflict_moved'],
    source,
  }),
} as const;
