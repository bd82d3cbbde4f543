/** Reads a file for an AI model: a picture as an image block, text as text, and other content in base64. One call reads at most 1 MiB. */
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Output } from '#contract/operations.ts';
import { servedType } from '#contract/work/media.ts';
import { headOf, rangeOf } from '#servers/base/content.ts';
import type { Artifacts } from '#store/artifacts.ts';

type Artifact = Pick<Output<'artifacts_get'>, 'id' | 'sha256' | 'bytes' | 'content_type'>;

const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/**
 * The gateway removes keys from the content. It also searches this many bytes before and after the requested piece, because a key may begin
 * outside the piece. No key is longer than 256 bytes.
 */
const MARGIN = 256;

/**
 * Returns a file, or the part of it that `range` selects (in the form of the HTTP header, such as `bytes=0-65535`). `conceal` must
 * replace keys by text of the same length. Throws `range_not_satisfiable`, `payload_too_large` or `not_found`.
 */
export async function readContent(
  { id, sha256, bytes, content_type }: Artifact,
  range: string | undefined,
  artifacts: Pick<Artifacts, 'read' | 'find'>,
  conceal: (text: string) => string,
): Promise<ContentBlock> {
  const wanted = range === undefined ? undefined : rangeOf({ headers: { range } }, '', bytes);
  if (wanted === null || (range !== undefined && wanted === undefined))
    throw new OperationError(
      'range_not_satisfiable',
      `The file has ${bytes} bytes. Send a range inside it, for example bytes=0-65535.`,
      {
        param: 'range',
      },
    );
  const { from, to } = wanted ?? { from: 0, to: bytes };
  if (to - from > LIMITS.tool_content.value)
    throw new OperationError(
      'payload_too_large',
      `This is ${to - from} bytes; a tool answers with at most ${LIMITS.tool_content.value}. Send a \`range\`, for example bytes=0-65535.`,
      { param: 'range' },
    );
  const start = Math.max(0, from - MARGIN);
  const found = (await artifacts.find(sha256))?.bytes === bytes;
  const content = found ? await artifacts.read(sha256, start, Math.min(bytes, to + MARGIN)) : undefined;
  if (content === undefined)
    throw new OperationError('not_found', 'This gateway no longer has the content of this file.', { param: 'id' });
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk as Buffer);
  const piece = Buffer.from(
    conceal(Buffer.concat(chunks).toString('latin1')).slice(from - start, to - start),
    'latin1',
  );
  const served = servedType(await headOf(artifacts, sha256, bytes), content_type);
  // An AI model gets HTML, SVG and scripts as plain text, so that no client shows them as a page.
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

/**
 * Decodes bytes as UTF-8. If the piece has only a part of its first or last character, the text leaves this character out. Returns
 * undefined if the bytes are not UTF-8.
 */
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
