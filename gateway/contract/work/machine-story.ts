/** The story of a machine: how it spent a time, and what happened to it. */
import { z } from 'zod';
import { idPath, Timestamp } from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { shown } from '#contract/base/shown.ts';
import { SEVERITY } from './alert.ts';
import { TICKET_STATUS } from './repair-ticket.ts';
import { SHIFT_PARTS, ShiftName } from './shift-report.ts';

/** The longest time of one story, in days. */
export const STORY_DAYS = 7;
/** The largest number of alerts, of repairs, of codes and of files in a story. */
export const MOST_STORY_ITEMS = 100;

/** The time of an item: null if its start or its end is not known, or if it is not over. */
const range = { since: Timestamp.nullable(), until: Timestamp.nullable() };

const Story = z
  .object({
    object: z.literal('machine_story'),
    equipment_id: z.string(),
    from: Timestamp,
    to: Timestamp,
    shift: z
      .object({ name: ShiftName, starts_at: Timestamp, ends_at: Timestamp })
      .nullable()
      .meta({ description: 'The current shift; null between shifts.' }),
    states: z
      .array(z.object({ from: Timestamp, to: Timestamp, state: z.enum(SHIFT_PARTS) }))
      .meta({ description: 'How the machine spent the time, as shift reports count it. Covers the whole time.' }),
    places: z
      .array(
        z.object({
          from: Timestamp,
          to: Timestamp,
          location_id: z.string().nullable().meta({ description: 'Null: at no location.' }),
          name: z.string().nullable(),
        }),
      )
      .meta({
        description: 'The locations where the machine was, by their geofences. Time without a position is left out.',
      }),
    alerts: z
      .array(
        z.object({
          id: z.string(),
          text: z.string(),
          severity: shown(SEVERITY),
          signal: z.string(),
          limit: z.number().nullable().meta({
            description: 'The value that `signal` crossed, in its unit; null if the alert has no such value.',
          }),
          ...range,
        }),
      )
      .meta({ description: `Alerts of that time, the newest first, at most ${MOST_STORY_ITEMS}.` }),
    tickets: z
      .array(z.object({ id: z.string(), text: z.string(), status: shown(TICKET_STATUS), ...range }))
      .meta({ description: `Repairs of that time, the newest first, at most ${MOST_STORY_ITEMS}.` }),
    codes: z
      .array(z.object({ spn: z.number().int().nullable(), fmi: z.number().int(), text: z.string(), ...range }))
      .meta({ description: `Trouble codes of that time, the oldest first, at most ${MOST_STORY_ITEMS}.` }),
    files: z
      .array(
        z.object({
          id: z.string(),
          name: z.string().nullable(),
          bytes: z.number().int().meta({ unit: 'B' }),
          decoded: z.boolean(),
          ...range,
        }),
      )
      .meta({
        description: `Logs of its devices with data of that time, the newest first, at most ${MOST_STORY_ITEMS}. A log that is not decoded yet has the time of its receipt.`,
      }),
  })
  .meta({ id: 'MachineStory' });

export const machineStoryOperations = {
  equipment_story: operation({
    method: 'GET',
    path: `${V1}/equipment/{id}/story`,
    summary: 'How a machine spent a time: states, alerts, repairs',
    input: z.object({
      ...idPath,
      from: Timestamp.optional().meta({
        description: 'Default: the start of the shift, else eight hours ago.',
      }),
      to: Timestamp.optional().meta({ description: `Default: now. At most ${STORY_DAYS} days.` }),
    }),
    output: Story,
    errors: ['not_found', 'parameter_invalid'],
    source: { extension: 'a page of a machine shows its states, alerts and repairs on one time axis' },
  }),
} as const;
