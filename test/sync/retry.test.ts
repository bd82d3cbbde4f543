/** How long an exchange waits after an error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Retry } from '#sync/retry.ts';

/** Makes `more` rows of `errors` errors each. Returns the longest wait after the first error of a row, after the second, and so on. */
function limits(retry: Retry, errors: number, more: number): number[] {
  const longest = Array.from({ length: errors }, () => 0);
  for (let i = 0; i < more; i++) {
    for (let error = 0; error < errors; error++) longest[error] = Math.max(longest[error] ?? 0, retry.failed());
    retry.worked();
  }
  return longest;
}

test('[Y72] a wait is random, its limit doubles with each error in a row up to a bound, and begins anew after something worked', () => {
  const retry = new Retry(1_000, 5_000);
  assert.equal(retry.isFailing, false);
  for (const [i, longest] of limits(retry, 5, 500).entries()) {
    const limit = Math.min(5_000, 1_000 * 2 ** i);
    assert.ok(longest <= limit && longest > 0.8 * limit, `error ${i + 1}: ${longest} of ${limit}`);
  }
  retry.failed();
  assert.equal(retry.isFailing, true);
});
