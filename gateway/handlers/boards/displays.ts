/**
 * Paired displays. Each display has a token of its own, so a person can change what one screen shows and can unpair one screen. The token is
 * only on the screen; the store has its hash. If the object that a display shows is deleted, the same commit unpairs the display.
 */

import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Display, DisplayData, ShareData } from '#contract/site/display.ts';
import { LIVE_MS } from '#contract/site/live.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { applyFields, checkRevision, notFound, requireRecord } from '#handlers/base/documents.ts';
import { freshToken } from '#handlers/base/link-tokens.ts';
import { listPage } from '#handlers/base/lists.ts';

/** Largest number of paired displays of a project. */
const MOST_DISPLAYS = 200;

type Context = HandlerContext<'displays'>;

function toDisplay(context: Context, display: Stored<DisplayData>): Display {
  const { name, kind, object_id, inches, metres, paired_by, address } = display.data;
  const heard = context.displays.heard(display.id);
  const last_seen_at = heard === undefined ? display.data.last_seen_at : new Date(heard.seen_ms).toISOString();
  const age_ms = last_seen_at === null ? null : Date.parse(context.now) - Date.parse(last_seen_at);
  return {
    object: 'display',
    id: display.id,
    revision: display.revision,
    ...{ name, kind, object_id, inches, metres },
    state: age_ms === null ? 'never_heard' : age_ms <= LIVE_MS ? 'live' : 'not_heard',
    last_seen_at,
    shown: heard?.shown ?? null,
    paired_at: display.created_at,
    ...{ paired_by, address },
  };
}

const requireDisplay = ({ view }: HandlerContext, id: string): Promise<Stored<DisplayData>> =>
  requireRecord<DisplayData>(view, 'display', id, 'id', 'local');

function stageDisplay(view: StagedView, id: string, data: DisplayData, current?: Stored<DisplayData>) {
  const expected = current?.revision ?? 0;
  return view.stage<DisplayData>({ collection: 'local', id, object: 'display', data, current, expected });
}

/** Stages the end of a display. */
function stageUnpaired(context: HandlerContext, current: Stored<DisplayData>): void {
  const { id, data, revision: expected } = current;
  context.view.stage({ collection: 'local', id, object: 'display', data, current, expected, deleted: true });
  stageAudit(context, context.view, 'display', id, 'unpaired', { name: data.name, object_id: data.object_id });
}

/** Returns "TV 3" with the smallest number that no display has. */
function freeName(displays: readonly Stored<DisplayData>[]): string {
  const taken = new Set(displays.map(({ data }) => data.name));
  let number = 1;
  while (taken.has(`TV ${number}`)) number++;
  return `TV ${number}`;
}

/** What a person says about a display that is paired. */
export interface NewDisplay {
  readonly kind: ShareData['kind'];
  readonly object_id: string;
  readonly name?: string | undefined;
  readonly inches?: number | undefined;
  readonly metres?: number | undefined;
  /** Network address of the screen. */
  readonly address: string;
}

/** Stages (adds to the commit of this call) a new display. Returns its id and its sealed token. Throws `limit_reached` at the limit. */
export async function stageNewDisplay(
  context: HandlerContext,
  { name, inches, metres, ...given }: NewDisplay,
): Promise<{ id: string; token: string; token_hash: string }> {
  const { view, caller } = context;
  await requireRecord(view, given.kind, given.object_id, 'object_id');
  const all = await view.find<DisplayData>('local', { object: 'display', limit: MOST_DISPLAYS });
  if (all.length >= MOST_DISPLAYS)
    throw new OperationError(
      'limit_reached',
      say('A site can have at most {most_displays} paired screens. Unpair one that is not used any more.', {
        most_displays: MOST_DISPLAYS,
      }),
    );
  const id = context.newId('display');
  const { token, token_hash } = freshToken(context, 'scr');
  const size = { inches: inches ?? null, metres: metres ?? null };
  const own = { name: name ?? freeName(all), paired_by: caller.name, last_seen_at: null, token_hash };
  const data: DisplayData = { ...given, ...size, ...own };
  stageDisplay(view, id, data);
  const { kind, object_id } = data;
  stageAudit(context, view, 'display', id, 'paired', { name: data.name, kind, object_id });
  return { id, token, token_hash };
}

/** Returns the ids of the objects that a paired display shows. Ids of other objects may be among them. */
export async function shownOnDisplays(view: StagedView, objects: readonly Stored<unknown>[]): Promise<Set<string>> {
  const [first, ...rest] = objects;
  if (first === undefined) return new Set();
  const where = rest.length === 0 ? { 'data.object_id': first.id } : {};
  const displays = await view.find<DisplayData>('local', { object: 'display', where, limit: MOST_DISPLAYS });
  return new Set(displays.map(({ data }) => data.object_id));
}

/** Stages the end of all displays that show a deleted object. */
export async function stageDisplaysEnd(context: HandlerContext, object_id: string): Promise<void> {
  const { view } = context;
  const where = { 'data.object_id': object_id };
  for (const one of await view.find<DisplayData>('local', { object: 'display', where, limit: MOST_DISPLAYS }))
    stageUnpaired(context, one);
}

export const displayHandlers = handlerGroup(['displays'], {
  async displays_list(input, context) {
    return listPage<DisplayData, Display>(
      context,
      context.view,
      'local',
      input,
      { object: 'display', text: ({ data }) => [data.name, data.address] },
      (found) => found.map((one) => toDisplay(context, one)),
    );
  },

  async displays_update({ id, ...given }, context) {
    const current = await requireDisplay(context, id);
    checkRevision(context, current);
    if ((given.kind === undefined) !== (given.object_id === undefined))
      throw new OperationError('parameter_missing', 'Give `kind` and `object_id` together.', {
        param: given.kind === undefined ? 'kind' : 'object_id',
      });
    if (given.kind !== undefined && given.object_id !== undefined)
      await requireRecord(context.view, given.kind, given.object_id, 'object_id');
    const { data, fields } = applyFields<DisplayData>(current.data, given as Partial<DisplayData>);
    if (fields.length === 0) return toDisplay(context, current);
    stageAudit(context, context.view, 'display', id, 'updated', { fields });
    return toDisplay(context, stageDisplay(context.view, id, data, current));
  },

  async displays_identify({ id }, context) {
    const { data } = await requireDisplay(context, id);
    return { object: 'display_identify' as const, id, shown: context.displays.identify(id, data.name) };
  },

  async displays_unpair({ id }, context) {
    const current = await requireDisplay(context, id);
    const answer = toDisplay(context, current);
    stageUnpaired(context, current);
    return answer;
  },

  async display_report({ share, ...shown }, context) {
    if (!context.displays.report(context.sha256(share), shown)) throw notFound('connected display', 'share');
    return { object: 'display_report' as const };
  },
});
