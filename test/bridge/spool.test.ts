import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { openSpool, type Spool, SpoolError } from '#bridge/spool.ts';

interface Folder extends Disposable {
  readonly path: string;
}
function folder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'headframe-spool-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
const open = (path: string, maxBytes?: number) =>
  openSpool({ folder: path, log() {}, ...(maxBytes === undefined ? {} : { maxBytes }) });

function add(spool: Spool, count: number, size = 100): void {
  for (let i = 0; i < count; i++) {
    const n = spool.nextNumber;
    spool.append({
      kind: 'can',
      payload: Buffer.alloc(size, n % 251),
      frames: 2,
      first_us: n * 10,
      last_us: n * 10 + 5,
    });
  }
}
function readAll(spool: Spool): number[] {
  const numbers: number[] = [];
  for (let one = spool.next(); one !== undefined; one = spool.next()) {
    assert.ok(
      one.payload.every((byte) => byte === one.n % 251),
      `message ${one.n} is whole`,
    );
    numbers.push(one.n);
  }
  return numbers;
}
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const files = (path: string) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.spool'))
    .sort();

test('[F70] what was appended is read in order, once; a rewind brings what was not acknowledged again', async () => {
  using at = folder();
  await using spool = open(at.path);
  add(spool, 5);
  assert.deepEqual(readAll(spool), [1, 2, 3, 4, 5]);
  for (const n of [1, 2, 4]) spool.acknowledge(n);
  spool.rewind();
  assert.deepEqual(readAll(spool), [3, 5]);
  add(spool, 1);
  assert.deepEqual(readAll(spool), [6]);
  assert.equal(spool.waiting.messages, 3);
});

test('[F70] another life goes on where the last one ended, with the next number; what was acknowledged stays away', async () => {
  using at = folder();
  {
    await using spool = open(at.path);
    add(spool, 3000);
    for (const n of range(1, 1500)) spool.acknowledge(n);
  }
  await using spool = open(at.path);
  assert.equal(spool.nextNumber, 3001);
  assert.deepEqual(readAll(spool), range(1500, 3001));
  for (const n of range(1500, 3001)) spool.acknowledge(n);
  assert.equal(spool.waiting.messages, 0);
});

test('[F70] numbers go on also when nothing waits', async () => {
  using at = folder();
  {
    await using spool = open(at.path);
    add(spool, 7);
    for (const n of range(1, 8)) spool.acknowledge(n);
  }
  await using spool = open(at.path);
  assert.equal(spool.nextNumber, 8);
});

test('[F71] the bound holds: the oldest gives way, and how much of which time is told until it was heard', async () => {
  using at = folder();
  const most = 200_000;
  let lost: Spool['lost'];
  {
    await using spool = open(at.path, most);
    add(spool, 2000, 463);
    const size = files(at.path).reduce((sum, name) => sum + statSync(join(at.path, name)).size, 0);
    assert.ok(size <= most, `${size} bytes on disk`);
    lost = spool.lost;
    const left = readAll(spool);
    assert.equal(left.at(-1), 2000);
    assert.deepEqual(left, range(left[0] as number, 2001));
    assert.deepEqual(lost, {
      n: 1,
      messages: 2000 - left.length,
      frames: 2 * (2000 - left.length),
      from_us: 10,
      to_us: ((left[0] as number) - 1) * 10 + 5,
    });
  }
  await using spool = open(at.path, most);
  assert.deepEqual(spool.lost, lost, 'after a restart too');
  assert.ok(spool.lost !== null);
  spool.forgetLost(spool.lost);
  assert.equal(spool.lost, null);
  assert.equal(spool.lostFrames, lost?.frames);
});

