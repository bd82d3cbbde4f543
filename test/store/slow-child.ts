/** Commits on a disk whose syncs are slow, and prints what happened meanwhile and in which order: node slow-child.ts FOLDER */
import { randomBytes } from 'node:crypto';
import { setImmediate as breathe, setTimeout as wait } from 'node:timers/promises';
import { openStore } from '#store/open-store.ts';

const [folder = ''] = process.argv.slice(2);
await using store = await openStore({ folder, clock: Date.now, random: (n) => randomBytes(n) });
const order: string[] = [];
const write = { collection: 'records', id: 'r', object: 'device', data: {} } as const;
store.changes(() => order.push('on disk'));
const committing = store.node.commit([write]);
let turns = 0;
let done = false;
const counting = (async () => {
  for (; !done; turns++) await breathe();
})();
// by now the transaction is made, and its sync under way
await wait(100);
const seen = store.node.get('records', 'r').then((found) => order.push(found ? 'seen' : 'not seen'));
await Promise.all([committing, seen]);
done = true;
await counting;
process.stdout.write(JSON.stringify({ order, turns }));
