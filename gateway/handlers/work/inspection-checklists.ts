/** Operations on the checklists of inspections. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { ChecklistData } from '#contract/work/inspection.ts';
import { defaultChecklist } from '#domain/work/checklists.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { applyFields, checkRevision, requireRecord, wireBase } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';

type Checklist = Output<'inspection_checklists_get'>;
type Items = Parsed<'inspection_checklists_create'>['items'];

/** Largest number of checklists of a project. */
const MOST_CHECKLISTS = 100;

function toChecklist(document: Stored<ChecklistData>): Checklist {
  return { object: 'inspection_checklist', ...wireBase(document), ...document.data };
}

/** Adds an id to each item that has none; throws `parameter_invalid` if two items have the same id. */
function withIds(context: HandlerContext, items: Items): ChecklistData['items'] {
  const placed = items.map((item) => ({ ...item, id: item.id ?? context.newId('item') }));
  if (new Set(placed.map(({ id }) => id)).size < placed.length)
    throw new OperationError('parameter_invalid', 'Two items cannot share an id.', { param: 'items' });
  return placed;
}

function stageNew(context: HandlerContext, data: ChecklistData): Stored<ChecklistData> {
  const id = context.newId('inspection_checklist');
  stageAudit(context, context.view, 'inspection_checklist', id, 'created', { name: data.name });
  return context.view.stage({ collection: 'records', id, object: 'inspection_checklist', data, expected: 0 });
}

/** Returns all checklists of the project; throws `limit_reached` if `more` further checklists are too many. */
async function checklistsBefore(context: HandlerContext, more: number): Promise<Stored<ChecklistData>[]> {
  const query = { object: 'inspection_checklist', limit: MOST_CHECKLISTS };
  const known = await context.view.find<ChecklistData>('records', query);
  if (known.length + more > MOST_CHECKLISTS)
    throw new OperationError(
      'limit_reached',
      say('A project can have at most {most_checklists} checklists.', { most_checklists: MOST_CHECKLISTS }),
    );
  return known;
}

export const checklistHandlers = handlerGroup([], {
  async inspection_checklists_create(input, context) {
    await checklistsBefore(context, 1);
    return toChecklist(stageNew(context, { ...input, items: withIds(context, input.items) }));
  },

  async inspection_checklists_add_defaults({ kinds }, context) {
    const taken = new Set((await checklistsBefore(context, 0)).map(({ data }) => data.kind));
    const missing = [...new Set(kinds)].filter((kind) => !taken.has(kind));
    await checklistsBefore(context, missing.length);
    const made = missing.map((kind) => {
      const { name, items } = defaultChecklist(kind);
      return toChecklist(stageNew(context, { name, kind, items: withIds(context, [...items]), enabled: true }));
    });
    return { object: 'list', data: made, has_more: false, next_cursor: null };
  },

  async inspection_checklists_list({ kind, ...input }, context) {
    return listPage<ChecklistData, Checklist>(
      context,
      context.view,
      'records',
      input,
      { object: 'inspection_checklist', where: { 'data.kind': kind }, text: ({ data }) => [data.name] },
      (found) => found.map(toChecklist),
    );
  },

  async inspection_checklists_get({ id }, context) {
    return toChecklist(await requireRecord<ChecklistData>(context.view, 'inspection_checklist', id));
  },

  async inspection_checklists_update({ id, items, ...given }, context) {
    const { view } = context;
    const current = await requireRecord<ChecklistData>(view, 'inspection_checklist', id);
    checkRevision(context, current);
    const changed = { ...given, ...(items === undefined ? {} : { items: withIds(context, items) }) };
    const { data, fields } = applyFields(current.data, changed as Partial<ChecklistData>);
    if (fields.length === 0) return toChecklist(current);
    const { revision: expected } = current;
    const document = view.stage({ collection: 'records', id, object: 'inspection_checklist', data, current, expected });
    stageAudit(context, view, 'inspection_checklist', id, 'updated', { fields });
    return toChecklist(document);
  },

  async inspection_checklists_delete({ id }, context) {
    const { view } = context;
    const current = await requireRecord<ChecklistData>(view, 'inspection_checklist', id);
    checkRevision(context, current);
    const { data, revision: expected } = current;
    view.stage({ collection: 'records', id, object: 'inspection_checklist', data, current, expected, deleted: true });
    stageAudit(context, view, 'inspection_checklist', id, 'deleted', { name: data.name });
    return { object: 'inspection_checklist', id, deleted: true as const };
  },
});
