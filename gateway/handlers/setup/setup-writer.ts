/** Writes the parts of a setup as work of the gateway itself: each part in one commit. */
import type { OwnWork } from '#contract/context.ts';
import type { WrittenPart } from '#domain/setup/setup-outcome.ts';
import type { SetupPart } from '#domain/setup/setup-parts.ts';
import { stageSetupPart } from './stage-setup.ts';

/** Returns the function that writes one part of the plan of a task. */
export function createSetupWriter(
  ownWork: OwnWork,
): (project_id: string, task_id: string, part: SetupPart) => Promise<WrittenPart> {
  return async (project_id, task_id, part) => {
    let written: WrittenPart = { objects: [], gaps: [] };
    await ownWork(project_id, async (context) => {
      written = await stageSetupPart(context, task_id, part);
    });
    return written;
  };
}
