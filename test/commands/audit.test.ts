import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, cpSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { backUpFolder, restoreFolder, verifyFolder } from '#commands/custody.ts';
import type { AuditEntry, AuditLink } from '#contract/base/audit-entry.ts';
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { hashOfEntry } from '#store/base/audit-chain.ts';
import { checkAuditLog, faultSentence } from '#store/file/audit-check.ts';
import { openStore } from '#store/open-store.ts';
import { checksumOf } from '#store/sqlite/checksum.ts';
import { metaChecksum } from '#store/sqlite/meta-table.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { openRig } from '#test/support/handler-rig.ts';
import { TEST_SEED } from '#test/support/seed.ts';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');

let folder: ReturnType<typeof temporaryFolder>;
/** A copy of the data folder of a gateway whose audit log was written through operations. */
let copy: string;
let exported: AuditEntry<object>[];

before(async () => {
  folder = temporaryFolder();
  copy = join(folder.path, 'copy');
  await using rig = await openRig();
  for (let i = 0; i < 12; i++) {
    const { key } = await rig.call('keys_create', { name: `Schlüssel ${i}`, role: 'viewer' });
    await rig.call('keys_revoke', { id: key.id });
    await rig.call('locations_create', { name: `Bench ${i}`, kind: 'pit' });
  }
  exported = (await rig.call('audit_export', { limit: 200 })).data;
  await backUpFolder(rig.folder, copy);
});
after(() => folder[Symbol.dispose]());

const database = (of: string): string => join(of, 'store', 'headframe.db');

/** A copy of the folder that a test may change, with its database open for SQL. */
function forge(): { readonly path: string; readonly raw: DatabaseSync } & Disposable {
  const path = join(folder.path, `forged ${randomBytes(6).toString('hex')}`);
  cpSync(copy, path, { recursive: true });
  const raw = new DatabaseSync(database(path));
  raw.function('checksum', checksumOf as (text: unknown) => number);
  return {
    path,
    raw,
    [Symbol.dispose]() {
      if (raw.isOpen) raw.close();
      rmSync(path, { recursive: true });
    },
  };
}

/** Returns where a file stores a text. Free space of the file may have older copies of it, whose bytes no read returns. */
function placeOf(file: string, content: Buffer, text: string): { readonly at: number; readonly bytes: number } {
  const handle = openSync(file, 'r+');
  try {
    for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
      writeSync(handle, '[', at);
      const raw = new DatabaseSync(file, { readOnly: true });
      const row = raw.prepare('SELECT 1 FROM events_0 WHERE data=?').get(text);
      raw.close();
      writeSync(handle, '{', at);
      if (row === undefined) return { at, bytes: Buffer.byteLength(text) };
    }
  } finally {
    closeSync(handle);
  }
  throw new Error(`the file does not have ${text} in one piece`);
}

test('[S84] one changed byte of an audit entry is found, 200 times of 200, and the restored byte is sound again', async () => {
  using forged = forge();
  const texts = forged.raw.prepare('SELECT data FROM events_0 WHERE ".object"=\'audit\'').all();
  forged.raw.close();
  const file = database(forged.path);
  const content = readFileSync(file);
  const places = texts.map(({ data }) => placeOf(file, content, String(data)));
  assert.ok(places.length > 36);
  const edit = fc.noBias(
    fc.record({ entry: fc.nat(places.length - 1), place: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) }),
  );
  const handle = openSync(file, 'r+');
  let found = 0;
  let byVerify = 0;
  for (const [n, { entry, place, bits }] of fc.sample(edit, { numRuns: 200, seed: TEST_SEED }).entries()) {
    const { at, bytes } = places[entry] as (typeof places)[number];
    const position = at + (place % bytes);
    const [byte] = content.subarray(position, position + 1);
    writeSync(handle, Buffer.of((byte as number) ^ bits), 0, 1, position);
    // The chain alone finds the change. The checksum of the row finds it too, but whoever changes a row can write a new checksum.
    if (checkAuditLog(forged.path).fault !== null) found++;
    if (n % 20 === 0 && (await verifyFolder(forged.path)).audit.fault !== null) byVerify++;
    writeSync(handle, Buffer.of(byte as number), 0, 1, position);
  }
  closeSync(handle);
  assert.deepEqual([found, byVerify], [200, 10]);
  const verdict = await verifyFolder(forged.path);
  assert.deepEqual([verdict.damage, verdict.audit.fault, verdict.audit.entries], [[], null, exported.length]);
});

