/**
 * `kill -9` while loggers upload: a gateway as a process of its own, four loggers that send logs, parts and heartbeats and keep what is
 * not acknowledged. After each start: what was acknowledged is there, whole, with its record, once; what was not is whole or absent.
 *
 *   node test/faults/bucket-kill.ts [KILLS] [SEED]      npm run faults:bucket
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#contract/client.ts';
import { type GatewayProcess, startGatewayProcess } from '#test/bench/gateway-process.ts';
import { provisionLogger, type TestLogger } from '#test/support/bucket.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';
import { randomOf } from '#test/support/random-of.ts';
import { createS3, type S3Answer } from '#test/support/s3.ts';

const KILLS = Number(process.argv[2] ?? 100);
const SEED = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const LOGGERS = 4;
const PART = 5 << 20;
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');

const random = randomOf(SEED);

/** A log that a logger has on its card until it is acknowledged. */
interface Log {
  readonly key: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

interface Sender {
  readonly logger: TestLogger;
  sent: number;
  /** What has no answer yet, and comes again under another time. */
  waiting: Buffer | undefined;
}

const folder = mkdtempSync(join(tmpdir(), 'headframe-bucket-kill-'));
const acked = new Map<string, { digest: string; sender: number }>();
const tried = new Map<string, string>();
const problems: string[] = [];
let refused = 0;
let cut = 0;

const keyOf = ({ logger, sent }: Sender, epoch: number) =>
  `${logger.device_id}/00000001/${String(sent).padStart(8, '0')}-${epoch.toString(16).toUpperCase().padStart(8, '0')}.MF4`;

async function upload(s3: ReturnType<typeof createS3>, log: Log): Promise<S3Answer> {
  if (log.bytes.length < PART) return s3.send({ method: 'PUT', key: log.key, body: log.bytes });
  const begun = await s3.send({ method: 'POST', key: log.key, query: { uploads: '' } });
  const uploadId = /<UploadId>([^<]*)</.exec(begun.text)?.[1] ?? '';
  const tags: string[] = [];
  for (let at = 0; at < log.bytes.length; at += PART) {
    const body = log.bytes.subarray(at, at + PART);
    const query = { partNumber: String(tags.length + 1), uploadId };
    tags.push((await s3.send({ method: 'PUT', key: log.key, query, body })).headers.etag ?? '');
  }
  const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  return s3.send({ method: 'POST', key: log.key, query: { uploadId }, body });
}

async function send(sender: Sender, index: number, port: number, going: () => boolean): Promise<void> {
  const s3 = createS3({ port, access: sender.logger.access, secret: sender.logger.secret });
  for (let epoch = Math.floor(random() * 2 ** 31); going(); epoch++) {
    const size =
      random() < 0.1 ? PART + 1 + Math.floor(random() * 100_000) : 16 + Math.floor(random() ** 3 * 2_000_000);
    sender.waiting ??= randomBytes(size);
    const log: Log = { key: keyOf(sender, epoch), digest: sha256(sender.waiting), bytes: sender.waiting };
    tried.set(log.key, log.digest);
    try {
      const answer = await upload(s3, log);
      if (answer.status === 200 && answer.code === undefined) {
        acked.set(log.key, { digest: log.digest, sender: index });
        sender.sent++;
        sender.waiting = undefined;
      } else refused++;
      if (random() < 0.2)
        await s3.send({ method: 'PUT', key: `${sender.logger.device_id}/device.json`, body: '{"fw_ver":"01.09.01"}' });
    } catch {
      cut++;
      return;
    }
  }
}

async function check(
  gateway: GatewayProcess,
  senders: readonly Sender[],
  project: string,
  since: number,
): Promise<void> {
  const half = readdirSync(join(folder, 'artifacts', 'tmp'));
  if (half.length > 0) problems.push(`half files after a start: ${half.join()}`);
  const fresh = [...acked].slice(since);
  for (const [key, { digest, sender }] of fresh) {
    const { access, secret } = (senders[sender] as Sender).logger;
    const read = await createS3({ port: gateway.bucket, access, secret }).send({ key });
    if (read.status !== 200) problems.push(`${key} was acknowledged and is ${read.status}`);
    else if (sha256(read.body) !== digest) problems.push(`${key} was acknowledged and reads otherwise`);
    const found = await createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project }).call(
      'artifacts_list',
      { sha256: digest },
    );
    if (found.data.length !== 1) problems.push(`${key} has ${found.data.length} records`);
  }
}

/** Everything that can be seen: each name reads as it was sent, acknowledged or not. */
async function checkAll(gateway: GatewayProcess, senders: readonly Sender[]): Promise<number> {
  const seen = new Set<string>();
  for (const { logger } of senders) {
    const s3 = createS3({ port: gateway.bucket, access: logger.access, secret: logger.secret });
    for (let after = ''; ; ) {
      const page = await s3.send({
        query: { 'list-type': '2', 'start-after': after, prefix: `${logger.device_id}/00000001/` },
      });
      const keys = [...page.text.matchAll(/<Key>([^<]*)</g)].map(([, key = '']) => key);
      for (const key of keys) {
        seen.add(key);
        const read = await s3.send({ key });
        if (read.status !== 200 || sha256(read.body) !== tried.get(key))
          problems.push(`${key} is seen and reads otherwise`);
      }
      after = keys.at(-1) ?? '';
      if (!page.text.includes('<IsTruncated>true')) break;
    }
  }
  for (const key of acked.keys()) if (!seen.has(key)) problems.push(`${key} was acknowledged and is not seen`);
  return seen.size;
}

console.log(`seed ${SEED}`);
let gateway = await startGatewayProcess(folder);
const owner = createClient({ base_url: gateway.http, key: OWNER_KEY });
const { project } = await owner.call('projects_create', { name: 'Quarry' });
const senders: Sender[] = [];
for (let i = 0; i < LOGGERS; i++) {
  const client = createClient({ base_url: gateway.http, key: OWNER_KEY, project_id: project.id });
  senders.push({ logger: await provisionLogger(client, gateway.bucket, `0000000${i}`), sent: 0, waiting: undefined });
}
let checked = 0;
for (let kill = 1; kill <= KILLS; kill++) {
  let going = true;
  const { bucket } = gateway;
  const sending = senders.map((sender, i) => send(sender, i, bucket, () => going));
  await sleep(200 + random() * 1_000);
  await gateway.kill();
  going = false;
  await Promise.all(sending);
  gateway = await startGatewayProcess(folder);
  await check(gateway, senders, project.id, checked);
  checked = acked.size;
  if (kill % 10 === 0)
    console.log(
      `${kill} kills, ${acked.size} acknowledged, ${cut} cut, ${refused} refused, ${problems.length} problems`,
    );
}
const seen = await checkAll(gateway, senders);
await gateway[Symbol.asyncDispose]();
rmSync(folder, { recursive: true, force: true });
for (const problem of problems.slice(0, 20)) console.log(problem);
console.log(`${KILLS} kills: ${acked.size} acknowledged, ${seen} seen, ${cut} cut short, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
