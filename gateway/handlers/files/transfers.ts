/** Where the content of a file is, and when it comes from the other end. */
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { requireRecord } from '#handlers/base/documents.ts';

function stateOf(
  { id, data }: Stored<ArtifactData>,
  context: HandlerContext<'sync'>,
): Promise<Output<'artifacts_transfer'>> {
  const { sha256, bytes, replication, wanted_at = null } = data;
  const project_id = context.view.project_id;
  return context.sync.fileState({ artifact_id: id, project_id, sha256, bytes, replication, wanted_at });
}

export const transferHandlers = handlerGroup(['sync'], {
  async artifacts_transfer({ id }, context) {
    return stateOf(await requireRecord<ArtifactData>(context.view, 'artifact', id), context);
  },

  async artifacts_fetch({ id }, context) {
    const current = await requireRecord<ArtifactData>(context.view, 'artifact', id);
    const state = await stateOf(current, context);
    if (state.state === 'here') return state;
    const data: ArtifactData = { ...current.data, wanted_at: context.now, replication: 'queued' };
    const write = { collection: 'records', id, object: 'artifact', data, current } as const;
    return stateOf(context.view.stage<ArtifactData>({ ...write, expected: current.revision }), context);
  },
});
