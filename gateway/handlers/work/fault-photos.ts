/**
 * Photos of fault reports that people send without an account. A photo names a report that was sent before, and belongs to its ticket. The
 * bounds protect the disk: photos of one report, of one code in an hour, and of all codes in a day, each kept for a year.
 */
import { OperationError } from '#contract/base/errors.ts';
import { hashId } from '#contract/base/ids.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { SHOWN_IMAGES, sniffMedia } from '#contract/work/media.ts';
import { fromBase64 } from '#handlers/base/base64.ts';
import { stageEvent } from '#handlers/base/events.ts';
import {
  type Answered,
  checkTimes,
  type Link,
  lateOf,
  linkOf,
  stageLink,
  timesOf,
  timesWithin,
} from './fault-reports.ts';
import { MOST_MEDIA } from './ticket-joins.ts';
import type { TicketData } from './ticket-records.ts';

const DAY_MS = 86_400_000;
/** The times of the photos of all codes in the last day. */
const TALLY = 'fault_photo_tally';
interface Tally {
  readonly times: readonly string[];
}

/** Throws `parameter_invalid` if the bytes are no picture that every browser shows. */
function pictureType(content: Uint8Array): string {
  const content_type = sniffMedia(content);
  if (content_type !== undefined && SHOWN_IMAGES.has(content_type)) return content_type;
  throw new OperationError('parameter_invalid', 'The photo must be a JPEG, PNG, WebP, GIF or AVIF image.', {
    param: 'content_base64',
  });
}

/** Finds the ticket of a report. Throws `not_found` if the gateway does not know the report any more. */
async function ticketOf(view: StagedView, equipment_id: string, answered: Stored<Answered> | undefined) {
  const where = { 'data.number': answered?.data.ticket_number ?? '' };
  const found =
    answered === undefined ? [] : await view.find<TicketData>('records', { object: 'repair_ticket', where, limit: 2 });
  const ticket = found.find(({ data }) => data.equipment_id === equipment_id);
  if (answered !== undefined && ticket !== undefined) return { answered, ticket };
  throw new OperationError('not_found', 'The gateway does not have the report of this photo.', { param: 'report_id' });
}

/** Throws if the report, its ticket, the code, or all codes together have as many photos as they may have. */
async function requireRoom(
  context: HandlerContext,
  link: Link,
  answered: Stored<Answered>,
  ticket: Stored<TicketData>,
) {
  const { node, now } = context;
  const per_report = LIMITS.fault_photos_per_report.value;
  if ((answered.data.photos ?? 0) >= per_report)
    throw new OperationError('limit_reached', say('A report can have at most {n} photos.', { n: per_report }));
  if ((ticket.data.media ?? []).length >= MOST_MEDIA)
    throw new OperationError(
      'limit_reached',
      say('This repair has {n} photos already, and can have no more.', { n: MOST_MEDIA }),
    );
  const photos = timesWithin(link.data.photos, 1, now);
  const waits = 'Too many photos were sent with this QR code in the last hour. This photo is sent later.';
  checkTimes(photos, LIMITS.fault_photos_per_link.value, 1, now, waits);
  const tally = await node.get<Tally>('local', TALLY);
  const times = timesWithin(tally?.data.times, 24, now);
  const day = 'Too many photos were sent with QR codes in the last day. This photo is sent later.';
  checkTimes(times, LIMITS.fault_photos_per_day.value, 24, now, day);
  return { photos, times, tally };
}

export const faultPhotoHandlers = handlerGroup(['signIn', 'putArtifact'], {
  async fault_photos_create(input, context) {
    const { token, reporter, report_id, photo_id, pass, content_base64, written_ago_ms } = input;
    const { node, now } = context;
    const { link, machine } = await linkOf(context, token);
    const view = context.project(link.data.project_id);
    const late = lateOf(context, link, report_id, pass);
    const { answered, ticket } = await ticketOf(view, machine.id, await node.get<Answered>('local', late.id));
    const { number: ticket_number, media = [] } = ticket.data;
    const id = hashId('artifact', context.sha256(`${link.id}\n${report_id}\n${photo_id}`));
    if ((await view.get('records', id)) !== undefined) return { object: 'fault_photo', id, ticket_number };
    const { photos, times, tally } = await requireRoom(context, link, answered, ticket);
    const content = fromBase64(content_base64);
    const content_type = pictureType(content);
    const { sha256 } = await context.putArtifact(content);
    const taken = timesOf(context, late, written_ago_ms);
    const data: ArtifactData = {
      kind: 'image',
      name: null,
      content_type,
      bytes: content.length,
      sha256,
      captured_at: taken.unsure_since === null ? taken.happened_at : null,
      received_at: now,
      device_id: null,
      subject: { object: 'repair_ticket', id: ticket.id },
      origin: null,
      retention_until: new Date(Date.parse(now) + LIMITS.fault_photo_time.value * DAY_MS).toISOString(),
      replication: 'local',
      media: null,
      run_id: null,
    };
    view.stage<ArtifactData>({ collection: 'records', id, object: 'artifact', data, expected: 0 });
    view.stage<TicketData>({
      collection: 'records',
      id: ticket.id,
      object: 'repair_ticket',
      data: { ...ticket.data, media: [...media, id] },
      current: ticket,
      expected: ticket.revision,
    });
    const caller = { ...context.caller, name: reporter };
    stageEvent({ ...context, ...taken, caller }, view, 'repair_ticket', ticket.id, 'photo.added', { artifact_id: id });
    node.stage<Answered>({
      collection: 'local',
      id: answered.id,
      object: 'fault_receipt',
      data: { ...answered.data, photos: (answered.data.photos ?? 0) + 1 },
      current: answered,
      expected: answered.revision,
    });
    stageLink(context, link.id, { ...link.data, photos: [...photos, now], last_used_at: now }, link);
    node.stage<Tally>({
      collection: 'local',
      id: TALLY,
      object: TALLY,
      data: { times: [...times, now] },
      current: tally,
      expected: tally?.revision ?? 0,
    });
    return { object: 'fault_photo', id, ticket_number };
  },
});
