import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { sniffMedia } from '#contract/work/media.ts';
import { sweepFiles } from '#sweeps/artifact-sweep.ts';
import { as, openRig, type Rig, sha256 } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');
const frame = (n: number) => ({ sha256: sha256(`frame ${n}`), bytes: 10, content_type: 'image/jpeg' });

async function camera(rig: Rig, device_id = 'cam') {
  const { id } = await rig.call('devices_create', { device_id, kind: 'camera' });
  return {
    id,
    own: as('device', { kind: 'device', device: id, device_project: rig.project, project_ids: [rig.project] }),
  };
}

test('[A230] a small file is stored at once, a large one gets a slot, and no address works without a key', async () => {
  await using rig = await openRig();
  const { id } = await camera(rig);
  const png = '\x89PNG\r\n\x1a\n and so on';
  const { artifact, upload } = await rig.call('devices_upload_media', {
    id,
    content_base64: base64(png),
    name: 'a.bin',
  });
  assert.equal(upload, null);
  assert.deepEqual(
    [artifact?.content_type, artifact?.kind, artifact?.bytes, artifact?.download_url],
    ['image/png', 'image', png.length, `/api/v1/artifacts/${artifact?.id}/content`],
  );
  assert.equal((await rig.call('artifacts_get', { id: artifact?.id ?? '' })).sha256, artifact?.sha256);
  const slot = await rig.call('devices_upload_media', { id, bytes: 5_000_000_000, name: 'run.mf4' });
  assert.deepEqual([slot.upload?.kind, slot.upload?.protocol, slot.artifact], ['mf4', 'tus/1.0.0', null]);
  assert.equal(slot.upload?.upload_url, `http://gateway.test/api/v1/devices/${id}/media/${slot.upload?.id}`);
  const wrong = { id, content_base64: base64(png), sha256: '0'.repeat(64) };
  await assert.rejects(rig.call('devices_upload_media', wrong), code('checksum_mismatch'));
  await assert.rejects(rig.call('devices_upload_media', { id }), code('parameter_missing'));
  await assert.rejects(rig.call('devices_upload_media', { id, bytes: 6 * 2 ** 30 }), code('parameter_invalid'));
  const before = rig.store.stats().commits;
  await rig.call('devices_upload_media', { id, bytes: 10, dry_run: true });
  assert.equal(rig.store.stats().commits, before);
});

test('[A231] an image belongs to a run of its device, and its subject is where the device is linked', async () => {
  await using rig = await openRig();
  const [a, b] = [await camera(rig, 'a'), await camera(rig, 'b')];
  const machine = await rig.call('equipment_create', { unit_number: 'HT-14' });
  await rig.call('telemetry_devices_link', { links: [{ serial: 'a', equipment_id: machine.id }] });
  await rig.call('devices_worker_register', { id: a.id, name: 'yolo', version: '1' });
  const task = await rig.call('devices_worker_run', { id: a.id }, a.own);
  const run_id = task.latest_run_id ?? '';
  const posted = await rig.call('devices_stream', { ...frame(1), run_id }, a.own);
  const artifact = await rig.call('artifacts_get', { id: posted.artifact_id });
  assert.deepEqual([artifact.context.run_id, artifact.subject?.id], [run_id, machine.id]);
  await assert.rejects(rig.call('devices_stream', { ...frame(2), run_id }, b.own), code('not_found'));
  await assert.rejects(rig.call('devices_stream', { ...frame(2), run_id: a.id }, a.own), code('not_found'));
  assert.equal(rig.accepted.length, 1, 'a refused frame is no sign of life');
});

test('[A232] images are deleted after 14 days, uploads after 72 hours, records first; files stay', async () => {
  await using rig = await openRig();
  const { id, own } = await camera(rig);
  const { artifact_id } = await rig.call('devices_stream', frame(1), own);
  const kept = (await rig.call('devices_upload_media', { id, content_base64: base64('kept') })).artifact?.id ?? '';
  await rig.call('devices_upload_media', { id, bytes: 4 });
  const asked: string[] = [];
  const sweep = (agesKnown = true) =>
    sweepFiles({
      store: rig.store,
      clock: rig.clock,
      agesKnown,
      orphans: true,
      artifacts: {
        sweep: async (isNamed) => {
          for (const hash of [frame(1).sha256, sha256('kept')]) asked.push(String(await isNamed(hash)));
          return [];
        },
      },
      uploads: { sweep: async (isKnown) => Number(!(await isKnown('upl_none'))) },
      parts: { sweep: async () => 0 },
    });
  assert.deepEqual(await sweep(), { records: 0, files: 1 });
  rig.now += 73 * 3_600_000;
  assert.deepEqual(await sweep(), { records: 1, files: 1 });
  rig.now += 12 * 86_400_000;
  assert.equal((await sweep(false)).records, 0, 'not while nobody knows how old anything is');
  assert.equal((await rig.call('artifacts_get', { id: artifact_id })).id, artifact_id);
  assert.deepEqual(await sweep(), { records: 1, files: 1 });
  await assert.rejects(rig.call('artifacts_get', { id: artifact_id }), code('not_found'));
  assert.equal((await rig.call('artifacts_get', { id: kept })).id, kept);
  assert.deepEqual(asked, ['true', 'true', 'true', 'true', 'true', 'true', 'false', 'true']);
});

test('[A233] artifacts of another project do not exist, and media refers to those of one project only', async () => {
  await using rig = await openRig();
  const { id } = await camera(rig);
  const made = (await rig.call('devices_upload_media', { id, content_base64: base64('x') })).artifact?.id ?? '';
  const elsewhere = { project: rig.other };
  await assert.rejects(rig.call('artifacts_get', { id: made }, elsewhere), code('not_found'));
  assert.deepEqual((await rig.call('artifacts_list', {}, elsewhere)).data, []);
  const shown = await rig.call('equipment_create', { unit_number: 'HT-1', context: { media: [made] } });
  assert.deepEqual(shown.context.media, [made]);
  await assert.rejects(
    rig.call('equipment_create', { unit_number: 'HT-1', context: { media: [made] } }, elsewhere),
    code('not_found'),
  );
});

test('[A234] the content type is detected from the first bytes', () => {
  const told = (text: string) => sniffMedia(Buffer.from(text, 'latin1'));
  assert.deepEqual(
    [
      '\xff\xd8\xff\xe0',
      'RIFF....WEBPVP8 ',
      '....ftypavif',
      'MDF     4.11',
      'UnFinMF 4.10',
      '<svg',
      '',
      '\xff\xd8',
    ].map(told),
    [
      'image/jpeg',
      'image/webp',
      'image/avif',
      'application/x-mf4',
      'application/x-mf4',
      undefined,
      undefined,
      undefined,
    ],
  );
});
