/**
 * Operations on inspections. One commit stores a completed inspection, its event in the log of the machine, and the ticket of each item that
 * is not ok. There is no operation that changes a completed inspection.
 */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import {
  type ChecklistData,
  type ChecklistItem,
  type InspectionData,
  MOST_INSPECTION_MEDIA,
} from '#contract/work/inspection.ts';
import { requireRecord, requireRecords, wireBase } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { listPage } from '#handlers/base/lists.ts';
import { checkPerson } from '#handlers/base/people-references.ts';
import { stageReport } from './ticket-joins.ts';

type Inspection = Output<'inspections_get'>;
type Input = Parsed<'inspections_create'>;
type Answer = Input['answers'][number];

/** `completed_at` may be ahead of the gateway's clock by at most this many milliseconds, because the clock of a tablet may be inaccurate. */
const AHEAD_MS = 300_000;

function toInspection(document: Stored<InspectionData>): Inspection {
  return { object: 'inspection', ...wireBase(document), ...document.data };
}

/** Returns each item of the checklist with its answer; throws if an item has no answer or two, or if an answer has no item. */
function answered(items: readonly ChecklistItem[], answers: readonly Answer[]): [ChecklistItem, Answer][] {
  const given = new Map(answers.map((answer) => [answer.item_id, answer]));
  const known = new Set(items.map(({ id }) => id));
  const missing = items.filter(({ id }) => !given.has(id)).map(({ id }) => id);
  const unknown = answers.filter(({ item_id }) => !known.has(item_id)).map(({ item_id }) => item_id);
  if (missing.length > 0 || unknown.length > 0 || given.size < answers.length)
    throw new OperationError(
      'parameter_invalid',
      'Answer each item of the checklist once. If somebody changed the checklist in the meantime, read it again; `details` names the items.',
      { param: 'answers', details: [{ missing, unknown }] },
    );
  return items.map((item) => [item, given.get(item.id) as Answer]);
}

/**
 * Checks the files of the answers, and stages that each of them is kept without a time limit: an inspection is a record, and its files are
 * part of it.
 */
async function stageMedia({ view }: HandlerContext, answers: readonly Answer[]): Promise<void> {
  const media = [...new Set(answers.flatMap((answer) => answer.media))];
  if (media.length > MOST_INSPECTION_MEDIA)
    throw new OperationError(
      'parameter_invalid',
      say('The inspection has {media} files. It can have at most {most_inspection_media}.', {
        media: media.length,
        most_inspection_media: MOST_INSPECTION_MEDIA,
      }),
      { param: 'answers' },
    );
  await requireRecords(view, 'artifact', media, 'answers');
  for (const current of await view.getMany<ArtifactData>('records', media)) {
    if (current.data.retention_until === null) continue;
    const data = { ...current.data, retention_until: null };
    const { id, revision: expected } = current;
    view.stage({ collection: 'records', id, object: 'artifact', data, current, expected });
  }
}

function completedAt({ now, happened_at }: HandlerContext, given: string | undefined): string {
  if (given === undefined) return happened_at;
  const at_ms = Date.parse(given);
  if (at_ms > Date.parse(now) + AHEAD_MS)
    throw new OperationError('parameter_invalid', '`completed_at` is in the future.', { param: 'completed_at' });
  return new Date(at_ms).toISOString();
}

/** Stages the ticket of an item that is not ok, or joins the open ticket of this item. Returns the id of the ticket. */
async function stageFailure(
  context: HandlerContext,
  machine: Stored<EquipmentData>,
  inspection: Pick<InspectionData, 'checklist' | 'done_by' | 'completed_at' | 'hours'> & { readonly id: string },
  item: ChecklistItem,
  { note, media }: Answer,
): Promise<string> {
  const { id, checklist, done_by, completed_at, hours } = inspection;
  const found = `Not ok in the inspection "${checklist}" by ${done_by}.`;
  const { ticket } = await stageReport(
    context,
    {
      title: item.text,
      description: [found, note, ...(item.critical ? ['Critical: do not operate the machine.'] : [])]
        .filter((line) => line !== '')
        .join('\n'),
      equipment_id: machine.id,
      location_id: machine.data.location_id,
      priority: item.critical ? 'critical' : 'medium',
      safety_critical: item.critical,
      type: 'inspection',
      source: { kind: 'inspection', ref: id, key: item.id },
      reported_by: done_by,
      flagged_at: completed_at,
      meter_hours: hours ?? undefined,
      media,
    },
    { inspection_id: id, reported_by: done_by, note, critical: item.critical },
  );
  return ticket.id;
}

export const inspectionHandlers = handlerGroup([], {
  async inspections_create(input, context) {
    const { view, caller } = context;
    const machine = await requireRecord<EquipmentData>(view, 'equipment', input.equipment_id, 'equipment_id');
    const list = await requireRecord<ChecklistData>(view, 'inspection_checklist', input.checklist_id, 'checklist_id');
    if (list.data.kind !== null && list.data.kind !== machine.data.kind)
      throw new OperationError('parameter_invalid', 'This checklist is for another kind of machines.', {
        param: 'checklist_id',
      });
    const pairs = answered(list.data.items, input.answers);
    const { done_by = caller.name, hours = null } = input;
    await checkPerson(view, done_by, 'done_by');
    await stageMedia(context, input.answers);
    const id = context.newId('inspection');
    const completed_at = completedAt(context, input.completed_at);
    const about = { id, checklist: list.data.name, done_by, completed_at, hours };
    const items: InspectionData['items'] = [];
    for (const [item, answer] of pairs) {
      const isFailed = answer.answer === 'not_ok';
      const ticket_id = isFailed ? await stageFailure(context, machine, about, item, answer) : null;
      items.push({ text: item.text, critical: item.critical, ticket_id, ...answer });
    }
    const failed = items.filter(({ answer }) => answer === 'not_ok');
    const data: InspectionData = {
      equipment_id: machine.id,
      checklist_id: list.id,
      checklist: list.data.name,
      result: failed.length === 0 ? 'passed' : 'failed',
      do_not_operate: failed.some(({ critical }) => critical),
      items,
      done_by,
      started_at: input.started_at === undefined ? null : new Date(input.started_at).toISOString(),
      completed_at,
      hours,
    };
    const document = view.stage<InspectionData>({ collection: 'records', id, object: 'inspection', data, expected: 0 });
    stageEvent(context, view, 'equipment', machine.id, 'inspection.completed', {
      inspection_id: id,
      checklist: data.checklist,
      result: data.result,
      do_not_operate: data.do_not_operate,
      failed: failed.map(({ text, ticket_id }) => ({ text, ticket_id })),
      done_by,
      completed_at,
    });
    return toInspection(document);
  },

  async inspections_list({ equipment_id, result, ...input }, context) {
    return listPage<InspectionData, Inspection>(
      context,
      context.view,
      'records',
      input,
      { object: 'inspection', where: { 'data.equipment_id': equipment_id, 'data.result': result } },
      (found) => found.map(toInspection),
    );
  },

  async inspections_get({ id }, context) {
    return toInspection(await requireRecord<InspectionData>(context.view, 'inspection', id));
  },
});
