/** Preference: which notifications the people of a project have read and cleared. One document per project. */
import { z } from 'zod';
import { base, Context, Id, idPath, Timestamp } from '#contract/base/common.ts';
import { operation, V1, WRITERS } from '#contract/base/operation.ts';

/** Largest number of read markers, and of cleared markers. Over the limit the gateway removes the oldest markers. */
export const MAX_MARKERS = 2_000;

const Markers = z
  .record(Id, Timestamp)
  .refine((markers) => Object.keys(markers).length <= MAX_MARKERS, `${MAX_MARKERS} entries at most`)
  .meta({ maxProperties: MAX_MARKERS });

const notifications = {
  read: Markers.meta({ description: 'Time at which each notification was read, by its id.' }),
  cleared: Markers.meta({ description: 'Time at which each notification was cleared, by its id.' }),
  read_before: Timestamp.nullable().meta({ description: 'All notifications up to this time are read.' }),
};
export type Notifications = z.infer<z.ZodObject<typeof notifications>>;

export interface PreferenceData {
  notifications: Notifications;
}

const Preference = z
  .object({ object: z.literal('preference'), ...base, notifications: z.object(notifications), context: Context })
  .meta({ id: 'Preference', description: 'Notification markers of a project.' });

/** Operations on preferences. */
export const preferenceOperations = {
  preferences_get: operation({
    method: 'GET',
    path: `${V1}/preferences/{id}`,
    summary: 'Get a preference by its id or by its project id',
    input: z.object(idPath),
    output: Preference,
    revision: 'etag',
    errors: ['not_found'],
  }),
  preferences_update: operation({
    method: 'PATCH',
    path: `${V1}/preferences/{id}`,
    summary: 'Add notification markers; the later of two times wins, so the order of calls does not matter',
    input: z.object({
      ...idPath,
      notifications: z.object({
        read: notifications.read.optional(),
        cleared: notifications.cleared.optional(),
        read_before: Timestamp.optional(),
      }),
    }),
    output: Preference,
    revision: 'if-match',
    roles: [...WRITERS, 'mechanic', 'operator'],
    errors: ['not_found', 'revision_mismatch'],
    source: { extension: 'a screen stores which notifications a person has read' },
  }),
} as const;
