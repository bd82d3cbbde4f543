/**
 * Unique names, such as the unit number of a machine. For each name in use the store has a document. The id of this document is derived
 * from the name. Two concurrent calls that want the same name write a document with the same id. So the second commit fails; its call runs
 * again and finds that the name is in use.
 */

import { OperationError } from '#contract/base/errors.ts';
import { deviceNameIdOf, foldText, type NameData, nameId } from '#contract/base/names.ts';
import { part, say } from '#contract/base/told.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';

/** The kinds of names that are unique within a project. `word` is used in messages; `field` is the API field. */
const KINDS = {
  unit_number: { word: 'Unit number', field: 'unit_number' },
  serial: { word: 'Serial', field: 'serial' },
  location_code: { word: 'Code', field: 'code' },
  operator_number: { word: 'Employee number', field: 'employee_number' },
  operator_badge: { word: 'Badge', field: 'badge_id' },
  mechanic_number: { word: 'Employee number', field: 'employee_number' },
  mechanic_badge: { word: 'Badge', field: 'badge_id' },
  shift: { word: 'The shift', field: 'shift' },
  user_name: { word: 'The name', field: 'name' },
} as const;
type NameKind = keyof typeof KINDS;

const idOf = (context: HandlerContext, project_id: string, kind: NameKind, name: string): string =>
  nameId(context.sha256, project_id, kind, foldText(name));

/** Returns the id of the record that has this name in the project; undefined if no record has the name. */
export async function holderOf(
  context: HandlerContext,
  view: StagedView,
  kind: NameKind,
  name: string,
): Promise<string | undefined> {
  return (await view.get<NameData<NameKind>>('local', idOf(context, view.project_id, kind, name)))?.data.holder;
}

/** Returns the ids of the records that have these names in the project. A name that no record has is left out. */
export async function holdersOf(
  context: HandlerContext,
  view: StagedView,
  kind: NameKind,
  names: readonly string[],
): Promise<Map<string, string>> {
  const ids = names.map((name) => idOf(context, view.project_id, kind, name));
  const found = await view.getMany<NameData<NameKind>>('local', [...new Set(ids)]);
  const holders = new Map(found.map(({ id, data }) => [id, data.holder]));
  return new Map(
    names.flatMap((name, i) => {
      const holder = holders.get(ids[i] ?? '');
      return holder === undefined ? [] : [[name, holder]];
    }),
  );
}

/**
 * Stages (adds to the commit of this call) the change of the names of the record `holder` from `before` to `after`. Throws `already_exists`
 * if another record already has a name in `after`; the error contains the id of that other record.
 */
export async function claimNames(
  context: HandlerContext,
  view: StagedView,
  kind: NameKind,
  holder: string,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const ids = (names: readonly string[]) =>
    new Map(names.map((name) => [idOf(context, view.project_id, kind, name), name]));
  const old = ids(before);
  const wanted = ids(after);
  const taken = [...wanted].filter(([id]) => !old.has(id));
  for (const document of await view.getMany<NameData<NameKind>>(
    'local',
    taken.map(([id]) => id),
  )) {
    const name = wanted.get(document.id) ?? document.data.name;
    if (document.data.holder !== holder) throw await heldBy(view, kind, name, document.data.holder);
  }
  for (const [id, name] of taken)
    view.stage<NameData<NameKind>>({
      collection: 'local',
      id,
      object: 'name',
      data: { kind, name, holder },
      expected: 0,
    });
  const released = [...old.keys()].filter((id) => !wanted.has(id));
  for (const current of await view.getMany<NameData<NameKind>>('local', released))
    if (current.data.holder === holder)
      view.stage<NameData<NameKind>>({
        collection: 'local',
        id: current.id,
        object: 'name',
        data: current.data,
        current,
        expected: current.revision,
        deleted: true,
      });
}

async function heldBy(view: StagedView, kind: NameKind, name: string, holder: string): Promise<OperationError> {
  const record = await view.get<{ unit_number?: string; device_id?: string; name?: string }>('records', holder);
  const called = record?.data.unit_number ?? record?.data.device_id ?? record?.data.name ?? holder;
  const { word, field } = KINDS[kind];
  return new OperationError(
    'already_exists',
    say('{word} {name} belongs to {holder}.', {
      word: part(word),
      name,
      holder: called === holder ? holder : `${called} (${holder})`,
    }),
    {
      param: field,
      details: [{ [field]: name, held_by: holder, name: called }],
    },
  );
}

/** Returns the id of the document of a `device_id` on this gateway. */
export function deviceNameId({ sha256 }: HandlerContext, device_id: string): string {
  return deviceNameIdOf(sha256, device_id);
}

/** Makes an unused `device_id` from a text such as a serial. If that name is taken, a random suffix is added. */
export async function mintDeviceId(context: HandlerContext, text: string): Promise<string> {
  const slug =
    text
      .normalize('NFKD')
      .replace(/[^A-Za-z0-9._:-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
      .slice(0, 48) || 'device';
  if ((await context.node.get('local', deviceNameId(context, slug))) === undefined) return slug;
  return `${slug}-${context.sha256(context.secret(16)).slice(0, 6)}`;
}
