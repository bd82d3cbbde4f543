import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecoveryCodeError, readRecoveryCode, recoveryCode } from '#gateway/recovery-code.ts';
import { checkOf, openSealer, readKeys, useKey } from '#gateway/sealer.ts';
import { temporaryFolder } from '#test/store/kit.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const key = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('[Z40] a recovery code has 13 groups of 5 characters and gives the key back, however a person types it', () => {
  fc.assert(
    fc.property(key, (bytes) => {
      const code = recoveryCode(bytes);
      assert.match(code, /^([0-9A-HJKMNP-TV-Z]{5}-){12}[0-9A-HJKMNP-TV-Z]{5}$/);
      for (const typed of [
        code,
        code.toLowerCase(),
        code.replaceAll('-', ' '),
        code.replaceAll('0', 'O').replaceAll('1', 'l'),
      ])
        assert.deepEqual(Buffer.from(readRecoveryCode(typed)), Buffer.from(bytes));
    }),
  );
  assert.equal(recoveryCode(new Uint8Array(32)), Array.from({ length: 13 }, () => '00000').join('-'));
});

test('[Z40] each wrong character is found, and the message names its group', () => {
  fc.assert(
    fc.property(key, fc.nat(64), fc.integer({ min: 1, max: 31 }), (bytes, at, step) => {
      const code = recoveryCode(bytes).replaceAll('-', '');
      const other = ALPHABET[(ALPHABET.indexOf(code[at] ?? '') + step) % 32];
      const wrong = `${code.slice(0, at)}${other}${code.slice(at + 1)}`;
      const group = Math.floor(at / 5) + 1;
      assert.throws(
        () => readRecoveryCode(wrong),
        new RegExp(`^RecoveryCodeError: Group ${group} |^Error: Group ${group} `),
      );
    }),
  );
  for (const wrong of ['', 'ABC', recoveryCode(new Uint8Array(32)).slice(1), `${recoveryCode(new Uint8Array(32))}0`])
    assert.throws(() => readRecoveryCode(wrong), RecoveryCodeError);
  assert.throws(() => readRecoveryCode(`U${recoveryCode(new Uint8Array(32)).slice(1)}`), /Group 1/);
});

test('[Z41] the key file is private; a key that was put back seals, and the key of meanwhile still opens', () => {
  using folder = temporaryFolder();
  const first = openSealer(folder.path);
  assert.equal(statSync(join(folder.path, 'secret.key')).mode & 0o777, 0o600);
  const old = first.seal('old', 'r');
  using place = temporaryFolder();
  const meanwhile = openSealer(place.path);
  const young = meanwhile.seal('young', 'r');
  assert.equal(meanwhile.tryOpen(old, 'r'), undefined);
  useKey(place.path, readRecoveryCode(recoveryCode(first.key)));
  const both = openSealer(place.path);
  assert.deepEqual([both.open(old, 'r'), both.open(young, 'r'), both.check], ['old', 'young', checkOf(first.key)]);
  assert.equal(first.open(both.seal('new', 'r'), 'r'), 'new');
  useKey(place.path, first.key);
  assert.equal(readKeys(place.path).length, 2);
});

test('[Z41] a damaged key file stops the start with a sentence, and the recovery code repairs it', () => {
  using folder = temporaryFolder();
  const { key: sealing } = openSealer(folder.path);
  writeFileSync(join(folder.path, 'secret.key'), 'abc');
  assert.throws(
    () => openSealer(folder.path),
    /secret.key is damaged. Restore it with `headframe recovery-code --enter`/,
  );
  useKey(folder.path, sealing);
  assert.deepEqual(Buffer.from(openSealer(folder.path).key), Buffer.from(sealing));
});
