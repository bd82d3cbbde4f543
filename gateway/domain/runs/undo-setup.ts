/** What an undo of a setup leaves: machines, places, people and screens. An undo ends only the learnings of a setup. */
import type { Stored, View } from '#contract/base/view.ts';
import type { UndoItem } from '#contract/work/agent-task.ts';
import type { RunData } from '#contract/work/task.ts';
import { isSetupRun } from './setup-task.ts';

/** The kinds of objects that are left. The learnings are taken back by a call. */
const KINDS: ReadonlySet<string> = new Set([
  'equipment',
  'locations',
  'operators',
  'mechanics',
  'dashboards',
  'playlists',
]);

const WHY = 'A setup made it. Take it out of use on its page if it is wrong.';

/** Returns the objects that runs of a setup made and that are still there, as items that are left. */
export async function leftOfSetup(
  view: Pick<View, 'getMany'>,
  runs: readonly Stored<RunData>[],
): Promise<readonly UndoItem[]> {
  const created = runs
    .filter(({ data }) => isSetupRun(data))
    .flatMap(({ data }) => Object.entries(data.output?.created ?? {}));
  const ids = new Set(created.flatMap(([kind, list]) => (KINDS.has(kind) ? list : [])));
  const found = await view.getMany<{ unit_number?: string; name?: string }>('records', [...ids]);
  return found.map(({ id, object, data }) => {
    const name = data.unit_number ?? data.name ?? null;
    return { object, id, name, action: 'leave', fields: [], why: WHY };
  });
}
