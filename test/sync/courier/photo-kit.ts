/** Photos that tests store at one end and read at the other. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '#contract/client.ts';
import { Random } from '#test/sim/random.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { bundlesOf, readBundle } from '#test/sync/courier-kit.ts';
import type { End } from '#test/sync/ends.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
export const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const random = new Random(TEST_SEED);

/** A picture of one pixel, with so many random bytes after its end. */
export const pictureOf = (bytes: number): Buffer =>
  Buffer.concat([PIXEL, Buffer.from(Array.from({ length: bytes }, () => random.int(256)))]);

export const photo = async (client: Client, id: string, content: Buffer): Promise<string> =>
  (await client.call('equipment_upload_photo', { id, content_base64: content.toString('base64') })).id;

/** The SHA-256 of a file as an end gives it; the code of the error if the end does not have it. */
export async function contentOf(end: End, project: string, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project };
  const response = await fetch(`http://127.0.0.1:${end.port}/api/v1/artifacts/${id}/content`, { headers });
  if (response.status === 200) return sha(Buffer.from(await response.arrayBuffer()));
  return ((await response.json()) as { error: { code: string } }).error.code;
}

export const replication = async (client: Client, id: string): Promise<string> =>
  (await client.call('artifacts_get', { id })).replication;

export async function lastMade(end: End) {
  const made = (await bundlesOf(end)).find(({ way }) => way === 'made');
  assert.ok(made);
  return made;
}

export async function carry(to: End, file: Buffer) {
  const { status, message, bundle } = await readBundle(to, file);
  assert.equal(status, 201, message);
  assert.ok(bundle);
  return bundle;
}

/** The place of a content in the data folder of an end. */
export const placeOf = (end: End, content: Buffer): string =>
  join(end.folder, 'artifacts', sha(content).slice(0, 2), sha(content));

/** The disk of an end loses a content. */
export async function loseContent(end: End, content: Buffer): Promise<void> {
  await end.kill();
  rmSync(placeOf(end, content));
  await end.start();
}
