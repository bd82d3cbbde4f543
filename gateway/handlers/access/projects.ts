/** Projects. A new project gets default boards, so that a TV shows something before anybody has edited a board. */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import { boardNameIn } from '#contract/board-names.ts';
import { BOARD_TEMPLATES, templatePlaylist } from '#contract/board-templates.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { DashboardData, PlaylistData } from '#contract/site/board.ts';
import { type Project, type ProjectData, TWO_SHIFTS } from '#contract/site/project.ts';
import { stageSetupTask } from '#domain/runs/setup-task.ts';
import { stageBuiltInRules } from '#handlers/alerts/alert-rules.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { applyFields, checkRevision, NO_CONTEXT, wireBase } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { listPage } from '#handlers/base/lists.ts';
import { orderedId } from '#handlers/base/ordered-ids.ts';
import { checkTimeZone } from '#handlers/base/time-zones.ts';
import { stagePreference } from './preferences.ts';

function toProject(document: Stored<ProjectData>): Project {
  const { project_id: _, ...base } = wireBase(document);
  // Projects that early versions of the gateway stored have no shift pattern and no target.
  const { shift_pattern = TWO_SHIFTS, working_target_percent = null } = document.data as Partial<ProjectData>;
  return {
    object: 'project',
    ...base,
    ...document.data,
    shift_pattern,
    working_target_percent,
    context: NO_CONTEXT,
  };
}

/** Stages (adds to the commit of this call) the default boards and playlist of a new project, with names in its language ([U384]). */
function stageBoards(context: HandlerContext, project_id: string, language: string): void {
  const view = context.project(project_id);
  const named = (name: string) => boardNameIn(language, name);
  // Create the dashboards in reverse order: lists are sorted newest first, and shall have the order of the playlist.
  const ids = BOARD_TEMPLATES.toReversed().map((template) => {
    const data = { ...template, name: named(template.name), description: named(template.description) };
    const id = orderedId(context, 'dashboard');
    view.stage<DashboardData>({ collection: 'records', id, object: 'dashboard', data, expected: 0 });
    stageEvent(context, view, 'dashboard', id, 'created', { name: data.name });
    return id;
  });
  const playlist = templatePlaylist(ids.toReversed());
  const data = { ...playlist, name: named(playlist.name) };
  const id = context.newId('playlist');
  view.stage<PlaylistData>({ collection: 'records', id, object: 'playlist', data, expected: 0 });
  stageEvent(context, view, 'playlist', id, 'created', { name: data.name });
}

/** Reads a project. Throws `project_not_found` if the project does not exist or the caller has no access to it. */
async function requireProject(context: HandlerContext, id: string): Promise<Stored<ProjectData>> {
  const reached = context.caller.project_ids?.includes(id) ?? true;
  const found = reached ? await context.node.get<ProjectData>('records', id) : undefined;
  if (found?.object !== 'project')
    throw new OperationError(
      'project_not_found',
      'The project does not exist, or this credential has no access to it.',
      {
        param: 'id',
      },
    );
  return found;
}

export const projectHandlers = handlerGroup(['days'], {
  async projects_create(input, context) {
    if (context.caller.project_ids !== null)
      throw new OperationError('permission_denied', 'This key is restricted to some projects and cannot create one.');
    checkTimeZone(input.timezone);
    const { name, prompt = null, url = null, timezone, units, language, simulated } = input;
    const { shift_pattern, working_target_percent } = input;
    const id = context.newId('project');
    const data: ProjectData = {
      ...{ name, prompt, url, timezone, units, language, simulated, shift_pattern, working_target_percent },
    };
    const document = context.node.stage({ collection: 'records', id, object: 'project', data, expected: 0 });
    stageAudit(context, context.node, 'project', id, 'created', { name });
    stagePreference(context, id);
    stageBoards(context, id, language);
    stageBuiltInRules(context, context.project(id));
    if (input.setup !== true) return { project: toProject(document) };
    const { caller } = context;
    const created_by = { type: caller.kind, id: caller.id, name: caller.name };
    return {
      project: toProject(document),
      setup: stageSetupTask(context, context.project(id), { prompt, url, created_by }),
    };
  },

  async projects_list(input, context) {
    const { project_ids } = context.caller;
    return listPage<ProjectData, Output<'projects_get'>>(
      context,
      context.node,
      'records',
      input,
      {
        object: 'project',
        where: { id: project_ids === null ? undefined : project_ids, 'data.simulated': input.simulated },
        text: ({ data }) => [data.name],
      },
      (documents) => documents.map(toProject),
    );
  },

  async projects_get({ id, include }, context) {
    const project = toProject(await requireProject(context, id));
    return include === 'days' ? { ...project, days: await context.days.read(id) } : project;
  },

  async projects_update({ id, ...given }, context) {
    const current = await requireProject(context, id);
    checkRevision(context, current);
    const { data, fields } = applyFields(current.data, given as Partial<ProjectData>);
    if (fields.length === 0) return toProject(current);
    if (fields.includes('timezone')) checkTimeZone(data.timezone);
    const { revision: expected } = current;
    const document = context.node.stage({ collection: 'records', id, object: 'project', data, current, expected });
    stageAudit(context, context.node, 'project', id, 'updated', { fields });
    return toProject(document);
  },
});
