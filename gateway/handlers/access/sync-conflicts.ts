/** The inbox of conflicts: what two ends wrote without seeing each other, the choice of a person, and its undo. */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { ConflictValue, SyncChoice, SyncChoiceData, SyncConflict } from '#contract/site/sync-conflicts.ts';
import type { OpenConflict } from '#contract/sync-services.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { actorOf } from '#handlers/base/events.ts';
import { listPage } from '#handlers/base/lists.ts';
import { orderedId } from '#handlers/base/ordered-ids.ts';
import { labelOf, placesOf, recordName, valuesInWords } from './conflict-words.ts';
import { type Related, type Remedy, relatedRecords, SECOND_REPORT } from './related-records.ts';

type Context = HandlerContext<'sync'>;

const CHOICE = 'sync_choice';
/** Later choices that are read to say whether a choice was undone. */
const MOST_CHOICES = 1_000;

/** The other answer to a deletion that an edit has beaten, and to a move of a ticket that was skipped. */
const ANSWERS = { deletion: { id: 'keep', text: 'Keep it' }, step: { id: 'seen', text: 'Put it aside' } } as const;

function answerOf(kind: OpenConflict['kind'], at: string): ConflictValue[] {
  if (kind === 'conflict') return [];
  return [{ ...ANSWERS[kind], value: null, by: null, node: null, place: 'now', at }];
}

async function toConflict(
  context: Context,
  open: OpenConflict,
  placeOf: (node: string) => string,
): Promise<SyncConflict> {
  const { kind, record_id, path } = open;
  const given = await valuesInWords(context, record_id, path, open.values, placeOf);
  const values = kind === 'conflict' ? given.reverse() : [...answerOf(kind, given[0]?.at ?? ''), ...given];
  return {
    object: 'sync_conflict',
    kind,
    record: await recordName(context, record_id),
    path,
    label: labelOf(path),
    values,
  };
}

type Places = (node: string) => string;

/** What is now at the place of a remedy: who gave it, where and when. */
async function givenOf(context: Context, { record_id, path, was }: Remedy, placeOf: Places): Promise<ConflictValue> {
  const found = await context.sync.fieldWrite(context.view.project_id, record_id, path, was);
  const record = await context.view.get('records', record_id);
  const value = found?.given ?? {
    ...{ id: `${record_id} ${path}`, value: was, node: record?.origin ?? context.nodeId },
    ...{ at: record?.created_at ?? context.now, hlc: record?.hlc.slice(0, 16) ?? '' },
  };
  const [given] = await valuesInWords(context, record_id, path, [{ ...value, value: was }], placeOf);
  return given as ConflictValue;
}

/** Records that contradict each other. The values are the remedies, each with who gave what it takes back. */
async function toRelated(context: Context, related: Related, placeOf: Places): Promise<SyncConflict> {
  const { record_id, path, label, remedies } = related;
  const values: ConflictValue[] = [];
  for (const remedy of remedies) {
    const { by, node, place, at } = await givenOf(context, remedy, placeOf);
    values.push({ id: remedy.id, value: remedy.value, text: remedy.text, by, node, place, at });
  }
  return {
    object: 'sync_conflict',
    kind: 'records',
    record: await recordName(context, record_id),
    path,
    label,
    values,
  };
}

/** Carries a remedy out. The choice is about the record that it changes. */
async function applyRemedy(context: Context, remedy: Remedy, placeOf: Places): Promise<Stored<SyncChoiceData>> {
  const { record_id, path, value, text } = remedy;
  const before = await givenOf(context, remedy, placeOf);
  const record = await recordName(context, record_id);
  if (path !== SECOND_REPORT) await stageField(context, record_id, path, value);
  const chosen = { id: `${remedy.id} now`, value, text, by: null, node: null, place: 'now', at: context.now };
  return stageChoice(context, { record, path, label: labelOf(path), chosen, others: [before], undoes: null });
}

const moved = (): OperationError =>
  new OperationError(
    'conflict_moved',
    'Somebody has decided this, or changed the field, in the meantime. Look at it again.',
  );

