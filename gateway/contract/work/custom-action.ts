/** Custom action: a label and an emoji, defined by the owner, that start a run with a prompt. */
import { z } from 'zod';
import {
  base,
  Context,
  Deleted,
  Id,
  idPath,
  listOf,
  MediaInput,
  searchQuery,
  Timestamp,
} from '#contract/base/common.ts';
import { operation, V1, WRITERS } from '#contract/base/operation.ts';
import { shownFields } from '#contract/base/shown.ts';
import { RUN_STATUS, Task } from './task.ts';

const PLACES = ['home', 'equipment', 'location', 'tablet'] as const;
const SCOPES = ['project', 'equipment', 'location'] as const;

const isEmoji = (text: string) =>
  /^[\p{Extended_Pictographic}\p{Emoji_Component}]+$/u.test(text) &&
  /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(text);

/** One emoji. Families and flags consist of several code points; 16 UTF-16 units are enough for any of them. */
const Emoji = z.string().trim().min(1).max(16).refine(isEmoji, 'an emoji');

const described = {
  label: z.string().trim().min(1).max(60),
  emoji: Emoji,
  prompt: z.string().trim().min(1).max(20_000).meta({ description: 'The instruction for the run.' }),
  scope: z.enum(SCOPES).meta({ description: 'Kind of object that its runs concern.' }),
  placement: z.array(z.enum(PLACES)).max(PLACES.length).meta({
    description:
      'Screens that offer it. `home`: the page Now. `tablet`: that page on a shared tablet. `equipment`: the page of a machine, and `location`: the map, if that is the scope.',
  }),
  confirm: z.boolean().meta({ description: 'True: a run needs `confirmed: true`.' }),
  skill_id: z.string().trim().min(1).max(120),
  order: z.number().int().min(0).max(10_000).meta({ description: 'Position on a screen.' }),
  enabled: z.boolean(),
};
const fields = { ...described, skill_id: described.skill_id.nullable() };
export type CustomActionData = z.infer<z.ZodObject<typeof fields>>;

const READINESS = ['ready', 'by_rules', 'needs_approval', 'paused', 'no_model', 'unreadable'] as const;

const LastRun = z.object({
  task_id: z.string(),
  run_id: z.string(),
  subject_id: z.string().nullable().meta({ description: 'The machine or location that it concerns.' }),
  status: z.enum(RUN_STATUS),
  status_text: z.string(),
  code: z.string().nullable().meta({ description: 'Why it failed; `project_awaiting_approval` if it waits for one.' }),
  created_at: Timestamp,
  ended_at: Timestamp.nullable(),
});

const CustomAction = z
  .object({
    object: z.literal('custom_action'),
    ...base,
    ...shownFields(fields),
    readiness: z.enum(READINESS).nullable().meta({
      description:
        'What happens with a run that starts now. `by_rules`: no model is set, so rules do the work. `unreadable`: the review configuration is damaged. Null at head office, which starts no runs.',
    }),
    last_run: LastRun.nullable().meta({ description: 'The latest run of the newest task of the action.' }),
    context: Context,
  })
  .meta({ id: 'CustomAction', description: 'Owner-defined quick action.' });

/** Operations on custom actions. */
export const customActionOperations = {
  custom_actions_create: operation({
    method: 'POST',
    path: `${V1}/custom-actions`,
    summary: 'Create a custom action',
    input: z.object({
      label: described.label,
      emoji: described.emoji,
      prompt: described.prompt,
      scope: described.scope.default('project'),
      placement: described.placement.default([]),
      confirm: described.confirm.default(false),
      skill_id: fields.skill_id.default(null),
      order: described.order.default(0),
      enabled: described.enabled.default(true),
      context: MediaInput.optional(),
    }),
    output: CustomAction,
    status: 201,
    revision: 'etag',
    errors: ['not_found'],
  }),
  custom_actions_list: operation({
    method: 'GET',
    path: `${V1}/custom-actions`,
    summary: 'List custom actions',
    input: z.object({
      ...searchQuery,
      scope: z.enum(SCOPES).optional(),
      enabled: z.boolean().optional(),
      subject_id: Id.optional().meta({ description: '`last_run` about this object.' }),
    }),
    output: listOf(CustomAction),
    errors: ['invalid_cursor'],
  }),
  custom_actions_get: operation({
    method: 'GET',
    path: `${V1}/custom-actions/{id}`,
    summary: 'Get a custom action',
    input: z.object(idPath),
    output: CustomAction,
    revision: 'etag',
    errors: ['not_found'],
  }),
  custom_actions_update: operation({
    method: 'PATCH',
    path: `${V1}/custom-actions/{id}`,
    summary: 'Update a custom action; existing runs keep their version of it',
    input: z.object({
      ...idPath,
      label: described.label.optional(),
      emoji: described.emoji.optional(),
      prompt: described.prompt.optional(),
      scope: described.scope.optional(),
      placement: described.placement.optional(),
      confirm: described.confirm.optional(),
      skill_id: fields.skill_id.optional(),
      order: described.order.optional(),
      enabled: described.enabled.optional(),
      context: MediaInput.optional(),
    }),
    output: CustomAction,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
  }),
  custom_actions_delete: operation({
    method: 'DELETE',
    path: `${V1}/custom-actions/{id}`,
    summary: 'Delete a custom action; its tasks stay',
    input: z.object(idPath),
    output: Deleted,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
  }),
  custom_actions_run: operation({
    method: 'POST',
    path: `${V1}/custom-actions/{id}/run`,
    summary: 'Launch a custom action as a task',
    description: 'The model of the project carries it out, with the tools of this gateway.',
    input: z.object({
      ...idPath,
      subject_id: Id.optional().meta({ description: 'The machine or location, if the scope requires one.' }),
      confirmed: z.boolean().optional(),
    }),
    output: Task,
    status: 202,
    roles: [...WRITERS, 'mechanic', 'operator'],
    errors: ['not_found', 'action_disabled', 'confirmation_required', 'limit_reached'],
    source: { extension: 'starts a custom action' },
  }),
} as const;
