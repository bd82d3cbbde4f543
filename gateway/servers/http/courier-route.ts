/** Serves bundles that a person carries between a site and head office: writes one as the answer, or reads one from the body. */
import { promises, Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import type { Courier } from '#contract/sync-services.ts';
import { sendJson } from '#servers/base/answer.ts';
import { endedEarly, tooSlow } from '#servers/base/body.ts';
import { BrokenOff, paced, TooSlow } from '#servers/base/pace.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';

type Call = Parameters<Invoke['call']>[0];

/** Bytes that wait for a slow reader. */
const WAITING = 1 << 20;

export function createCourierRoute(options: { invoke: Invoke; courier: Courier | undefined }) {
  const { invoke, courier } = options;

  return async (request: Request, response: Response, call: Call): Promise<void> => {
    const isExport = request.method === 'GET';
    // The id is made when the file was read. Until then a placeholder stands for it.
    const { input } = await invoke.admit(isExport ? call : { ...call, input: { id: '-' } });
    if (courier === undefined) throw new OperationError('operation_unavailable', 'This node has no other end.');
    if (isExport) {
      await invoke.call(call);
      return send(courier, response, input);
    }
    try {
      const earlier_life = request.get('earlier-life') === 'take';
      const { id } = await courier.import(paced(request), { earlier_life });
      const reply = await invoke.call({ ...call, input: { id } });
      sendJson(response, reply.status, reply.body);
    } catch (error) {
      if (error instanceof TooSlow) throw tooSlow();
      throw error instanceof BrokenOff ? endedEarly(error) : error;
    }
  };
}

async function send(courier: Courier, response: Response, input: Record<string, unknown>): Promise<void> {
  const { gateway_id, after } = input as { gateway_id?: string; after?: string };
  const { name, content } = await courier.export({ gateway_id, after, most_bytes: Number(input.most_bytes) });
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
  // If the reader stops, or writing fails, the connection is closed: the file is then incomplete, and the other end says so.
  await promises
    .pipeline(Readable.from(content, { objectMode: false, highWaterMark: WAITING }), response)
    .catch(() => response.destroy());
}