test('[S84] a change of any field is found although the row has a new checksum', () => {
  for (const [path, value] of [
    ['$.data.actor.name', 'somebody else'],
    ['$.data.actor.id', 'key_other'],
    ['$.data.type', 'updated'],
    ['$.data.subject.id', 'key_other'],
    ['$.data.data.name', 'Bench 100'],
    ['$.created_at', '2025-01-01T00:00:00.000Z'],
    ['$.updated_at', '2025-01-01T00:00:00.000Z'],
    ['$.project_id', 'prj_other'],
    ['$.data.chain.life', 2],
    ['$.data.chain.previous', 'a'.repeat(64)],
    ['$.data.chain.hash', 'a'.repeat(64)],
    ['$.origin', 'gw_other'],
    ['$.revision', 2],
    ['$.note', 'added'],
  ] as const) {
    using forged = forge();
    forged.raw.prepare('UPDATE events_0 SET data=json_set(data, ?, ?) WHERE ".data.chain.number"=9').run(path, value);
    forged.raw.exec('UPDATE events_0 SET sum=checksum(data)');
    assert.equal(checkAuditLog(forged.path).fault?.number, 9, path);
  }
});

test('[S84] a deleted, a swapped, an inserted and an appended entry are found by number', () => {
  const number = '".data.chain.number"';
  for (const [sql, at, what] of [
    [`DELETE FROM events_0 WHERE ${number}=9`, 9, /before entry 10 of \S+ are missing/],
    [`DELETE FROM events_0 WHERE ${number}=1`, 1, /before entry 2 of \S+ are missing/],
    [`DELETE FROM events_0 WHERE ${number}>20`, 21, /the entries up to \d+ at the end are missing/],
    [`UPDATE events_0 SET del=1 WHERE ${number}=9`, 9, /missing/],
    [`UPDATE events_0 SET ".object"='event' WHERE ${number}=9`, 9, /missing/],
    // The contents of two rows, each with its own number in front.
    [
      `UPDATE events_0 SET ${number}=CASE ${number} WHEN 9 THEN 10 ELSE 9 END,
       data=json_set(data, '$.data.chain.number', CASE ${number} WHEN 9 THEN 10 ELSE 9 END) WHERE ${number} IN (9, 10)`,
      9,
      /content differs from its hash/,
    ],
    [`UPDATE events_0 SET ${number}=CASE ${number} WHEN 9 THEN 10 ELSE 9 END WHERE ${number} IN (9, 10)`, 9, /missing/],
    [
      `INSERT INTO events_0 SELECT 'aud_new', seq+1000, rev, del, lwt, replace(data, id, 'aud_new'), sum, part_seq+1000, ${columns()}
       FROM events_0 WHERE ${number}=9`,
      10,
      /content differs from its hash/,
    ],
  ] as const) {
    using forged = forge();
    forged.raw.exec(`${sql}; UPDATE events_0 SET sum=checksum(data)`);
    const { fault } = checkAuditLog(forged.path);
    assert.equal(fault?.number, at, sql);
    assert.match(fault?.what ?? '', what);
  }
});

/** The columns of the table after those that every table has. */
function columns(): string {
  using raw = new DatabaseSync(database(copy));
  return raw
    .prepare("SELECT name FROM pragma_table_info('events_0') WHERE name LIKE '.%' ORDER BY cid")
    .all()
    .map(({ name }) => `"${name}"`)
    .join(', ');
}