test('[F71] what gives way while a loss is told is a loss of its own', async () => {
  using at = folder();
  const most = 200_000;
  {
    await using spool = open(at.path, most);
    add(spool, 2000, 463);
    const { lost } = spool;
    assert.ok(lost);
    // The news takes room, too.
    while (spool.lost === lost) add(spool, 1, 463);
    spool.forgetLost(lost);
    assert.equal(spool.lost?.n, lost.messages + 1);
    assert.equal(lost.frames + (spool.lost?.frames ?? 0), spool.lostFrames);
  }
  await using spool = open(at.path, most);
  assert.ok(spool.lost);
  spool.forgetLost(spool.lost);
  assert.equal(spool.lost, null);
});

test('[F71] acknowledged segments leave the disk', async () => {
  using at = folder();
  await using spool = open(at.path);
  for (let round = 0; round < 20; round++) {
    add(spool, 200, 963);
    for (const n of readAll(spool)) spool.acknowledge(n);
    assert.ok(files(at.path).length <= 1);
  }
  assert.ok(spool.waiting.bytes <= 512 * 1024);
});

test('[F72] a torn message at the end is cut off; the rest is there', async () => {
  using at = folder();
  {
    await using spool = open(at.path);
    add(spool, 10);
  }
  const [file = ''] = files(at.path);
  truncateSync(join(at.path, file), statSync(join(at.path, file)).size - 30);
  await using spool = open(at.path);
  assert.equal(spool.nextNumber, 10);
  assert.deepEqual(readAll(spool), range(1, 10));
  add(spool, 1);
  assert.deepEqual(readAll(spool), [10]);
});

test('[F72] damage in the middle costs the rest of its file, counted; what is in other files is read', async () => {
  using at = folder();
  {
    await using spool = open(at.path, 1_000_000);
    add(spool, 1000, 963);
  }
  const [file = '', second = ''] = files(at.path);
  const path = join(at.path, file);
  const bytes = readFileSync(path);
  bytes[2_500] = (bytes[2_500] as number) ^ 1;
  writeFileSync(path, bytes);
  await using spool = open(at.path, 1_000_000);
  const behind = Number(second.slice(0, 16));
  const numbers = readAll(spool);
  assert.deepEqual(numbers, [1, 2, ...range(behind, 1001)]);
  assert.deepEqual([spool.lost?.n, spool.lost?.messages], [3, behind - 3]);
  for (const n of numbers) spool.acknowledge(n);
  assert.equal(spool.waiting.messages, 0);
  spool.rewind();
  assert.deepEqual(readAll(spool), []);
});

test('[F73] a folder has one bridge, and an unusable one is told', async () => {
  using at = folder();
  await using _spool = open(at.path);
  assert.throws(
    () => open(at.path),
    (error) => error instanceof SpoolError && /in use/.test(error.message),
  );
  writeFileSync(join(at.path, 'file'), '');
  assert.throws(() => open(join(at.path, 'file', 'below')), SpoolError);
});

test('[F74] kill -9 loses nothing that was appended', async () => {
  using at = folder();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'spool-child.ts'), at.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    if (last === 2000) child.kill('SIGKILL');
  }
  await using spool = open(at.path);
  const numbers = readAll(spool);
  // One may have been written and not said.
  assert.ok(spool.nextNumber - 1 === last || spool.nextNumber - 1 === last + 1);
  const first = numbers[0] as number;
  assert.deepEqual(numbers, range(first, spool.nextNumber));
  assert.ok(
    first - 1 === Math.floor(last / 3) || first - 1 === Math.floor(last / 3) - 1,
    `acknowledged up to ${first - 1}`,
  );
});

test('[F74] a disk that takes and gives nothing throws nothing: what is lost is counted', async () => {
  using at = folder();
  await using spool = open(at.path, 1_000_000);
  add(spool, 500, 463);
  rmSync(at.path, { recursive: true, force: true });
  add(spool, 2000, 463);
  assert.ok(spool.lostFrames > 0);
  for (let one = spool.next(); one !== undefined; one = spool.next()) spool.acknowledge(one.n);
  spool.rewind();
  spool.next();
});
