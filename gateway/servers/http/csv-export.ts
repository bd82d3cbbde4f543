/**
 * Sends a whole list as CSV. An export reads the whole list from the store, which is much work. So the number of open exports is limited,
 * and only one export at a time reads a page.
 */
import type { Response } from 'express';
import { LIMITS } from '#contract/base/limits.ts';
import { createPlaces } from '#servers/base/fair-share.ts';
import { createRestingQueue } from '#servers/base/pause.ts';
import { CSV_PAGE, sendCsv } from '#servers/invoke/formats.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';

/** Creates the function that exports the list of a call. The function throws `rate_limited` if too many exports are open. */
export function createCsvExport(
  invoke: Invoke,
): (call: Parameters<Invoke['call']>[0], response: Response) => Promise<void> {
  const places = createPlaces({ total: LIMITS.exports.value, each: 2, what: 'exports' });
  const inTurn = createRestingQueue();
  return async (call, response) => {
    const { limit: _, ...input } = call.input;
    const release = places.take(`${call.caller.kind}:${call.caller.id}`);
    const readPage = async (cursor: string | undefined) => {
      const page = { ...input, limit: CSV_PAGE, ...(cursor ? { cursor } : {}) };
      return (await invoke.call({ ...call, input: page })).body;
    };
    try {
      await sendCsv(call.name, response, readPage, inTurn);
    } finally {
      release();
    }
  };
}