/** Stages the value of a field, as a decision about all its values. `null` for a deletion keeps the record. */
async function stageField(
  context: Context,
  record_id: string,
  path: string,
  value: unknown,
  shown?: unknown,
): Promise<void> {
  const { view, node, sync } = context;
  const found = await sync.fieldWrite(view.project_id, record_id, path, value);
  if (found === undefined) throw moved();
  if (shown !== undefined && canonicalJson(found.current ?? null) !== canonicalJson(shown)) throw moved();
  const { object, data, chosen, deleted } = found.write;
  const on = object === 'project' ? node : view;
  const current = await on.get<Record<string, unknown>>('records', record_id);
  on.stage({
    collection: 'records',
    id: record_id,
    object,
    // Fields that each node has for itself are not in the registers.
    data: { ...current?.data, ...data },
    chosen,
    ...(current === undefined ? {} : { current, expected: current.revision }),
    ...(deleted && ({ deleted: true } as const)),
  });
}

function toChoice(
  { id, created_at, data }: Stored<SyncChoiceData>,
  placeOf: (node: string) => string,
  undone: ReadonlySet<string>,
): SyncChoice {
  const { actor, node, ...rest } = data;
  // The other end says "this site" where this one says its name.
  const here = (value: ConflictValue): ConflictValue =>
    value.node === null ? value : { ...value, place: placeOf(value.node) };
  return {
    ...{ object: CHOICE, id, ...rest },
    chosen: here(rest.chosen),
    others: rest.others.map(here),
    ...{ by: actor.name, place: placeOf(node), at: created_at, undone: undone.has(id) },
  };
}

function stageChoice(
  context: Context,
  of: Pick<SyncChoiceData, 'record' | 'path' | 'label' | 'chosen' | 'others' | 'undoes'>,
): Stored<SyncChoiceData> {
  const data: SyncChoiceData = { ...of, actor: actorOf(context), node: context.nodeId };
  const id = orderedId(context, CHOICE);
  return context.view.stage<SyncChoiceData>({ collection: 'events', id, object: CHOICE, data, expected: 0 });
}

async function undoneIds({ view }: Context): Promise<ReadonlySet<string>> {
  const found = await view.find<SyncChoiceData>('events', { object: CHOICE, limit: MOST_CHOICES });
  return new Set(found.flatMap(({ data }) => data.undoes ?? []));
}

export const conflictHandlers = handlerGroup(['sync'], {
  async sync_conflicts_list(_input, context) {
    const open = await context.sync.conflicts(context.view.project_id);
    const placeOf = await placesOf(context);
    const data: SyncConflict[] = [];
    for (const one of open) data.push(await toConflict(context, one, placeOf));
    for (const one of await relatedRecords(context)) data.push(await toRelated(context, one, placeOf));
    return { object: 'list', data };
  },

  async sync_conflicts_choose({ record_id, path, value_id }, context) {
    const open = await context.sync.conflicts(context.view.project_id);
    const found = open.find((one) => one.record_id === record_id && one.path === path);
    const placeOf = await placesOf(context);
    if (found === undefined) {
      const related = (await relatedRecords(context)).find((one) => one.record_id === record_id && one.path === path);
      const remedy = related?.remedies.find(({ id }) => id === value_id);
      if (remedy === undefined) throw moved();
      return toChoice(await applyRemedy(context, remedy, placeOf), placeOf, new Set());
    }
    const { record, label, values } = await toConflict(context, found, placeOf);
    const chosen = values.find(({ id }) => id === value_id);
    if (chosen === undefined) throw moved();
    await stageField(context, record_id, path, found.values.find(({ id }) => id === value_id)?.value ?? null);
    const others = values.filter(({ id }) => id !== value_id);
    const choice = stageChoice(context, { record, path, label, chosen, others, undoes: null });
    return toChoice(choice, placeOf, new Set());
  },

  async sync_choices_list(input, context) {
    const placeOf = await placesOf(context);
    const undone = await undoneIds(context);
    return listPage<SyncChoiceData, SyncChoice>(context, context.view, 'events', input, { object: CHOICE }, (found) =>
      found.map((one) => toChoice(one, placeOf, undone)),
    );
  },

  async sync_choices_undo({ id }, context) {
    const { data } = await requireRecord<SyncChoiceData>(context.view, CHOICE, id, 'id', 'events');
    const { record, path, label, chosen, others } = data;
    const back = others[0];
    if (back === undefined || path.startsWith('steps/') || (await undoneIds(context)).has(id)) throw moved();
    const isDeletion = path === '_deleted';
    const shown = isDeletion ? (chosen.id === ANSWERS.deletion.id ? null : 'deleted') : chosen.value;
    if (path !== SECOND_REPORT) await stageField(context, record.id, path, back.value, shown);
    const choice = stageChoice(context, {
      ...{ record, path, label, chosen: back, undoes: id },
      others: [chosen, ...others.slice(1)],
    });
    return toChoice(choice, await placesOf(context), new Set());
  },
});
