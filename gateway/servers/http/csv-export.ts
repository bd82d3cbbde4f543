/** A whole list as CSV: few exports at a time, and one page of all of them, for each reads the store until its end. */
import type { Response } from 'express';
import { LIMITS } from '#contract/base/limits.ts';
import { createPlaces } from '#servers/base/fair-share.ts';
import { createRestingQueue } from '#servers/base/pause.ts';
import { CSV_PAGE, sendCsv } from '#servers/invoke/formats.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';

/** Sends the list that a call asks for; throws `rate_limited` when the caller has its share of exports. */
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
