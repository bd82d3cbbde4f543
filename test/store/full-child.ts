/** Commits until the disk takes no more, then prints what was acknowledged and what came after: node full-child.ts FOLDER */
import { randomBytes } from 'node:crypto';
import { StoreError } from '#contract/base/store-error.ts';
import { openStore } from '#store/open-store.ts';

const [folder = ''] = process.argv.slice(2);
// the kernel would end the process at the limit instead of failing the write
process.on('SIGXFSZ', () => {});
const alarms: string[] = [];
const store = await openStore({
  folder,
  clock: Date.now,
  random: (n) => randomBytes(n),
  onFatal: ({ code }) => alarms.push(code),
});
const codeOf = (error: unknown): string => (error instanceof StoreError ? error.code : String(error));
let acknowledged = 0;
for (;;) {
  const write = { collection: 'records', id: `r_${acknowledged}`, object: 'device', data: { pad: 'x'.repeat(5000) } };
  const failure = await store.node.commit([write as never]).then(() => undefined, codeOf);
  if (failure !== undefined) break;
  acknowledged++;
}
const again = { collection: 'records', id: 'again', object: 'device', data: {} } as const;
const later = [
  await store.node.commit([again]).then(String, codeOf),
  await store.node.get('records', 'r_0').then((one) => one?.id, codeOf),
  await store.database.collections.telemetry
    .find()
    .exec()
    .then((all) => all.length, codeOf),
];
const closed = await store[Symbol.asyncDispose]().then(() => 'closed', codeOf);
process.stdout.write(JSON.stringify({ acknowledged, alarms, later, closed }));
process.exit(0);