/** Writes the chain anew from an entry on, with hashes, checksums and head, as a person would who knows all of it. */
function forgeChain(raw: DatabaseSync, from: number): void {
  const rows = raw
    .prepare('SELECT rowid, data FROM events_0 WHERE ".data.chain.number">=? ORDER BY ".data.chain.number"')
    .all(from - 1);
  let before: AuditLink | undefined;
  for (const { rowid, data } of rows) {
    const entry = JSON.parse(String(data));
    const link: AuditLink = entry.data.chain;
    if (before !== undefined) {
      if (link.number === from) entry.data.actor.name = 'somebody else';
      link.previous = before.hash;
      link.hash = hashOfEntry(entry);
      const text = JSON.stringify(entry);
      raw.prepare('UPDATE events_0 SET data=?, sum=? WHERE rowid=?').run(text, checksumOf(text), rowid as number);
    }
    before = link;
  }
  const { life, number, hash } = before as AuditLink;
  const head = JSON.stringify({ life, number, hash });
  raw.prepare("UPDATE rx_meta SET value=?, sum=? WHERE key='audit'").run(head, metaChecksum('audit', head));
}

test('[S83] a chain that was written anew fits itself, and no check without another copy finds it; an exported copy does', () => {
  using forged = forge();
  forgeChain(forged.raw, 9);
  // This is the limit that docs/security.md states.
  assert.equal(checkAuditLog(forged.path).fault, null);
  const row = forged.raw.prepare('SELECT data FROM events_0 WHERE ".data.chain.number"=?').get(exported.length);
  assert.notEqual(JSON.parse(String(row?.data)).data.chain.hash, exported.at(-1)?.chain?.hash);
});

test('[A846] an exported log is a chain that a program can check without the gateway', () => {
  let previous = '0'.repeat(64);
  for (const [i, entry] of exported.entries()) {
    const { hash, ...link } = entry.chain as AuditLink;
    assert.deepEqual([link.number, link.previous], [i + 1, previous]);
    assert.equal(
      createHash('sha256')
        .update(canonicalJson({ ...entry, chain: link }))
        .digest('hex'),
      hash,
    );
    previous = hash;
  }
});

test('[S82] the chain of a restored copy goes on, and an entry says so', async () => {
  const place = join(folder.path, 'place');
  await restoreFolder(copy, place);
  {
    await using _ = await openStore({ folder: place, clock: Date.now, random: randomBytes });
  }
  const { fault, head, losses } = (await verifyFolder(place)).audit;
  assert.deepEqual([fault, head?.number, losses], [null, exported.length + 1, []]);
  assert.ok((head?.life ?? 0) > 1);
});

test('[S84] the sentence about a fault has the number and the time of the entry', () => {
  using forged = forge();
  forged.raw.exec(`UPDATE events_0 SET data=replace(data, 'viewer', 'owner!') WHERE ".data.chain.number"=9`);
  forged.raw.exec(`UPDATE events_0 SET data=json_set(data, '$.data.type', 'x') WHERE ".data.chain.number"=9`);
  const { fault } = checkAuditLog(forged.path);
  assert.ok(fault);
  const at = exported[8]?.occurred_at;
  assert.equal(
    faultSentence(fault),
    `The audit log was changed at entry 9 of ${at}: its content differs from its hash.`,
  );
});

test('[S84] [A846] the commands: verify names the entry and exits with 1, audit prints JSON lines from a stopped gateway', () => {
  using forged = forge();
  forged.raw.close();
  const command = (...args: string[]) =>
    spawnSync(process.execPath, [CLI, ...args, '--data', forged.path], { encoding: 'utf8' });
  assert.match(command('verify').stdout, /audit log {2}39 entries, last hash [0-9a-f]{64}[\s\S]*Everything is sound/);
  const audit = command('audit', '--as', 'jsonl', '--after', '30');
  assert.equal(audit.stderr, '');
  const lines = audit.stdout.trimEnd().split('\n');
  const read = lines.map((line) => JSON.parse(line) as AuditEntry<object>);
  // The start of the gateway for this command writes no entry, because no commits were lost.
  assert.deepEqual(read, exported.slice(30));
  using raw = new DatabaseSync(database(forged.path));
  raw.exec('DELETE FROM events_0 WHERE ".data.chain.number"=9');
  raw.close();
  const { status, stdout } = command('verify');
  assert.match(stdout, /The audit log was changed at entry 9: 1 entries before entry 10 of 2026-\S+ are missing\./);
  assert.equal(status, 1);
});
