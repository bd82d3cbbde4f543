/** The invoker, with the calls of each principal in fair turns. */
import type { Turns } from '#servers/base/fair-share.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';

/** Calls of one principal that are under way at once: reads wait for nothing but the processor, writes for the disk, which takes many together. */
export const READS_AT_ONCE = 2;
const WRITES_AT_ONCE = 16;

/** The invoker, with the calls of each principal in fair turns. */
export function inTurns(invoke: Invoke, turns: Turns): Invoke {
  return {
    ...invoke,
    call(call) {
      const { kind, id, address } = call.caller;
      const most = operationRow(call.name).hints.readOnly ? READS_AT_ONCE : WRITES_AT_ONCE;
      return turns.run(id === null ? `address:${address}` : `${kind}:${id}`, most, () => invoke.call(call));
    },
  };
}
