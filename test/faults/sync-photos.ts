/** Photos of a history: their content, and how an end gives it back. */
import type { End } from '#test/sync/ends.ts';

/** A picture of one pixel, with more bytes after its end. */
export const pictureOf = (n: number, more: number): Buffer =>
  Buffer.concat([
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
      'base64',
    ),
    Buffer.alloc(more, `photo ${n} `),
  ]);

/** The content of a file at an end, if it has it. */
export async function contentAt(end: End, project: string, id: string): Promise<Uint8Array | undefined> {
  const headers = { authorization: `Bearer ${end.key}`, 'project-id': project };
  const response = await fetch(`http://127.0.0.1:${end.port}/api/v1/artifacts/${id}/content`, { headers });
  const bytes = await response.bytes();
  return response.ok ? bytes : undefined;
}
