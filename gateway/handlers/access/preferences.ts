/** Preferences: one document per project, created with the project and updated by merging. */

import { hashId } from '#contract/base/ids.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { Notifications, PreferenceData } from '#contract/site/preference.ts';
import { mergeNotifications, NO_MARKERS } from '#domain/board/markers.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { checkRevision, NO_CONTEXT, notFound, wireBase } from '#handlers/base/documents.ts';

type Preference = Output<'preferences_get'>;

/** Derives the id of the preference from the project, so that a project cannot get two preferences. */
function preferenceId(context: HandlerContext, project_id: string): string {
  return hashId('preference', context.sha256(`preference\n${project_id}`));
}

/** Stages (adds to the commit of this call) the empty preference of a new project. */
export function stagePreference(context: HandlerContext, project_id: string): void {
  context.project(project_id).stage<PreferenceData>({
    collection: 'records',
    id: preferenceId(context, project_id),
    object: 'preference',
    data: { notifications: NO_MARKERS },
    expected: 0,
  });
}

function toPreference(document: Stored<PreferenceData>): Preference {
  return { object: 'preference', ...wireBase(document), ...document.data, context: NO_CONTEXT };
}

/**
 * Reads a preference by its own id or by the id of its project. A project that was created before preferences existed has no preference;
 * for such a project the function returns an empty preference with revision 0.
 */
async function requirePreference(context: HandlerContext, id: string): Promise<Stored<PreferenceData>> {
  const { view, node } = context;
  const own = preferenceId(context, view.project_id);
  if (id !== own && id !== view.project_id) throw notFound('preference', 'id');
  const found = await view.get<PreferenceData>('records', own);
  if (found !== undefined) return found;
  const project = await node.get('records', view.project_id);
  if (project === undefined) throw notFound('preference', 'id');
  const { project_id } = view;
  return { ...project, id: own, project_id, object: 'preference', revision: 0, data: { notifications: NO_MARKERS } };
}

/**
 * Converts the notification markers of a request (times up to which a person has seen the notifications) to UTC. It replaces a time in the
 * future by the current time. The reason is that the merge keeps the later time, so a correct marker could never replace a future one.
 */
function givenMarkers(input: Parsed<'preferences_update'>['notifications'], now: string): Notifications {
  const time = (text: string) => {
    const at = new Date(text).toISOString();
    return at < now ? at : now;
  };
  const all = (markers: Notifications['read'] = {}) =>
    Object.fromEntries(Object.entries(markers).map(([id, at]) => [id, time(at)]));
  return {
    read: all(input.read),
    cleared: all(input.cleared),
    read_before: input.read_before === undefined ? null : time(input.read_before),
  };
}

export const preferenceHandlers = handlerGroup([], {
  async preferences_get({ id }, context) {
    return toPreference(await requirePreference(context, id));
  },

  async preferences_update({ id, notifications: given }, context) {
    const current = await requirePreference(context, id);
    checkRevision(context, current);
    const notifications = mergeNotifications(current.data.notifications, givenMarkers(given, context.now));
    if (JSON.stringify(notifications) === JSON.stringify(current.data.notifications)) return toPreference(current);
    const { id: own, revision: expected } = current;
    const data = { notifications };
    const document = context.view.stage<PreferenceData>({
      collection: 'records',
      id: own,
      object: 'preference',
      data,
      ...(expected === 0 ? {} : { current }),
      expected,
    });
    stageAudit(context, context.view, 'preference', own, 'updated', { fields: Object.keys(given) });
    return toPreference(document);
  },
});
