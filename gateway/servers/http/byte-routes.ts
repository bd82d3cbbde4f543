/** Operations whose bytes are no JSON: frames in, uploads in, content out. Who may and what it means is judged where all calls are. */
import type { Request, Response } from 'express';
import { DOCUMENT_BYTES, type Spending } from '#contract/base/budget.ts';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Output } from '#contract/operations.ts';
import { sendJson } from '#servers/base/answer.ts';
import { sendContent } from '#servers/base/content.ts';
import { createPlaces } from '#servers/base/fair-share.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';
import { payForBytes } from '#servers/invoke/spending.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Uploads } from '#store/uploads.ts';
import { takeFrame } from './frames.ts';
import { createTus } from './tus.ts';

type Call = Parameters<Invoke['call']>[0];

/** Where bytes are kept, and how many more the disk takes. */
export interface Files {
  readonly artifacts: Artifacts;
  readonly uploads: Uploads;
  readonly room: () => number;
  /** What devices may have stored. */
  readonly budgets: Spending;
}

/** Frames of one camera that are taken at once; each is written while it comes. */
const FRAMES_EACH = 8;

/** Serves an operation that declares `bytes`. */
export function createByteRoutes(options: { invoke: Invoke; files: Files }) {
  const { invoke, files } = options;
  const tus = createTus({ invoke, uploads: files.uploads, room: files.room, budgets: files.budgets });
  const frames = createPlaces({ total: LIMITS.frames.value, each: FRAMES_EACH, what: 'frames' });

  async function takeOne(request: Request, response: Response, call: Call): Promise<void> {
    // A stranger's frame is not read, nor one that the disk cannot hold, nor one that could not be sent again.
    await invoke.admit({ ...call, input: { sha256: '0'.repeat(64), bytes: 1 } });
    if (call.idempotency_key === undefined)
      throw new OperationError(
        'idempotency_key_required',
        'Send an Idempotency-Key; the same frame again has the same.',
        {
          param: 'Idempotency-Key',
        },
      );
    if (files.room() <= 0)
      throw new OperationError('storage_full', 'The disk of the gateway is too full to accept frames.');
    const release = frames.take(`${call.caller.kind}:${call.caller.id}`);
    try {
      // Its record and its receipt are paid before its bytes are read, and these as they come.
      payForBytes(files.budgets, call.caller, 2 * DOCUMENT_BYTES, 1);
      const pay = (bytes: number) => payForBytes(files.budgets, call.caller, bytes);
      const { meta, ...stored } = await takeFrame(request, files.artifacts, pay);
      if (meta.content_type !== undefined && meta.content_type !== stored.content_type)
        throw new OperationError('unsupported_media_type', `The frame is ${stored.content_type}, not what meta says.`, {
          param: 'content_type',
        });
      const reply = await invoke.call({ ...call, input: { ...meta, ...stored } });
      if (reply.replayed) response.setHeader('Idempotent-Replayed', 'true');
      sendJson(response, reply.status, reply.body);
    } finally {
      release();
    }
  }

  return async (request: Request, response: Response, call: Call): Promise<void> => {
    const { bytes } = operationRow(call.name);
    if (bytes === 'frame') return takeOne(request, response, call);
    if (bytes === 'upload') return tus.serve(request, response, call);
    const { body } = await invoke.call(call);
    return sendContent(request, response, body as unknown as Output<'artifacts_get'>, files.artifacts);
  };
}
