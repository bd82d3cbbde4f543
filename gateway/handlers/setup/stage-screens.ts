/** Stages the last part of a setup: the shift pattern of the project, the boards, and a playlist that shows them. */
import { foldText, SHIFT_LIMITS } from '#contract/base/names.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { operations } from '#contract/operations.ts';
import { type DashboardData, PLAYLIST_DEFAULTS, type PlaylistData } from '#contract/site/board.ts';
import type { ProjectData } from '#contract/site/project.ts';
import { type ShiftPattern, TWO_SHIFTS } from '#contract/site/project.ts';
import type { Gap } from '#contract/work/task.ts';
import { overviewBoard, type SetupBoard, setupBoard } from '#domain/board/setup-boards.ts';
import type { PlannedShift } from '#domain/planner/plan-types.ts';
import type { WrittenObject, WrittenPart } from '#domain/setup/setup-outcome.ts';
import type { SetupPart } from '#domain/setup/setup-parts.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { stageItems } from '#handlers/base/items.ts';
import { setupId } from './setup-id.ts';

const MOST_BOARDS = 1_000;
/** The playlist of a setup shows at most this many boards. */
const MOST_SHOWN = 20;
const PLAYLIST = 'Site TV';

const sameShifts = (a: ShiftPattern, b: ShiftPattern): boolean =>
  JSON.stringify(a.map(({ starts, ends }) => [starts, ends])) ===
  JSON.stringify(b.map(({ starts, ends }) => [starts, ends]));

/**
 * Stages the shifts of the text as the shift pattern of the project. A pattern that people have changed stays, because a person knows more
 * than the text.
 */
async function stageShifts(context: HandlerContext, shifts: readonly PlannedShift[]): Promise<WrittenPart> {
  const none = (...gaps: Gap[]): WrittenPart => ({ objects: [], gaps });
  if (shifts.length === 0) return none();
  const { node, view } = context;
  const from = shifts.flatMap((shift) => shift.from);
  const gap = (code: string, message: string, remedy: string): Gap => ({
    ...{ code, resource: 'project', ref: from[0] ?? null, message, remedy, blocking: false },
  });
  const current = await node.get<ProjectData>('records', view.project_id);
  if (current?.object !== 'project') return none();
  const daily: Gap[] = shifts.some(({ days }) => days !== null)
    ? [
        gap(
          'shift_days_not_kept',
          'The text says on which days a shift works. A shift pattern has no days, so its shifts are of every day.',
          'Nothing, or leave the boards of a shift out of the playlist on the other days.',
        ),
      ]
    : [];
  const pattern = shifts.map(({ name, starts, ends }) => ({ name: name.slice(0, SHIFT_LIMITS.name), starts, ends }));
  const given = operations.projects_update.input.safeParse({ id: view.project_id, shift_pattern: pattern });
  const wanted = given.success ? given.data.shift_pattern : undefined;
  if (wanted === undefined)
    return none(
      gap(
        'missing_shift_pattern',
        'The shifts of the text overlap, have the same name, or are more than six, so the shift pattern stays as it was.',
        'Enter the shifts on the page of the site.',
      ),
    );
  const before = current.data.shift_pattern ?? TWO_SHIFTS;
  const written = (created: boolean): WrittenObject[] =>
    wanted.map(({ name }, i) => {
      const { from: words = [], at } = shifts[i] ?? {};
      return { kind: 'shifts', name, id: name, created, from: words, at, stated: true };
    });
  if (sameShifts(before, wanted)) return { objects: written(false), gaps: daily };
  if (JSON.stringify(before) !== JSON.stringify(TWO_SHIFTS))
    return none(
      gap(
        'shift_pattern_kept',
        'The project has other shifts than the text. The shift pattern stays as people set it.',
        'Compare the shifts on the page of the site with the text, and correct them if the text is right.',
      ),
    );
  stagePattern(context, current, wanted);
  return { objects: written(true), gaps: daily };
}

function stagePattern(context: HandlerContext, current: Stored<ProjectData>, wanted: ShiftPattern): void {
  const data: ProjectData = { ...current.data, shift_pattern: wanted };
  const { id, revision: expected } = current;
  const { node } = context;
  node.stage({ collection: 'records', id, object: 'project', data, current, expected });
  stageAudit(context, node, 'project', id, 'updated', { fields: ['shift_pattern'] });
}

/** Takes the night out of the default shift pattern if the text says that nobody works at night. The plan has the gap. */
async function stageNoNights(context: HandlerContext): Promise<WrittenPart> {
  const current = await context.node.get<ProjectData>('records', context.view.project_id);
  const isDefault = JSON.stringify(current?.data.shift_pattern ?? TWO_SHIFTS) === JSON.stringify(TWO_SHIFTS);
  if (current?.object === 'project' && isDefault) stagePattern(context, current, TWO_SHIFTS.slice(0, 1));
  return { objects: [], gaps: [] };
}

