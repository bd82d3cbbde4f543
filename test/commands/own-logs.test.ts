/** The commands for logs over a simulated log in every form. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { headframe } from '#test/support/command.ts';
import {
  OWN_PASSWORD,
  OWN_SERIAL,
  OWN_VIN,
  ownForms,
  ownRecording,
  unfinishedMf4,
} from '#test/support/own-recordings.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-own-commands-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const { batch, text, truth } = ownRecording();

test('[F46] each form of a simulated log is converted to the same candump text', async () => {
  for (const { name, bytes, wrapping } of ownForms()) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const password = wrapping.includes('aes_gcm') ? ['--password', OWN_PASSWORD] : [];
    const { code, stdout, stderr } = await headframe(['convert', path, '--to', 'candump', ...password]);
    assert.equal(code, 0, stderr);
    assert.ok(stdout.equals(text), name);
  }
  const whole = unfinishedMf4();
  const path = join(folder, 'cut.MF4');
  writeFileSync(path, whole.subarray(0, (whole.length >> 1) + 3));
  const cut = await headframe(['convert', path, '--to', 'candump']);
  assert.equal(cut.code, 0);
  assert.ok(text.subarray(0, cut.stdout.length).equals(cut.stdout) && cut.stdout.length > text.length * 0.4);
  assert.match(cut.stderr, /The file is cut off in the middle of a record/);
  const locked = await headframe(['convert', join(folder, 'sim.MFE'), '--to', 'candump']);
  assert.equal(locked.code, 2);
  assert.match(locked.stderr, /encrypted.*--password gives it\.\n$/);
});

test('[F50] a simulated machine names itself in a report, with its hours and codes as they are', async () => {
  const path = join(folder, 'report.mf4');
  writeFileSync(path, ownForms().find(({ name }) => name === 'sim.mf4')?.bytes ?? new Uint8Array());
  const { stdout } = await headframe(['inspect', path, '--json']);
  const report = JSON.parse(stdout.toString());
  assert.equal(report.frames, batch.count);
  const active = report.codes.filter(({ kind }: { kind: string }) => kind === 'active');
  assert.deepEqual(active.map(({ spn, fmi }: { spn: number; fmi: number }) => `${spn}/${fmi}`).sort(), [
    '107/15',
    '110/0',
    '3719/16',
  ]);
  const words = (await headframe(['inspect', path])).stdout.toString();
  assert.match(words, new RegExp(OWN_SERIAL));
  assert.match(words, new RegExp(`VIN +${OWN_VIN} \\(bus 1, address 0\\)`));
  const hours = Number(/Engine total hours of operation +([\d.]+) h/.exec(words)?.[1]);
  assert.ok(Math.abs(hours - truth.engine_hours) <= 0.05 + 1 / 60, `${hours}, not ${truth.engine_hours}`);
  assert.match(words, /Accelerator pedal position 1 .* error \d+x/);
});
