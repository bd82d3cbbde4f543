import { test } from 'node:test';
import { openEnds } from '#test/store/sync-kit.ts';
import { checkGraves } from './graves.ts';

test('[Y54] both ends keep the fields of deleted records for 400 days, and then only what keeps them deleted', async () => {
  await using ends = await openEnds();
  await checkGraves(ends);
});
