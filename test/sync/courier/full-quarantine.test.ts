/** The error of an end whose quarantine is full. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperationError } from '#contract/base/errors.ts';
import { QuarantineFull } from '#domain/sync/apply.ts';
import { namingFull } from '#sync/courier/full-quarantine.ts';

test('[Y203] a full quarantine is an error with a name that says which end must be updated, and other errors stay', async () => {
  const full = Promise.reject(new QuarantineFull());
  await assert.rejects(namingFull('At this site', full), (error) => {
    assert.ok(error instanceof OperationError);
    assert.equal(error.code, 'limit_reached');
    assert.match(error.message, /^At this site, the quarantine is full: it keeps 1,000 changes .* Update this end/);
    return true;
  });
  const other = new RangeError('other');
  await assert.rejects(namingFull('At head office', Promise.reject(other)), other);
  assert.equal(await namingFull('At head office', Promise.resolve(7)), 7);
});
