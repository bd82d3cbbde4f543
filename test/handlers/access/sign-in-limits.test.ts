/** The limits of wrong passphrases, without the hashes: strangers are slow, and nobody is locked out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPassphrases } from '#gateway/passphrases.ts';
import { createSignInLimits } from '#handlers/access/sign-in-limits.ts';

const MINUTE_MS = 60_000;

function openLimits() {
  const time = { ms: 1_800_000_000_000 };
  return { time, limits: createSignInLimits(() => time.ms) };
}

test('[A125] 10,000 wrong passphrases for one account take more than a month', () => {
  const { time, limits } = openLimits();
  const began = time.ms;
  for (let tried = 0; tried < 10_000; tried++) {
    time.ms += limits.wait('maria', '10.0.0.9');
    limits.begin('maria', '10.0.0.9');
  }
  const days = (time.ms - began) / 86_400_000;
  assert.ok(days > 30, `${days} days`);
});

test('[A125] 1,000 addresses together are as slow, and do not lock out the person at the usual place', () => {
  const { time, limits } = openLimits();
  limits.begin('maria', 'office');
  limits.succeeded('maria', 'office');
  let tried = 0;
  const end = time.ms + 60 * MINUTE_MS;
  for (; time.ms < end; time.ms += 1_000)
    for (let i = 0; i < 1_000; i++) {
      const address = `10.1.${i >> 8}.${i & 255}`;
      if (limits.wait('maria', address) > 0) continue;
      limits.begin('maria', address);
      tried++;
    }
  assert.ok(tried <= 45, `${tried} tries in an hour`);
  assert.equal(limits.wait('maria', 'office'), 0);
  assert.equal(limits.wait('olaf', '10.9.9.9'), 0, 'other accounts are not slower');
});

test('[A125] one person who forgot the passphrase does not lock out colleagues behind the same address', () => {
  const { limits } = openLimits();
  for (let i = 0; i < 30; i++) limits.begin('maria', 'nat');
  assert.ok(limits.wait('maria', 'nat') > 0);
  assert.equal(limits.wait('olaf', 'nat'), 0);
  limits.begin('olaf', 'nat');
  limits.succeeded('olaf', 'nat');
  // Somebody behind the same address tries many names.
  for (let i = 0; i < 500; i++) limits.begin(`name ${i}`, 'nat');
  assert.ok(limits.wait('name 0', 'nat') > 0);
  assert.equal(limits.wait('olaf', 'nat'), 0, 'Olaf has signed in from there before');
});

test('[A125] a count ends after half an hour, and nobody waits longer than five minutes', () => {
  const { time, limits } = openLimits();
  for (let i = 0; i < 10_000; i++) limits.begin('maria', 'home');
  assert.ok(limits.wait('maria', 'home') <= 5 * MINUTE_MS);
  time.ms += 5 * MINUTE_MS;
  assert.equal(limits.wait('maria', 'home'), 0);
  time.ms += 30 * MINUTE_MS;
  limits.begin('maria', 'home');
  assert.equal(limits.wait('maria', 'home'), 0, 'the earlier tries are forgotten');
});

test('[A124] hashes run one at a time; people from known addresses go first; beyond the limits the answer is 429', async () => {
  const passphrases = createPassphrases((bytes) => new Uint8Array(bytes).fill(7));
  const order: string[] = [];
  const run = (address: string, known: boolean) =>
    passphrases.fits(null, 'x', { address, known }).then(
      () => void order.push(address),
      (error: { code: string }) => void order.push(error.code),
    );
  const waiting = Array.from({ length: 40 }, (_, i) => run(`stranger ${i}`, false));
  waiting.push(run('office', true));
  await Promise.all(waiting);
  assert.equal(order.filter((one) => one === 'rate_limited').length, 7, 'one runs and 32 wait');
  const done = order.filter((one) => one !== 'rate_limited');
  assert.deepEqual([done[0], done[1]], ['stranger 0', 'office']);
  const many = await Promise.allSettled(
    Array.from({ length: 12 }, () => passphrases.fits(null, 'x', { address: 'one', known: true })),
  );
  assert.equal(many.filter(({ status }) => status === 'rejected').length, 3, 'one runs and 8 wait');
});

test('[A124] the hash of a passphrase fits it alone, whatever the keyboard composed', async () => {
  const passphrases = createPassphrases((bytes) => crypto.getRandomValues(new Uint8Array(bytes)));
  const from = { address: 'office', known: true };
  const hash = await passphrases.hash('sieben Straßen übers Öl', from);
  assert.notEqual(hash, await passphrases.hash('sieben Straßen übers Öl', from), 'each hash has its own salt');
  assert.equal(await passphrases.fits(hash, 'sieben Straßen übers Öl'.normalize('NFD'), from), true);
  assert.equal(await passphrases.fits(hash, 'sieben Straßen übers 0l', from), false);
  assert.equal(await passphrases.fits(null, 'sieben Straßen übers Öl', from), false);
  assert.equal(await passphrases.fits('no hash', 'x', from), false, 'a damaged hash fits nothing');
});
