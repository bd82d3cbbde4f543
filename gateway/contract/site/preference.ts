/** Preference: what a project's people have read and cleared, one document per project. */
import { z } from 'zod';
import { base, Context, Id, idPath, Timestamp } from '#contract/base/common.ts';
import { operation, V1, WRITERS } from '#contract/base/operation.ts';

/** Markers of one kind that are kept; the oldest give way. */
export const MAX_MARKERS = 2_000;

const Markers = z
  .record(Id, Timestamp)
  .refine((markers) => Object.keys(markers).length <= MAX_MARKERS, `${MAX_MARKERS} entries at most`)
  .meta({ maxProperties: MAX_MARKERS });

const notifications = {
  read: Markers.meta({ description: 'Id of a notification to when it was read.' }),
  cleared: Markers.meta({ description: 'Id of a notification to when it was cleared away.' }),
  read_before: Timestamp.nullable().meta({ description: 'Everything up to here is read.' }),
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
    summary: 'Get the preference of a project, by its own id or that of the project',
    input: z.object(idPath),
    output: Preference,
    revision: 'etag',
    errors: ['not_found'],
  }),
  preferences_update: operation({
    method: 'PATCH',
    path: `${V1}/preferences/{id}`,
    summary: 'Add notification markers; of two the later counts, so the order of calls does not matter',
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
    source: { extension: 'screens that mark notifications as read must be able to say so (R4)' },
  }),
} as const;
