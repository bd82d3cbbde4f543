/** An event: an entry in the log of a resource. Events are added and never changed. */
import { z } from 'zod';
import { freeJson, Id, listOf, listQuery, MediaInput, Timestamp } from './common.ts';
import { operation, V1, WRITERS } from './operation.ts';
import type { Stored } from './view.ts';

/** Resources that have an event log, and the kinds of events that callers may add to each log. Each log also accepts `note` and `x.*`. */
export const EVENT_KINDS = {
  device: [],
  equipment: ['fuel.added', 'inspection.passed', 'inspection.failed', 'downtime.started', 'downtime.ended'],
  dashboard: ['displayed'],
  playlist: ['displayed'],
  operator: ['signed_on', 'signed_off', 'certified'],
  mechanic: ['signed_on', 'signed_off', 'certified'],
  repair_ticket: ['comment'],
  shift_report: ['amended', 'acknowledged'],
} as const satisfies Record<string, readonly string[]>;
export type EventSubject = keyof typeof EVENT_KINDS;

/** Kinds of events that only the gateway writes. A caller that adds such an event gets the error `read_only_kind`. */
export const SERVICE_KINDS: ReadonlySet<string> = new Set([
  'created',
  'updated',
  'deleted',
  'checked',
  'status_changed',
  'live_status_changed',
  'assigned_operator',
  'unassigned_operator',
  'assigned_location',
  'taken',
  'meter.reading',
  'meter.reset',
  'meter.held',
  'meter.rejected',
  'meter.reconciled',
  'dtc.activated',
  'dtc.cleared',
  'alert.raised',
  'alert.joined',
  'alert.acted',
  'alert.unsent',
  'alert.added',
  'alert.acknowledged',
  'alert.cleared',
  'device.linked',
  'device.unlinked',
  'provisioned',
  'key_rolled',
  'key_revoked',
  'online',
  'offline',
  'transmitting',
  'fault',
  'config_applied',
  'artifact.stored',
  'artifact.differs',
  'clock_refused',
  'offline_resolved',
  'clock_corrected',
  'gap_declared',
  'budget_reached',
  'quarantined',
  'released',
  'purged',
  'published',
  'item_added',
  'item_removed',
  'takeover.started',
  'takeover.ended',
  'submitted',
  'flagged',
  'reopened',
  'assigned',
  'part.requested',
  'part.used',
  'labor.logged',
  'photo.added',
  'service.done',
  'inspection.completed',
  'report.joined',
]);

const Event = z
  .object({
    object: z.literal('event'),
    id: z.string(),
    project_id: z.string(),
    type: z.string().meta({ description: 'Kind of the event.' }),
    subject: z.object({ object: z.string(), id: z.string() }),
    occurred_at: Timestamp,
    recorded_at: Timestamp,
    source: z.string().meta({ description: 'The reporter: `headframe`, `api`, a device, or a name of your own.' }),
    source_event_id: z.string().nullable(),
    actor: z.object({ type: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
    data: z.record(z.string(), z.unknown()),
    context: z.object({ run_id: z.string().nullable(), device_id: z.string().nullable(), media: z.array(z.string()) }),
    sequence: z.number().int().nullable().meta({
      description: 'Write counter of the gateway that recorded it; orders the events of one gateway.',
    }),
    gateway_id: z.string(),
  })
  .meta({ id: 'Event', description: 'An append-only log entry. A correction is a new event.' });
export type Event = z.infer<typeof Event>;

/** `data` of a stored event. */
export interface EventData {
  type: string;
  subject: { object: string; id: string };
  occurred_at: string;
  source: string;
  source_event_id: string | null;
  actor: { type: string; id: string | null; name: string | null };
  data: Record<string, unknown>;
  context: { run_id: string | null; device_id: string | null; media: string[] };
}

/** Converts a stored event to the API form. */
export function toEvent(document: Stored<EventData>): Event {
  const { type, subject, occurred_at, source, source_event_id, actor, data, context } = document.data;
  return {
    object: 'event',
    id: document.id,
    project_id: document.project_id,
    type,
    subject,
    occurred_at,
    recorded_at: document.created_at,
    source,
    source_event_id,
    actor,
    data,
    context,
    // The store sets `origin_seq` at the commit. Until then it is 0.
    sequence: document.origin_seq === 0 ? null : document.origin_seq,
    gateway_id: document.origin,
  };
}

const eventAppendInput = {
  occurred_at: Timestamp.optional(),
  data: freeJson(64, 200, 262_144).default({}),
  context: MediaInput.optional(),
  source: z.string().min(1).max(120).optional(),
  source_event_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'A repeated request with the same source and id returns the first event.' }),
};

const eventListQuery = { id: Id, ...listQuery, type: z.string().max(80).optional() };

/** Returns the two operations on the event log of a resource: append an event, and read the log. */
export function eventOperations<N extends string>(path: N, noun: string) {
  const subject = path.replace(/s$/, '').replace('-', '_') as EventSubject;
  const kinds = [...EVENT_KINDS[subject].map((kind) => `\`${kind}\``), '`note`'].join(', ');
  const type = z
    .string()
    .min(1)
    .max(80)
    .meta({ description: `${kinds}, or \`x.\` followed by a name of your own.` });
  return {
    append: operation({
      method: 'POST',
      path: `${V1}/${path}/{id}/events`,
      summary: `Append one event to the log of a ${noun}`,
      input: z.object({ id: Id, type, ...eventAppendInput }),
      output: Event,
      events: 'one',
      inputLike: 'equipment_append_event',
      status: 201,
      roles: [...WRITERS, 'mechanic', 'operator'],
      errors: ['not_found', 'read_only_kind', 'parameter_invalid'],
    }),
    list: operation({
      method: 'GET',
      path: `${V1}/${path}/{id}/events`,
      summary: `Read the event log of a ${noun}`,
      input: z.object(eventListQuery),
      output: listOf(Event),
      events: 'list',
      errors: ['not_found', 'invalid_cursor'],
    }),
  };
}
