/** Carries bundles between two ends over their own API. */
import assert from 'node:assert/strict';
import type { Client } from '#contract/client.ts';
import type { CourierBundle } from '#contract/site/sync-courier.ts';
import { startCutProxy } from '#test/support/cut-proxy.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { End, enrol } from './ends.ts';

interface Wanted {
  readonly gateway_id?: string;
  readonly most_bytes?: number;
  readonly file_bytes?: number;
  readonly after?: string;
}

/** The answer of an end to the request for a bundle. */
export function askBundle(client: Client, wanted: Wanted = {}): Promise<Response> {
  return fetch(client.url('sync_courier_export', { ...wanted }), { headers: client.headers() });
}

/** The bytes of a bundle that an end writes. */
export async function writeBundle(end: End, wanted: Wanted = {}): Promise<Buffer> {
  const answer = await askBundle(end.client(), wanted);
  assert.equal(answer.status, 200, answer.ok ? '' : await answer.text());
  return Buffer.from(await answer.arrayBuffer());
}

/** All files of an export, each of at most so many bytes. */
export async function writeAll(end: End, wanted: Wanted): Promise<Buffer[]> {
  const files: Buffer[] = [];
  for (let after: string | undefined; ; ) {
    files.push(await writeBundle(end, { ...wanted, ...(after !== undefined && { after }) }));
    const last = (await bundlesOf(end)).find(({ way }) => way === 'made');
    assert.ok(last);
    if (!last.more) return files;
    after = last.id;
  }
}

export interface Read {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly bundle: CourierBundle | undefined;
}

/** Gives a file to an end, and returns what it says. */
export async function readBundle(end: End, file: Uint8Array, headers: Record<string, string> = {}): Promise<Read> {
  const client = end.client();
  const answer = await fetch(client.url('sync_courier_import', {}), {
    method: 'POST',
    headers: { ...client.headers(), ...headers, 'content-type': 'application/octet-stream' },
    body: Uint8Array.from(file),
  });
  const body = (await answer.json()) as CourierBundle & { error?: { code: string; message: string } };
  const { error } = body;
  return {
    status: answer.status,
    code: error?.code,
    message: error?.message,
    bundle: error === undefined ? body : undefined,
  };
}

export async function bundlesOf(end: End): Promise<CourierBundle[]> {
  return (await end.client().call('sync_courier', {})).data;
}

/** A file to head office and one back, as a person carries them. */
export async function journey(site: End, cloud: End): Promise<void> {
  const up = await readBundle(cloud, await writeBundle(site));
  assert.equal(up.status, 201, up.message);
  const gateway_id = up.bundle?.gateway_id;
  assert.ok(gateway_id);
  const down = await readBundle(site, await writeBundle(cloud, { gateway_id }));
  assert.equal(down.status, 201, down.message);
}

interface CutEnds extends AsyncDisposable {
  readonly cloud: End;
  readonly site: End;
  readonly project: string;
  readonly here: Client;
  readonly there: Client;
  readonly gateway_id: string;
  readonly proxy: Awaited<ReturnType<typeof startCutProxy>>;
}

/** A site and head office that were in step once, and have no network since. */
export async function endsWithoutNetwork(): Promise<CutEnds> {
  const cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  const site = await new End({}).start();
  const proxy = await startCutProxy(cloud.port, TEST_SEED);
  const project = await enrol(cloud, site, `http://127.0.0.1:${proxy.port}`);
  await site.inStep();
  proxy.cut();
  const { gateway_id } = await site.status();
  return {
    ...{ cloud, site, project, gateway_id, proxy, here: site.client(project), there: cloud.client(project) },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await cloud[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}
