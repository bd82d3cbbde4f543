/** Parts of alert rules: their scope, their mutes, and the conditions on changes, geofences and services, with what their alerts found. */
import { z } from 'zod';
import { Id, Timestamp } from '#contract/base/common.ts';
import { METER_BASES } from '#contract/base/meter-bases.ts';
import { MAINTENANCE_STATE } from './maintenance.ts';

/** The machines that a rule watches. */
export const AlertScope = z
  .object({
    equipment_ids: z.array(Id).max(200).default([]),
    kinds: z.array(z.string().trim().min(1).max(60)).max(50).default([]),
    location_ids: z
      .array(Id)
      .max(50)
      .default([])
      .meta({ description: 'Locations, including the locations inside them.' }),
  })
  .meta({ id: 'AlertScope', description: 'Machines that the rule watches. An empty list is no restriction.' });

/** A time in which a rule raises no alert. */
export const AlertMute = z
  .object({
    from: Timestamp.nullable().default(null),
    until: Timestamp,
    equipment_id: Id.nullable().default(null).meta({ description: 'Null: all machines.' }),
    reason: z.string().max(200).nullable().default(null),
  })
  .meta({
    id: 'AlertMute',
    description: 'A muted rule raises no alerts. A condition that is still true at the end raises one then.',
  });

/** Longest window of a rule on a change, in seconds: one day. */
const MAX_WINDOW_S = 86_400;

/** The condition of a rule on a change of a signal. */
export const ChangeCondition = z
  .object({
    direction: z.enum(['rise', 'fall']),
    by: z.number().positive().meta({ description: 'In the unit of the signal.' }),
    within_seconds: z.number().int().min(1).max(MAX_WINDOW_S).meta({ unit: 's' }),
    across_gaps: z.boolean().default(false).meta({
      description: 'True: also compares values from before and after a time without data.',
    }),
  })
  .meta({ id: 'AlertChange', description: 'The signal rises or falls by at least `by` within the window.' });

/** The condition of a rule on a geofence. */
export const GeofenceCondition = z
  .object({
    location_id: Id.meta({ description: 'A location with a geofence.' }),
    event: z.enum(['enter', 'leave']),
  })
  .meta({ id: 'AlertGeofence', description: 'The machine enters or leaves a location.' });

/** The condition of a rule on services of maintenance plans. */
export const ServiceCondition = z
  .object({
    plan_id: Id.nullable().default(null).meta({ description: 'Null: each plan of the machine has its own alert.' }),
    from: z.enum(['due_soon', 'due', 'overdue']).default('due').meta({
      description: 'The state of a limit of the plan from which the alert is raised.',
    }),
    hours_left: z.number().positive().max(100_000).nullable().default(null).meta({
      description: 'Also raises the alert when at most so many engine hours are left.',
      unit: 'h',
    }),
    km_left: z.number().positive().max(1_000_000).nullable().default(null).meta({
      description: 'Also raises the alert when at most this distance is left.',
      unit: 'km',
    }),
    days_left: z.number().int().positive().max(3_650).nullable().default(null).meta({
      description: 'Also raises the alert when at most so many days are left to a date; never by a forecast.',
      unit: 'd',
    }),
  })
  .meta({
    id: 'AlertService',
    description: 'A service of a maintenance plan is due. An unknown meter or date raises no alert.',
  });
export type ServiceCondition = z.infer<typeof ServiceCondition>;

const AlertPoint = z.object({ value: z.number(), observed_at: Timestamp, ref: z.string().nullable() });

export const AlertChangeFound = z
  .object({ from: AlertPoint, to: AlertPoint, within_seconds: z.number().int() })
  .meta({ id: 'AlertChangeFound', description: 'The two values that a rule on a change compared.' });

export const AlertFenceFound = z
  .object({ ...GeofenceCondition.shape, latitude: z.number(), longitude: z.number() })
  .meta({
    id: 'AlertFenceFound',
    description: 'The location, and the position of the machine when the alert was raised.',
  });

export const AlertServiceFound = z
  .object({
    plan_id: z.string(),
    plan_name: z.string(),
    services: z.number().int().meta({ description: 'Number of recorded services before the one that is due.' }),
    state: z.enum(MAINTENANCE_STATE).meta({ description: 'State of the limit when the alert was raised.' }),
    by: z.enum(['hours', 'km', 'date']).meta({ description: 'The limit that was reached.' }),
    meter: z.enum(['engine.hours', 'vehicle.odometer']).nullable().meta({ description: 'Null for a date.' }),
    basis: z.enum(METER_BASES).nullable().meta({ description: 'Who provides the meter; null: not known, or a date.' }),
    segment: z.number().int().nullable().meta({ description: 'Segment of the meter.' }),
    needs_review: z.boolean().meta({ description: 'True if a person must check the meter.' }),
    now: z.number().nullable().meta({ description: 'The meter when the alert was raised; null for a date.' }),
    due_at: z.number().nullable().meta({ description: 'Meter reading at which the service is due.' }),
    due_on: z.iso.date().nullable().meta({ description: 'Local date on which the service is due.' }),
    left: z.number().meta({ description: 'Hours, km or days left; negative when past.' }),
  })
  .meta({ id: 'AlertServiceFound', description: 'The service that is due, and the meter or date that says so.' });
export type AlertServiceFound = z.infer<typeof AlertServiceFound>;
