/**
 * Wraps the invoker (the object that runs operations), so that all principals get fair shares of the event loop. A principal is the key or
 * address to which a call is counted.
 */
import type { Turns } from '#servers/base/fair-share.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';

/**
 * Largest numbers of concurrent reads and writes of one principal. More concurrent reads are not faster, because reads need only the
 * processor. Concurrent writes are faster, because one sync of the disk stores many of them.
 */
export const READS_AT_ONCE = 2;
const WRITES_AT_ONCE = 16;

/** Returns an invoker. Its calls wait until it is the turn of their principal. */
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
