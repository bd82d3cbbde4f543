/** Who is connected, as the interface of a whole gateway says it. */
import { test } from 'node:test';
import { checkGateway } from '#test/faults/presence-gateway.ts';

test('[B26] status and session of a device follow its socket, over 40 interleavings and a restart', async (t) => {
  const seed = Date.now() & 0x7fffffff;
  t.diagnostic(`seed ${seed}`);
  await checkGateway(40, seed);
});
