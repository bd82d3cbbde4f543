/**
 * Writes event logs. For a change of an object, the gateway writes an event in the same commit as the change. Callers can append further
 * events.
 */

import { OperationError } from '#contract/base/errors.ts';
import { EVENT_KINDS, type EventData, type EventSubject, SERVICE_KINDS, toEvent } from '#contract/base/event.ts';
import { hashId } from '#contract/base/ids.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import { mediaFrom, notFound, requireRecord } from './documents.ts';
import { listPage } from './lists.ts';
import { orderedId } from './ordered-ids.ts';

/** Stages (adds to the commit of this call) an event of the gateway about a change that the same call stages; one commit stores both. */
export function stageEvent(
  context: HandlerContext,
  view: StagedView,
  object: EventSubject,
  id: string,
  type: string,
  data: Record<string, unknown> = {},
  device_id: string | null = null,
): void {
  view.stage<EventData>({
    collection: 'events',
    id: orderedId(context, 'event'),
    object: 'event',
    expected: 0,
    data: {
      type,
      subject: { object, id },
      occurred_at: context.happened_at,
      source: 'headframe',
      source_event_id: null,
      actor: actorOf(context),
      data: marked(context, data),
      context: { run_id: null, device_id, media: [] },
    },
  });
}

/** Returns the data of an event; with a mark if the gateway does not know when it happened. */
function marked({ unsure_since }: HandlerContext, data: Record<string, unknown>): Record<string, unknown> {
  return unsure_since === null ? data : { ...data, time_not_known: true };
}

export function actorOf({ caller }: HandlerContext): EventData['actor'] {
  return { type: caller.kind, id: caller.id, name: caller.name };
}

function checkKind(object: EventSubject, type: string): void {
  const own: readonly string[] = EVENT_KINDS[object];
  if (type === 'note' || /^x\.[A-Za-z0-9][A-Za-z0-9._-]*$/.test(type) || own.includes(type)) return;
  if (SERVICE_KINDS.has(type))
    throw new OperationError('read_only_kind', `Only the gateway writes events of the kind \`${type}\`.`, {
      param: 'type',
    });
  throw new OperationError(
    'parameter_invalid',
    `This log accepts the kinds ${[...own, 'note'].join(', ')}, and any kind that begins with \`x.\`.`,
    { param: 'type', details: [{ allowed: [...own, 'note', 'x.*'] }] },
  );
}

/**
 * Returns the id of an event with a `source_event_id`, as a hash of its source. If the source sends the event again, the id is the same,
 * so the handler finds the stored event and does not store a second one.
 */
function eventId(context: HandlerContext, project_id: string, subject: string, source: string, source_id: string) {
  return hashId('event', context.sha256([project_id, subject, source, source_id].join('\n')));
}

/** `occurred_at` may be ahead of the gateway's clock by at most this many milliseconds. */
const AHEAD_MS = 86_400_000;

/** Returns the time of the event in UTC with milliseconds; throws `parameter_invalid` if it is more than `AHEAD_MS` in the future. */
function occurredAt({ now, happened_at }: HandlerContext, given: string | undefined): string {
  if (given === undefined) return happened_at;
  const at_ms = Date.parse(given);
  if (at_ms > Date.parse(now) + AHEAD_MS)
    throw new OperationError(
      'parameter_invalid',
      `\`occurred_at\` is more than a day ahead of the gateway's clock, which shows ${now}.`,
      { param: 'occurred_at' },
    );
  return new Date(at_ms).toISOString();
}

/** Matches the names of fields that contain an amount of fuel, such as `litres`. */
const AMOUNT = /^(?:fuel_?)?(?:l|lit(?:er|re)s?|amount|quantity|volume|gal(?:lon)?s?)(?:_(?:l|lit(?:er|re)s?|gal))?$/i;
const MOST_FUEL = 100_000;

/**
 * Throws `parameter_invalid` for an impossible amount of fuel, for example a negative amount. To correct a stored amount, a caller appends
 * another event with the id of the wrong event in `data.supersedes`.
 */
function checkData(type: string, data: Readonly<Record<string, unknown>>): void {
  if (type !== 'fuel.added') return;
  for (const [key, value] of Object.entries(data))
    if (AMOUNT.test(key) && !(typeof value === 'number' && value >= 0 && value <= MOST_FUEL))
      throw new OperationError(
        'parameter_invalid',
        `\`data.${key}\` is a number from 0 to ${MOST_FUEL}; correct an event by another one with \`data.supersedes\`.`,
        { param: `data.${key}` },
      );
}

/** Creates the handler that appends a caller's event to the log of an object. */
export function append(object: EventSubject) {
  return async (input: Parsed<'equipment_append_event'>, context: HandlerContext) => {
    const { view, caller } = context;
    await requireRecord(view, object, input.id);
    checkKind(object, input.type);
    checkData(input.type, input.data);
    const source = input.source ?? (caller.kind === 'device' ? caller.name : 'api');
    if (source === 'headframe')
      throw new OperationError(
        'parameter_invalid',
        'The source `headframe` is reserved for events that the gateway writes. Use another name.',
        {
          param: 'source',
        },
      );
    const { media = [] } = await mediaFrom(view, input.context);
    const { source_event_id = null } = input;
    const id =
      source_event_id === null
        ? context.newId('event')
        : eventId(context, view.project_id, input.id, source, source_event_id);
    const first = source_event_id === null ? undefined : await view.get<EventData>('events', id);
    if (first !== undefined) return toEvent(first);
    return toEvent(
      view.stage<EventData>({
        collection: 'events',
        id,
        object: 'event',
        expected: 0,
        data: {
          type: input.type,
          subject: { object, id: input.id },
          occurred_at: occurredAt(context, input.occurred_at),
          source,
          source_event_id,
          actor: actorOf(context),
          data: input.occurred_at === undefined ? marked(context, input.data) : input.data,
          context: { run_id: null, device_id: caller.device, media },
        },
      }),
    );
  };
}

/** Throws `not_found` if the project has neither the object nor a log of it. The log of a deleted object stays readable. */
async function requireLog(view: StagedView, object: EventSubject, id: string): Promise<void> {
  const found = await view.get('records', id);
  if (found?.object === object) return;
  const where = { 'data.subject.id': id, 'data.subject.object': object };
  const [entry] = await view.find('events', { object: 'event', where, limit: 1 });
  if (entry === undefined) throw notFound(object, 'id', undefined, id);
}

function list(object: EventSubject) {
  return async (input: Parsed<'equipment_events'>, context: HandlerContext) => {
    await requireLog(context.view, object, input.id);
    const where = { 'data.subject.id': input.id, 'data.type': input.type };
    return listPage<EventData, Output<'equipment_append_event'>>(
      context,
      context.view,
      'events',
      input,
      { object: 'event', where },
      (events) => events.map(toEvent),
    );
  };
}

export const eventHandlers = handlerGroup([], {
  devices_append_event: append('device'),
  devices_events: list('device'),
  equipment_append_event: append('equipment'),
  equipment_events: list('equipment'),
  dashboards_append_event: append('dashboard'),
  dashboards_events: list('dashboard'),
  shift_reports_events: list('shift_report'),
  repair_tickets_append_event: append('repair_ticket'),
  repair_tickets_events: list('repair_ticket'),
  playlists_append_event: append('playlist'),
  playlists_events: list('playlist'),
  operators_append_event: append('operator'),
  operators_events: list('operator'),
  mechanics_append_event: append('mechanic'),
  mechanics_events: list('mechanic'),
});
