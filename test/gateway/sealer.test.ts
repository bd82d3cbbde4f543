/** Secrets at rest open for their record alone. */
import assert from 'node:assert/strict';
import { createCipheriv, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openSealer } from '#gateway/sealer.ts';
import { temporaryFolder } from '#test/store/kit.ts';

test('[Z13] a seal opens only for its record; a cut, changed or wrong text throws; seals of earlier versions open', () => {
  using folder = temporaryFolder();
  const sealer = openSealer(folder.path);
  const sealed = sealer.seal('pässword', 'cfg_dev_1');
  assert.equal(openSealer(folder.path).open(sealed, 'cfg_dev_1'), 'pässword');
  assert.throws(() => sealer.open(sealed, 'cfg_dev_2'));
  assert.throws(() => sealer.open(sealed.slice(2), 'cfg_dev_1'), 'a seal does not pass for one of an earlier version');
  for (const wrong of ['', 'AAAA', '1.', '1.AAAA', sealed.slice(0, -4), `${sealed.slice(0, 30)}A${sealed.slice(31)}A`])
    assert.throws(() => sealer.open(wrong, 'cfg_dev_1'), wrong);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealer.key, iv);
  const before = Buffer.concat([iv, cipher.update('old'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  assert.equal(sealer.open(before, 'cfg_dev_1'), 'old');
});