/** The words of the text, and where they stand in a file. */
type Cited = Pick<WrittenObject, 'from' | 'at'>;

interface Board {
  readonly id: string;
  readonly written: WrittenObject;
}

/** Stages a board if the project has none with its name. */
function stageBoard(
  context: HandlerContext,
  task_id: string,
  { data }: SetupBoard,
  { from, at }: Cited,
  place: number,
  known: Map<string, string>,
): Board {
  const own = setupId(context, task_id, 'dashboard', data.name, place);
  const there = known.get(foldText(data.name));
  const id = there ?? own;
  known.set(foldText(data.name), id);
  if (there === undefined) {
    context.view.stage<DashboardData>({ collection: 'records', id, object: 'dashboard', data, expected: 0 });
    stageEvent(context, context.view, 'dashboard', id, 'created', { name: data.name });
  }
  return { id, written: { kind: 'dashboards', name: data.name, id, created: id === own, from, at, stated: true } };
}

/** Stages the playlist that shows the boards of the setup first and then the other boards of the project, or adds missing boards to it. */
async function stagePlaylist(
  context: HandlerContext,
  task_id: string,
  boards: readonly string[],
): Promise<WrittenObject> {
  const { view } = context;
  const own = setupId(context, task_id, 'playlist', PLAYLIST, 0);
  const all = await view.find<PlaylistData>('records', { object: 'playlist', limit: MOST_BOARDS });
  const current = all.find(({ data }) => foldText(data.name) === foldText(PLAYLIST));
  const shown = new Set(current?.data.items.map(({ dashboard_id }) => dashboard_id));
  const added = boards
    .filter((id) => !shown.has(id))
    .slice(0, Math.max(0, MOST_SHOWN - shown.size))
    .map((dashboard_id) => ({ id: `board-${dashboard_id.slice(-8)}`, dashboard_id, enabled: true }));
  const id = current?.id ?? own;
  if (current === undefined) {
    const data: PlaylistData = { ...PLAYLIST_DEFAULTS, name: PLAYLIST, default_duration_s: 20, items: added };
    view.stage<PlaylistData>({ collection: 'records', id, object: 'playlist', data, expected: 0 });
    stageEvent(context, view, 'playlist', id, 'created', { name: PLAYLIST });
  } else if (added.length > 0) {
    const data: PlaylistData = { ...current.data, items: [...current.data.items, ...added] };
    view.stage<PlaylistData>({
      collection: 'records',
      id,
      object: 'playlist',
      data,
      current,
      expected: current.revision,
    });
    stageEvent(context, view, 'playlist', id, 'updated', { fields: ['items'] });
    stageItems(context, 'playlist', id, current.data.items, data.items);
  }
  return { kind: 'playlists', name: PLAYLIST, id, created: id === own, from: [], stated: true, isUsual: true };
}

const notShown = (left: readonly string[], { from, at }: Cited): Gap => ({
  code: 'unreadable_board',
  resource: 'dashboards',
  ref: from[0] ?? null,
  message: `The board does not show: ${left.join(', ')}.${at == null ? '' : ` Its words stand in ${at}.`}`,
  remedy: 'Add a widget for it on the page of screens. A camera widget needs the choice of a camera.',
  blocking: false,
});

/** Stages the shift pattern, the boards and the playlist of a setup. */
export async function stageScreens(
  context: HandlerContext,
  task_id: string,
  { shifts, boards, noNights }: Extract<SetupPart, { step: 'screens' }>,
): Promise<WrittenPart> {
  const { view } = context;
  const pattern = shifts.length > 0 || !noNights ? await stageShifts(context, shifts) : await stageNoNights(context);
  const gaps = [...pattern.gaps];
  const found = await view.find<DashboardData>('records', { object: 'dashboard', order: 'asc', limit: MOST_BOARDS });
  const known = new Map(found.map(({ id, data }) => [foldText(data.name), id]));
  const others = found.filter(({ data }) => data.audience === 'tv').map(({ id }) => id);
  const objects: WrittenObject[] = [...pattern.objects];
  const shown: string[] = [];
  const wanted = boards.map(({ place, shows, from, at }) => ({ board: setupBoard(place, shows), cited: { from, at } }));
  for (const [place, { board, cited }] of wanted.entries()) {
    if (board.left.length > 0) gaps.push(notShown(board.left, cited));
    if (board.data.widgets.length === 0) continue;
    const { id, written } = stageBoard(context, task_id, board, cited, place, known);
    shown.push(id);
    objects.push(written);
  }
  if (shown.length === 0) {
    const { id, written } = stageBoard(context, task_id, overviewBoard(), { from: [] }, 0, known);
    shown.push(id);
    objects.push({ ...written, isUsual: true });
  }
  objects.push(await stagePlaylist(context, task_id, [...new Set([...shown, ...others.toReversed()])]));
  return { objects, gaps };
}
