/**
 * The roll of a logger's key pair, as the logger sees it: a real client at a real bucket, with the hours of the overlap in the hand of the
 * test.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createDecipheriv, createECDH, createHash, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { GetObjectCommand, PutObjectCommand, S3Client, type S3ServiceException } from '@aws-sdk/client-s3';
import { LIMITS } from '#contract/base/limits.ts';
import { createClient } from '#contract/client.ts';
import { openSealer } from '#gateway/sealer.ts';
import { createBucketObjects } from '#handlers/devices/bucket-objects.ts';
import { sweepPairs } from '#handlers/devices/bucket-pairs.ts';
import { createBucketUploads } from '#handlers/devices/bucket-uploads.ts';
import { headOf } from '#servers/base/content.ts';
import { createBucketCredentials } from '#servers/bucket/credentials.ts';
import { startLoggerBucket } from '#servers/bucket/logger-bucket.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { openParts } from '#store/parts.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { eventually, OWNER_KEY } from '#test/support/gateway.ts';
import { openRig, sha256 } from '#test/support/handler-rig.ts';
import { NO_BUDGETS } from '#test/support/no-budgets.ts';
import { randomOf } from '#test/support/random-of.ts';
import { createS3 } from '#test/support/s3.ts';
import { TEST_SEED } from '#test/support/seed.ts';

const HOUR_MS = 3_600_000;
const ID = '2F6913DB';
const CONFIG = {
  general: {},
  connect: { wifi: { keyformat: 0, accesspoint: [{ ssid: 'pit', pwd: 'blasting-at-noon' }] } },
};

interface Pair {
  readonly access: string;
  readonly secret: string;
}

/** A bucket over the rig's store and clock, and one logger of it. */
async function start() {
  await using opened = new AsyncDisposableStack();
  const rig = opened.use(await openRig());
  const artifacts = await openArtifacts(rig.folder, { maxBytes: LIMITS.artifact.value });
  const credentials = opened.use(
    createBucketCredentials({ store: rig.store, sealer: openSealer(rig.folder), clock: rig.clock }),
  );
  const refused: string[] = [];
  const { store, clock } = rig;
  const bucket = opened.use(
    await startLoggerBucket({
      host: '127.0.0.1',
      port: 0,
      credentials,
      names: new Set(),
      objects: createBucketObjects({
        store,
        clock,
        random: randomBytes,
        sha256,
        readArtifact: (digest) => artifacts.readAll(digest, 1 << 20),
        headOf: (digest, bytes) => headOf(artifacts, digest, bytes),
        accept: async () => undefined,
        refused: () => undefined,
      }),
      uploads: createBucketUploads({ store, clock, random: randomBytes }),
      parts: await openParts(rig.folder),
      artifacts,
      room: () => Number.POSITIVE_INFINITY,
      decodesWaiting: (of) => rig.waiting.get(of) ?? 0,
      budgets: NO_BUDGETS,
      clockRefused: () => undefined,
      refused: (source, reason) => refused.push(`${source}: ${reason}`),
      requestsPerMinute: 6_000,
      clock,
      log: () => undefined,
    }),
  );
  const device = await rig.call('devices_create', { kind: 'can_logger', device_id: ID });
  const { id } = device;
  const secretOf = async (ref: string | null) => {
    const told = await rig.call('devices_hmac_claim', { id, claim_id: ref?.split('/').at(-1) ?? '' });
    return { access: told.access_key_id, secret: told.secret ?? '' };
  };
  const first = await secretOf((await rig.call('devices_provision_info', { device_id: id })).hmac.secret_ref);
  const send = ({ access, secret }: Pair, key: string, body?: string) =>
    createS3({ port: bucket.port, access, secret }).send({
      key: `${ID}/${key}`,
      ...(body === undefined ? {} : { method: 'PUT', body }),
      at_ms: rig.now,
    });
  const parts = opened.move();
  return {
    rig,
    id,
    first,
    refused,
    port: bucket.port,
    secretOf,
    /** What a request with the pair is answered. */
    async status(pair: Pair, key = 'probe', body: string | undefined = 'x') {
      const { status, code } = await send(pair, key, body);
      return code ?? status;
    },
    read: (pair: Pair, key: string) => send(pair, key),
    bucketKey: () => rig.call('devices_bucket_key_get', { id }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const gone = (error: S3ServiceException) => error.name === 'InvalidAccessKeyId';

test('[A407] both key pairs are valid during the overlap; then the old one is refused, and the refusal names the device', async () => {
  await using at = await start();
  const { rig, id, first } = at;
  const aws = ({ access, secret }: Pair) =>
    new S3Client({
      endpoint: `http://127.0.0.1:${at.port}`,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: access, secretAccessKey: secret },
      systemClockOffset: rig.now - Date.now(),
      maxAttempts: 1,
    });
  const put = (pair: Pair, name: string) =>
    aws(pair).send(new PutObjectCommand({ Bucket: 'headframe', Key: `${ID}/${name}`, Body: name }));
  await put(first, 'before');
  const roll = await rig.call('devices_bucket_key_roll', { id });
  assert.equal(roll.previous?.access_key_id, first.access);
  const ends_at = roll.previous?.ends_at ?? '';
  assert.equal(Date.parse(ends_at) - Date.parse(roll.rolled_at), 24 * HOUR_MS);
  assert.deepEqual([roll.delivery, roll.config_files], ['by_hand', []]);
  const second = await at.secretOf(roll.secret_ref);
  assert.equal(second.access, roll.access_key_id);
  assert.ok(!JSON.stringify(roll).includes(second.secret), 'no secret stands in the answer of the roll');
  rig.now = Date.parse(ends_at) - 60_000;
  await put(first, 'old pair');
  await put(second, 'new pair');
  const read = await aws(second).send(new GetObjectCommand({ Bucket: 'headframe', Key: `${ID}/old pair` }));
  assert.equal(await read.Body?.transformToString(), 'old pair');
  const during = await eventually(at.bucketKey, ({ current }) => current?.last_used_at !== null);
  assert.deepEqual(
    [during.current?.access_key_id, during.previous?.access_key_id, during.previous?.ends_at],
    [second.access, first.access, ends_at],
  );
  assert.equal(during.in_use, second.access);
  assert.equal(await sweepPairs(rig.store, rig.clock), 0);
  rig.now = Date.parse(ends_at) + 1;
  await assert.rejects(put(first, 'too late'), gone);
  await put(second, 'after');
  assert.ok(at.refused.some((line) => line.startsWith(`${ID}: it signs with an old key pair`)));
  assert.equal(await sweepPairs(rig.store, rig.clock), 1);
  assert.equal(await sweepPairs(rig.store, rig.clock), 0);
  await assert.rejects(put(first, 'too late'), gone);
  const after = await at.bucketKey();
  assert.deepEqual([after.previous?.ends_at, after.previous?.ended_at !== null], [null, true]);
  const log = (await rig.call('devices_events', { id })).data.find(({ type }) => type === 'key_rolled');
  assert.deepEqual([log?.data.access_key_id, log?.actor.type], [second.access, 'workspace']);
});

test('[A407] the logger gets its new key pair encrypted in its configuration; a heartbeat signed with it ends the old pair early', async () => {
  await using at = await start();
  const { rig, id, first } = at;
  const logger = createECDH('prime256v1');
  const kpub = logger.generateKeys().subarray(1).toString('base64');
  const beat = (pair: Pair, more: object = {}) =>
    at.status(pair, 'device.json', JSON.stringify({ type: '0000001F', fw_ver: '01.09.01', kpub, ...more }));
  assert.equal(await beat(first), 200);
  await rig.call('devices_config_put', { id, config: CONFIG });
  const before = await rig.call('devices_config_get', { id });
  assert.equal((await at.bucketKey()).delivery, 'over_the_air');
  const roll = await rig.call('devices_bucket_key_roll', { id, overlap_hours: 48 });
  assert.deepEqual([roll.delivery, roll.config_files], ['over_the_air', ['config-01.09.json']]);
  const wanted = await rig.call('devices_config_get', { id });
  assert.equal(wanted.revision, before.revision + 1);
  assert.deepEqual(wanted.config, before.config, 'what people wrote stays');
  const fetched = await at.read(first, 'config-01.09.json');
  assert.equal(fetched.status, 200, 'under the pair that it has');
  const { general, connect } = JSON.parse(fetched.text);
  const ours = Buffer.concat([Buffer.from([4]), Buffer.from(general.security.kpub, 'base64')]);
  const key = createHmac('sha256', logger.computeSecret(ours)).update('config').digest().subarray(0, 16);
  const field = Buffer.from(connect.s3.server.secretkey, 'base64');
  const decipher = createDecipheriv('aes-128-ctr', key, field.subarray(0, 16));
  const second = {
    access: String(connect.s3.server.accesskey),
    secret: Buffer.concat([decipher.update(field.subarray(16)), decipher.final()]).toString(),
  };
  assert.equal(second.access, roll.access_key_id);
  assert.ok(!fetched.text.includes(second.secret));
  const cfg_crc32 = crc32(fetched.body).toString(16).padStart(8, '0');
  assert.equal(await beat(first, { cfg_crc32 }), 200);
  assert.equal(await at.status(first), 200, 'it has read the file and not begun to use it');
  assert.equal(await beat(second, { cfg_crc32: '00000000' }), 200);
  assert.equal(await at.status(first), 200, 'it has the pair and runs with another configuration');
  assert.equal(await beat(second, { cfg_crc32 }), 200);
  assert.equal(await at.status(first), 'InvalidAccessKeyId');
  assert.equal(await at.status(second), 200);
  const told = await at.bucketKey();
  assert.deepEqual([told.in_use, told.previous?.ends_at], [second.access, null]);
  const types = (await rig.call('devices_events', { id })).data;
  assert.equal(types.filter(({ data }) => data.ended_access_key_id === first.access).length, 1);
  const kept = await rig.store.find('local', { object: 'hmac_credential', limit: 10 });
  assert.deepEqual(
    kept.map(({ data }) => data.sealed === '').sort(),
    [false, true],
    'the secret of the old one is gone',
  );
});

test('[A407] after several rolls the pair that the logger uses is valid until its end; at most two pairs are valid', async () => {
  await using at = await start();
  const { rig, id, first } = at;
  assert.equal(await at.status(first), 200);
  await eventually(at.bucketKey, ({ in_use }) => in_use === first.access);
  const second = await at.secretOf((await rig.call('devices_bucket_key_roll', { id })).secret_ref);
  rig.now += 20 * HOUR_MS;
  const again = await rig.call('devices_bucket_key_roll', { id });
  const third = await at.secretOf(again.secret_ref);
  assert.equal(again.previous?.access_key_id, first.access, 'nobody used the second');
  assert.equal(await at.status(second), 'InvalidAccessKeyId');
  rig.now += 20 * HOUR_MS;
  assert.deepEqual([await at.status(first), await at.status(third)], [200, 200]);
  await eventually(at.bucketKey, ({ in_use }) => in_use === third.access);
  const last = await rig.call('devices_bucket_key_roll', { id });
  assert.equal(last.previous?.access_key_id, third.access, 'the logger has it');
  assert.equal(await at.status(first), 'InvalidAccessKeyId');
  assert.equal(await at.status(third), 200);
  const notes = await rig.store.find('local', { object: 'hmac_use', limit: 10 });
  assert.ok(notes.length <= 2, 'notes of pairs that are gone are gone');
});

test('[A407] a request by hand with the new pair does not end the old pair', async () => {
  await using at = await start();
  const { rig, id, first } = at;
  assert.equal(await at.status(first), 200);
  await eventually(at.bucketKey, ({ in_use }) => in_use === first.access);
  const second = await at.secretOf((await rig.call('devices_bucket_key_roll', { id })).secret_ref);
  rig.now += 60_000;
  assert.equal(await at.status(second), 200);
  await eventually(at.bucketKey, ({ in_use }) => in_use === second.access);
  rig.now += 10_000;
  assert.equal(await at.status(first), 200);
  await eventually(at.bucketKey, ({ in_use }) => in_use === first.access);
  const again = await rig.call('devices_bucket_key_roll', { id });
  assert.equal(again.previous?.access_key_id, first.access);
  assert.equal(await at.status(first), 200, 'the logger comes in');
});

test('[A407] a revoke ends both pairs at once; a roll can create the first pair, and a dry run writes nothing', async () => {
  await using at = await start();
  const { rig, id, first } = at;
  await rig.call('devices_provision', { serial: 'SN-1', device_id: ID });
  const commits = rig.store.stats().commits;
  const dry = await rig.call('devices_bucket_key_roll', { id, dry_run: true });
  assert.deepEqual([dry.access_key_id, dry.secret_ref, dry.previous?.access_key_id], [null, null, first.access]);
  assert.equal(rig.store.stats().commits, commits);
  const second = await at.secretOf((await rig.call('devices_bucket_key_roll', { id })).secret_ref);
  assert.deepEqual([await at.status(first), await at.status(second)], [200, 200]);
  await rig.call('devices_key_revoke', { id });
  for (const pair of [first, second]) assert.equal(await at.status(pair), 'InvalidAccessKeyId');
  assert.deepEqual(await at.bucketKey(), {
    object: 'bucket_key',
    device_id: id,
    current: null,
    previous: null,
    in_use: null,
    delivery: 'by_hand',
  });
  const anew = await rig.call('devices_bucket_key_roll', { id });
  assert.deepEqual([anew.previous, anew.config_files], [null, []]);
  assert.equal(await at.status(await at.secretOf(anew.secret_ref)), 200);
  await rig.call('devices_config_put', { id, config: CONFIG, firmware: '01.09' });
  await rig.call('devices_key_revoke', { id });
  const third = await rig.call('devices_bucket_key_roll', { id });
  const card = JSON.parse((await rig.call('devices_config_file', { id })).content);
  assert.equal(
    card.connect.s3.server.accesskey,
    third.access_key_id,
    'the file for its card holds the pair that works',
  );
  assert.deepEqual((await rig.call('devices_events', { id })).data[0]?.type, 'provisioned');
});

const CHILD = join(import.meta.dirname, '..', '..', 'support', 'gateway-child.ts');

async function startChild(folder: string): Promise<{ child: ChildProcess; http: string; bucket: number }> {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { event: string; http: string; bucket: number };
    if (told.event !== 'ready') continue;
    return { child, http: told.http, bucket: told.bucket };
  }
  throw new Error('the gateway did not start');
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await ended;
}

test('[A407] after kill -9 during a roll, either all or nothing of it is stored, and the configuration has a valid pair', async () => {
  using folder = temporaryFolder();
  let { child, http, bucket } = await startChild(folder.path);
  try {
    const { project } = await createClient({ base_url: http, key: OWNER_KEY }).call('projects_create', { name: 'Pit' });
    const own = () => createClient({ base_url: http, key: OWNER_KEY, project_id: project.id });
    const { id } = await own().call('devices_create', { kind: 'can_logger', device_id: ID });
    const pairOf = async (): Promise<Pair> => {
      const { hmac } = await own().call('devices_provision_info', { device_id: id });
      const claim_id = hmac.secret_ref.split('/').at(-1) ?? '';
      const { access_key_id, secret } = await own().call('devices_hmac_claim', { id, claim_id });
      return { access: access_key_id, secret: secret ?? '' };
    };
    const first = await pairOf();
    const send = (pair: Pair, key: string, body?: string) =>
      createS3({ port: bucket, ...pair }).send({
        key: `${ID}/${key}`,
        ...(body === undefined ? {} : { method: 'PUT', body }),
      });
    await own().call('devices_config_put', { id, config: CONFIG, firmware: '01.09' });
    const random = randomOf(TEST_SEED);
    for (let round = 0; round < 3; round++) {
      assert.equal((await send(first, `round-${round}`, 'x')).status, 200);
      await eventually(
        () => own().call('devices_bucket_key_get', { id }),
        ({ in_use }) => in_use === first.access,
      );
      const rolling = own()
        .call('devices_bucket_key_roll', { id })
        .catch(() => undefined);
      await new Promise((done) => setTimeout(done, 30 * random()));
      await kill(child);
      await rolling;
      ({ child, http, bucket } = await startChild(folder.path));
      const current = await pairOf();
      assert.equal((await send(current, 'by the new one', 'x')).status, 200);
      // Last, for the next roll keeps the pair that was used last; what a process has noted it notes again after ten minutes only.
      const file = await send(first, 'config-01.09.json');
      assert.equal(file.status, 200, 'the pair in the logger opens the bucket');
      const { server } = JSON.parse(file.text).connect.s3;
      assert.deepEqual([server.accesskey, server.secretkey], [current.access, current.secret]);
      const { file: said } = await own().call('devices_config_get', { id });
      assert.equal(said?.crc32, crc32(file.body).toString(16).padStart(8, '0').toUpperCase());
      assert.equal(createHash('md5').update(file.body).digest('hex'), file.headers.etag?.replaceAll('"', ''));
    }
  } finally {
    await kill(child);
  }
});

test('[W230] a logger with 1,000 logs that wait for decoding gets SlowDown for files, and its heartbeat is accepted', async () => {
  await using at = await start();
  const { rig, id, first } = at;
  rig.waiting.set(id, LIMITS.decodes.value - 1);
  assert.equal(await at.status(first, '00000001/00000001-60B621D9.MF4'), 200);
  rig.waiting.set(id, LIMITS.decodes.value);
  assert.equal(await at.status(first, '00000001/00000002-60B621D9.MF4'), 'SlowDown');
  assert.equal(await at.status(first, 'device.json', '{}'), 200);
  rig.waiting.delete(id);
  assert.equal(await at.status(first, '00000001/00000002-60B621D9.MF4'), 200);
});
