/** The file of a bundle: what is written is read, and each change of it gives an error with a name. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { OperationError } from '#contract/base/errors.ts';
import { type BundleHeader, BundleReader, BundleWriter } from '#sync/courier/bundle-file.ts';

const HEADER: BundleHeader = {
  direction: 'to_head_office',
  enrolment: 'enr_01',
  gateway: 'gw_01',
  site: 'Quarry North',
  bundle: 'bdl_01',
  volume: 1,
  made_at: '2026-11-26T12:00:00.000Z',
};
const CREDENTIAL = randomBytes(32);
const PARTS = ['heads', 'a page of a bundle', '', 'the end'].map((text) => Buffer.from(text));

/** The header and the parts of a file, each as its bytes. */
function piecesOf(header = HEADER, credential = CREDENTIAL, parts: readonly Buffer[] = PARTS): Buffer[] {
  const writer = new BundleWriter(header, credential, randomBytes);
  return [writer.header, ...parts.map((part, i) => writer.part(part, i === parts.length - 1))];
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(
  bytes: Buffer,
  size = 7,
  credential = CREDENTIAL,
): Promise<{ header: BundleHeader; texts: string[] }> {
  const reader = await BundleReader.open(inPieces(bytes, size));
  const texts: string[] = [];
  for await (const part of reader.parts(credential)) texts.push(part.toString());
  return { header: reader.header, texts };
}

/** The code of the error that a file gives. */
async function codeOf(bytes: Buffer, credential = CREDENTIAL): Promise<string> {
  try {
    await read(bytes, 64, credential);
  } catch (error) {
    if (error instanceof OperationError) return error.code;
    throw error;
  }
  return 'read';
}

const CODES = ['bundle_unknown', 'bundle_unsupported', 'bundle_damaged', 'bundle_incomplete'];

test('[Y98] a file is read as it was written, in pieces of any size', async () => {
  const file = Buffer.concat(piecesOf());
  for (const size of [1, 2, 3, 16, 1_000]) {
    const { header, texts } = await read(file, size);
    assert.deepEqual([header, texts], [HEADER, PARTS.map(String)]);
  }
  assert.equal(await codeOf(file, randomBytes(32)), 'bundle_damaged');
});

test('[Y98] each bit of a file that changes, and each byte where it ends early, gives an error with a name', async () => {
  const file = Buffer.concat(piecesOf());
  const seen = new Set<string>();
  for (let at = 0; at < file.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      const code = await codeOf(changed);
      assert.ok(CODES.includes(code), `bit ${bit} of byte ${at}: ${code}`);
      seen.add(code);
    }
    const code = await codeOf(file.subarray(0, at));
    assert.equal(code, at === 0 ? 'bundle_unknown' : 'bundle_incomplete', `${at} bytes`);
  }
  assert.deepEqual([...seen].sort(), [...CODES].sort());
  assert.equal(await codeOf(Buffer.concat([file, Buffer.from([0])])), 'bundle_damaged');
});

test('[Y98] parts that are missing, repeated, exchanged or of another file are refused', async () => {
  const [header, heads, page, empty, end] = piecesOf() as [Buffer, Buffer, Buffer, Buffer, Buffer];
  const other = piecesOf({ ...HEADER, volume: 2 });
  const orders: readonly (readonly [readonly Buffer[], string])[] = [
    [[header, heads, page, end], 'bundle_damaged'],
    [[header, heads, heads, page, empty, end], 'bundle_damaged'],
    [[header, page, heads, empty, end], 'bundle_damaged'],
    [[header, heads, other[2] as Buffer, empty, end], 'bundle_damaged'],
    [[other[0] as Buffer, heads, page, empty, end], 'bundle_damaged'],
    [[header, heads, page, empty], 'bundle_incomplete'],
    [[header, end], 'bundle_damaged'],
    [[header, heads, page, empty, end, end], 'bundle_damaged'],
  ];
  for (const [pieces, code] of orders) assert.equal(await codeOf(Buffer.concat(pieces)), code);
});

test('[Y98] a length that no part has is refused before its bytes are awaited', async () => {
  const [header] = piecesOf() as [Buffer];
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.concat([header, Buffer.from([0xff, 0xff, 0xff, 0xff])]);
    for (;;) {
      await Promise.resolve();
      assert.fail('the reader asked for more bytes');
    }
  }
  const reader = await BundleReader.open(endless());
  await assert.rejects(
    async () => {
      for await (const _ of reader.parts(CREDENTIAL));
    },
    { code: 'bundle_damaged' },
  );
});
