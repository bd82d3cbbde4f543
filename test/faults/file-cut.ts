/**
 * Files that a site sends to head office over a bad link, which is cut at random moments while either end is killed at others.
 *
 *   site (child) ──▶ proxy: slow, cuts ──▶ head office (child)     afterwards: each file whole and once, and a receipt over everything
 *
 * `node test/faults/file-cut.ts [MB [CUTS [KILLS [SEED]]]]` prints how far it is every 5 s, and one line of figures at the
 * end. It ends with code 1 if a file is lost or there twice.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Random } from '#test/sim/random.ts';
import { NO_HARM, startCutProxy } from '#test/support/cut-proxy.ts';
import { addMachine, OWNER_KEY, uploadFile } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { End, enrol } from '#test/sync/ends.ts';

const [mb = 50, cuts = 20, kills = 10, seed = 1] = process.argv.slice(2).map(Number);
const FILE = 2_000_000;
/** A piece of up to 64 KiB takes at most this long. */
const DELAY_MS = 120;
const PROGRESS_MS = 5_000;

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const random = new Random(seed);
await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
await using site = await new End({}).start();
await using proxy = await startCutProxy(cloud.port, seed);
const project = await enrol(cloud, site, `http://127.0.0.1:${proxy.port}`);
const machine = await addMachine(site.client(project), 'HT-1');
await site.inStep();
proxy.cut();
const made = new Map<string, string>();
for (let i = 0; i < Math.ceil((mb * 1e6) / FILE); i++) {
  const content = randomBytes(FILE);
  made.set(await uploadFile(`http://127.0.0.1:${site.port}`, machine, `log-${i}.bin`, content), sha(content));
}
const bytes = made.size * FILE;
const before = proxy.counts.up;
const from = performance.now();
proxy.harm = { ...NO_HARM, delay_ms: DELAY_MS };
proxy.open();
const faults = [...Array<string>(cuts).fill('cut'), ...Array<string>(kills).fill('kill')];
const killed = { site: 0, cloud: 0 };
const progress = setInterval(() => {
  const s = Math.round((performance.now() - from) / 1_000);
  const mb_sent = ((proxy.counts.up - before) / 1e6).toFixed(1);
  const told = site
    .status()
    .then(({ state, files }) => ({
      state,
      waiting: files?.waiting,
      error: files?.error?.code,
      paused: files?.paused?.why,
    }))
    .catch(() => ({ state: 'down' }));
  void told.then((status) => console.error(JSON.stringify({ s, mb_sent, faults_left: faults.length, ...status })));
}, PROGRESS_MS);
for (let i = 1; faults.length > 0; i++) {
  const next = before + (bytes * (i - random.between(0, 900) / 1_000)) / (cuts + kills + 1);
  await until(() => proxy.counts.up >= next, `the link has moved ${Math.round(next)} bytes`);
  const [fault] = faults.splice(random.int(faults.length), 1);
  if (fault === 'cut') {
    proxy.cut();
    proxy.open();
    continue;
  }
  const name = random.chance(0.5) ? 'site' : 'cloud';
  killed[name]++;
  const victim = name === 'site' ? site : cloud;
  await victim.kill();
  await victim.start();
}
for (let last = -1; ; ) {
  const waiting = (await site.status()).files?.waiting ?? 1;
  if (waiting === 0) break;
  if (waiting !== last) console.error(`${waiting} files wait`);
  last = waiting;
  const { up } = proxy.counts;
  await until(() => proxy.counts.up > up + 300_000 || proxy.counts.up - before > bytes, 'the files move on');
  await new Promise((resolve) => setTimeout(resolve, 200));
}
await site.inStep();
clearInterval(progress);
const seconds = (performance.now() - from) / 1_000;
const sent = proxy.counts.up - before;

let lost = 0;
let twice = 0;
for (const [id, sha256] of made) {
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project };
  const got = await fetch(`http://127.0.0.1:${cloud.port}/api/v1/artifacts/${id}/content`, { headers });
  if (got.status !== 200 || sha(new Uint8Array(await got.arrayBuffer())) !== sha256) lost++;
  const { data } = await cloud.client(project).call('artifacts_list', { sha256 });
  if (data.length > 1) twice++;
}
const [receipt] = (await site.client().call('sync_verify', {})).data;
console.log(
  JSON.stringify({
    ...{ bytes, files: made.size, cuts, kills: killed, seconds: Math.round(seconds), lost, twice },
    ...{ sent, sent_again: Number((sent / bytes - 1).toFixed(4)), verdict: receipt?.verdict },
  }),
);
if (lost + twice > 0 || receipt?.verdict !== 'complete') process.exitCode = 1;
