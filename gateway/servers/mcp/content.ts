/** What a file holds, as a model can take it: a picture as a picture, text as text, the rest in base64; one piece of 1 MiB at most. */
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Output } from '#contract/operations.ts';
import { servedType } from '#contract/work/media.ts';
import { headOf, rangeOf } from '#servers/base/content.ts';
import type { Artifacts } from '#store/artifacts.ts';

type Artifact = Pick<Output<'artifacts_get'>, 'id' | 'sha256' | 'bytes' | 'content_type'>;

const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** No key of ours is longer: so much around a piece is looked through with it, for a key may lie across its edge. */
const MARGIN = 256;

/** Reads a file, or the range of it that is asked for as HTTP writes it; `conceal` takes keys out and keeps the length. */
export async function readContent(
  { id, sha256, bytes, content_type }: Artifact,
  range: string | undefined,
  artifacts: Pick<Artifacts, 'read' | 'find'>,
  conceal: (text: string) => string,
): Promise<ContentBlock> {
  const wanted = range === undefined ? undefined : rangeOf({ headers: { range } }, '', bytes);
  if (wanted === null || (range !== undefined && wanted === undefined))
    throw new OperationError('range_not_satisfiable', `The file has ${bytes} bytes; a range of it is bytes=0-65535.`, {
      param: 'range',
    });
  const { from, to } = wanted ?? { from: 0, to: bytes };
  if (to - from > LIMITS.tool_content.value)
    throw new OperationError(
      'payload_too_large',
      `These are ${to - from} bytes, and a tool answers with ${LIMITS.tool_content.value} at most: ask for a \`range\`, as bytes=0-65535.`,
      { param: 'range' },
    );
  const start = Math.max(0, from - MARGIN);
  const found = (await artifacts.find(sha256))?.bytes === bytes;
  const content = found ? await artifacts.read(sha256, start, Math.min(bytes, to + MARGIN)) : undefined;
  if (content === undefined)
    throw new OperationError('not_found', 'The bytes of this file are not on this gateway any more.', { param: 'id' });
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk as Buffer);
  const piece = Buffer.from(
    conceal(Buffer.concat(chunks).toString('latin1')).slice(from - start, to - start),
    'latin1',
  );
  const served = servedType(await headOf(artifacts, sha256, bytes), content_type);
  // Pages and scripts are text to a model, and never a page to its client.
  const type = served === 'application/octet-stream' && content_type.startsWith('text/') ? 'text/plain' : served;
  return blockOf(piece, type, `headframe://artifacts/${id}/content`, piece.length === bytes);
}

function blockOf(piece: Buffer, mimeType: string, uri: string, whole: boolean): ContentBlock {
  if (whole && PICTURES.has(mimeType)) return { type: 'image', data: piece.toString('base64'), mimeType };
  const text = /^text\/|[/+]json$/.test(mimeType) ? utf8Of(piece) : undefined;
  return {
    type: 'resource',
    resource: text === undefined ? { uri, mimeType, blob: piece.toString('base64') } : { uri, mimeType, text },
  };
}

/** The text of bytes in UTF-8; a character that the edges cut is left out, and other bytes are no text. */
function utf8Of(piece: Buffer): string | undefined {
  const isTail = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
  let start = 0;
  while (start < 3 && isTail(piece[start])) start++;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(piece.subarray(start), { stream: true });
  } catch {
    return undefined;
  }
}
