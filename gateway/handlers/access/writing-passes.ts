/** Makes the passes of late writes. A pass is sealed and not stored. */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { TabletData } from '#contract/site/tablet.ts';
import type { UserData } from '#contract/site/user.ts';
import { PASS_RECORD, type PassContent } from '#contract/work/writing-pass.ts';

const KEPT_MS = LIMITS.writing_pass.value * 86_400_000;

export const writingPassHandlers = handlerGroup(['signIn'], {
  async writing_passes_create(_input, { caller, sealer, signIn, node }) {
    const { kind, id, name, tablet = null } = caller;
    if ((kind !== 'user' && kind !== 'workspace') || id === null)
      throw new OperationError('permission_denied', 'Only a person who is signed in gets a pass.');
    const issued_ms = signIn.now();
    const user = kind === 'user' ? await node.get<UserData>('local', id) : undefined;
    const on = tablet === null ? undefined : await node.get<TabletData>('local', tablet);
    const content: PassContent = {
      kind,
      id,
      tablet,
      tablet_key: on?.data.key ?? null,
      generation: user?.data.pass_generation ?? 0,
      issued_ms,
    };
    return {
      object: 'writing_pass',
      pass: sealer.seal(JSON.stringify(content), PASS_RECORD),
      name,
      issued_at: new Date(issued_ms).toISOString(),
      ends_at: new Date(issued_ms + KEPT_MS).toISOString(),
    };
  },
});
