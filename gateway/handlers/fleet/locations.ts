/**
 * Operations on locations, which form a tree of at most eight levels.
 *
 *   site -> pit -> zone -> ...
 *
 * Two concurrent moves could form a cycle. Each move of a branch therefore writes one and the same document, the guard of the tree. So the
 * commit of one of two concurrent moves fails, and this move runs again.
 */

import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import {
  applyFields,
  checkRevision,
  contextOf,
  mediaFrom,
  requireRecord,
  type WithMedia,
  wireBase,
} from '#handlers/base/documents.ts';
import { stageGuard } from '#handlers/base/guards.ts';
import { listPage } from '#handlers/base/lists.ts';
import { claimNames, holderOf } from '#handlers/base/names.ts';
import { mediaOf } from '#handlers/base/shown-media.ts';
import { checkTimeZone } from '#handlers/base/time-zones.ts';

type Location = Output<'locations_get'>;
type Data = LocationData & WithMedia;

/** Largest number of levels of the tree, including the root. */
const MOST_LEVELS = 8;
/** Largest number of locations in a branch that is moved. A larger branch must be moved in parts. */
const MOST_MOVED = 1_000;

function toLocation(document: Stored<Data>, shown?: readonly string[]): Location {
  const { media, ...fields } = document.data;
  const context = contextOf({ media: mediaOf(media, shown) });
  return { object: 'location', ...wireBase(document), ...fields, context };
}

/** Adds the newest files to locations. */
async function joinMedia({ media, view }: HandlerContext, found: readonly Stored<Data>[]): Promise<Location[]> {
  const ids = found.map(({ id }) => id);
  const shown = await media.newest(view.project_id, 'subject', ids);
  return found.map((document) => toLocation(document, shown.get(document.id)));
}

async function joined(context: HandlerContext, document: Stored<Data>): Promise<Location> {
  const [one] = await joinMedia(context, [document]);
  return one as Location;
}

function tooDeep(): OperationError {
  return new OperationError(
    'parameter_invalid',
    say('Locations can be nested at most {most_levels} levels deep.', { most_levels: MOST_LEVELS }),
    {
      param: 'parent_id',
    },
  );
}

/** Returns the level of a location in the tree; throws if it is in `branch` or too deep. */
async function levelOf(view: StagedView, id: string, branch: ReadonlySet<string>): Promise<number> {
  let level = 0;
  for (let at: string | null = id; at !== null; level++) {
    if (branch.has(at))
      throw new OperationError(
        'parameter_invalid',
        'A location cannot be inside itself or inside one of its own parts.',
        {
          param: 'parent_id',
        },
      );
    if (level >= MOST_LEVELS) throw tooDeep();
    const above: Stored<Data> = await requireRecord<Data>(view, 'location', at, 'parent_id');
    at = above.data.parent_id;
  }
  return level;
}

/** Returns the ids of a location and all locations inside it, and the number of levels of that branch. */
export async function branchOf(view: StagedView, id: string): Promise<{ ids: Set<string>; levels: number }> {
  const ids = new Set([id]);
  let levels = 1;
  for (let row = [id]; ; levels++) {
    const below = await view.find<Data>('records', {
      object: 'location',
      where: { 'data.parent_id': row },
      limit: 1_000,
    });
    row = below.map((child) => child.id).filter((child) => !ids.has(child));
    if (row.length === 0) return { ids, levels };
    for (const child of row) ids.add(child);
    if (ids.size > MOST_MOVED)
      throw new OperationError(
        'parameter_invalid',
        say('A branch of more than {most_moved} locations must be moved in parts.', { most_moved: MOST_MOVED }),
        {
          param: 'parent_id',
        },
      );
  }
}

/** Throws if the location cannot be placed below this parent. A location that is moved takes all locations inside it with it. */
async function checkParent(view: StagedView, parent_id: string | null, moved: string | undefined): Promise<void> {
  if (parent_id === null) return;
  const { ids, levels } = moved === undefined ? { ids: new Set<string>(), levels: 1 } : await branchOf(view, moved);
  if ((await levelOf(view, parent_id, ids)) + levels > MOST_LEVELS) throw tooDeep();
}

const codes = (code: string | null) => (code === null ? [] : [code]);

/** Stages a new location. Throws if its parent is unknown or too deep, or if another location has its code. */
export async function stageLocation(context: HandlerContext, id: string, data: Data): Promise<Stored<Data>> {
  const { view } = context;
  if (data.timezone !== null) checkTimeZone(data.timezone);
  await checkParent(view, data.parent_id, undefined);
  await claimNames(context, view, 'location_code', id, [], codes(data.code));
  const document = view.stage({ collection: 'records', id, object: 'location', data, expected: 0 });
  stageAudit(context, view, 'location', id, 'created', { name: data.name });
  return document;
}

export const locationHandlers = handlerGroup([], {
  async locations_create({ context: given, ...input }, context) {
    const { view } = context;
    const id = context.newId('location');
    const data: Data = {
      name: input.name,
      code: input.code ?? null,
      kind: input.kind,
      parent_id: input.parent_id ?? null,
      timezone: input.timezone ?? null,
      geofence: input.geofence ?? null,
      elevation_m: input.elevation_m ?? null,
      active: input.active,
      labels: input.labels ?? {},
      ...(await mediaFrom(view, given)),
    };
    return toLocation(await stageLocation(context, id, data));
  },

  async locations_list(input, context) {
    const { kind, parent_id, active, code } = input;
    const holder = code === undefined ? undefined : await holderOf(context, context.view, 'location_code', code);
    if (code !== undefined && holder === undefined)
      return { object: 'list', data: [], has_more: false, next_cursor: null };
    return listPage<Data, Location>(
      context,
      context.view,
      'records',
      input,
      {
        object: 'location',
        where: { id: holder, 'data.kind': kind, 'data.parent_id': parent_id, 'data.active': active },
        text: ({ data }) => [data.name, data.code],
      },
      (found) => joinMedia(context, found),
    );
  },

  async locations_get({ id }, context) {
    return joined(context, await requireRecord<Data>(context.view, 'location', id));
  },

  async locations_update({ id, context: given, ...changes }, context) {
    const { view } = context;
    const current = await requireRecord<Data>(view, 'location', id);
    checkRevision(context, current);
    const media = await mediaFrom(view, given);
    const { data, fields } = applyFields(current.data, { ...changes, ...media } as Partial<Data>);
    if (fields.length === 0) return joined(context, current);
    if (fields.includes('timezone') && data.timezone !== null) checkTimeZone(data.timezone);
    if (fields.includes('parent_id')) {
      await checkParent(view, data.parent_id, id);
      await stageGuard(context, view, `location_tree_${view.project_id}`);
    }
    await claimNames(context, view, 'location_code', id, codes(current.data.code), codes(data.code));
    const { revision: expected } = current;
    const document = view.stage({ collection: 'records', id, object: 'location', data, current, expected });
    stageAudit(context, view, 'location', id, 'updated', { fields });
    return joined(context, document);
  },
});
