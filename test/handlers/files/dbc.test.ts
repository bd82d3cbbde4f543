import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCandump } from '#codec/candump.ts';
import type { OperationError } from '#contract/base/errors.ts';
import { DBC_BOUNDS } from '#contract/fleet/dbc.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string, said?: RegExp) => (error: OperationError) =>
  error.code === wanted && (said === undefined || said.test(error.message));

/** A group of J1939 with a pressure in bar, and a message of the maker's own with a multiplexed temperature in Fahrenheit. */
const TEXT = `VERSION "7"
BU_: ECU
BO_ 2566844414 EFL: 8 ECU
 SG_ OilPressure : 24|8@1+ (0.04,0) [0|10] "bar" ECU
 SG_ Unmapped : 0|8@1+ (1,0) [0|0] "" ECU
BO_ 291 Body: 8 ECU
 SG_ Page M : 0|8@1+ (1,0) [0|0] "" ECU
 SG_ OilTemp m1 : 8|16@1- (0.1,0) [0|200] "°F" ECU
 SG_ Weight : 40|16@1+ (1,0) [0|0] "" ECU
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_DEF_ SG_ "SPN" INT 0 524287;
BA_DEF_DEF_ "VFrameFormat" "StandardCAN";
BA_ "VFrameFormat" BO_ 2566844414 3;
BA_ "SPN" SG_ 2566844414 OilPressure 100;
`;
const PRESSURE = { message: 'EFL', signal: 'OilPressure', to: 'engine.oil_pressure' };
const HEAT = { message: 'Body', signal: 'OilTemp', to: 'vehicle.hydraulic_temperature', preferred: true };

test('[A300] a file is imported as the next version of its name, and only callers of its project can read it', async () => {
  await using rig = await openRig();
  const first = await rig.call('dbc_import', { name: 'crusher', text: TEXT });
  assert.deepEqual(
    [first.version, first.file_version, first.messages, first.signals, first.active, first.notes, first.mapping],
    [1, '7', 2, 5, false, [], []],
  );
  const second = await rig.call('dbc_import', {
    name: 'crusher',
    text: TEXT.replace('"7"', '"8"'),
    mapping: [PRESSURE],
  });
  assert.deepEqual([second.version, second.file_version, second.mapping.length], [2, '8', 1]);
  assert.equal((await rig.call('dbc_import', { name: 'drill', text: TEXT })).version, 1);
  assert.deepEqual(await rig.call('dbc_get', { id: first.id }), first);
  assert.deepEqual(
    (await rig.call('dbc_list', {})).data.map(({ name, version }) => `${name} ${version}`),
    ['drill 1', 'crusher 2', 'crusher 1'],
  );
  await assert.rejects(rig.call('dbc_get', { id: first.id }, { project: rig.other }), code('not_found'));
  await assert.rejects(rig.call('dbc_signals', { id: first.id }, { project: rig.other }), code('not_found'));
  await assert.rejects(rig.call('dbc_import', { name: 'x', text: TEXT }, as('operator')), code('permission_denied'));
  const audit = (await rig.call('audit_list', { subject: first.id })).data;
  assert.deepEqual(
    audit.map(({ type, data }) => [type, data.name, data.version]),
    [['created', 'crusher', 1]],
  );
});

test('[A300] text that is not a DBC file is refused with line and column, and the limits hold', async () => {
  await using rig = await openRig();
  await assert.rejects(
    rig.call('dbc_import', { name: 'x', text: TEXT.replace('24|8@1+', '24|8@3+') }),
    (error: OperationError) =>
      error.code === 'dbc_invalid' && error.details[0]?.line === 4 && error.details[0]?.column === 25,
  );
  await assert.rejects(
    rig.call('dbc_import', { name: 'x', text: 'x'.repeat(DBC_BOUNDS.text + 1) }),
    code('parameter_invalid'),
  );
  for (let i = 0; i < DBC_BOUNDS.files; i++) await rig.call('dbc_import', { name: 'x', text: TEXT });
  await assert.rejects(rig.call('dbc_import', { name: 'x', text: TEXT }), code('limit_reached', /50/));
});

test('[A301] signals are listed and searched, and signals with a known SPN are suggested', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('dbc_import', { name: 'crusher', text: TEXT });
  const all = await rig.call('dbc_signals', { id });
  assert.equal(all.total, 5);
  assert.deepEqual(all.data[0], {
    message: 'EFL',
    id: '18FEEFFE',
    pgn: 65263,
    signal: 'OilPressure',
    unit: 'bar',
    spn: 100,
    comment: '',
  });
  assert.deepEqual(all.suggested, [PRESSURE]);
  const some = await rig.call('dbc_signals', { id, q: 'body.oil' });
  assert.deepEqual(
    some.data.map(({ signal, id: frame, pgn }) => [signal, frame, pgn]),
    [['OilTemp', '123', null]],
  );
});

test('[A302] a mapping names signals of the file with convertible units, and is fixed once the version is activated', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('dbc_import', { name: 'crusher', text: TEXT });
  const map = (mapping: object[]) => rig.call('dbc_map', { id, mapping: mapping as (typeof PRESSURE)[] });
  await assert.rejects(map([{ ...PRESSURE, signal: 'Nothing' }]), code('parameter_invalid', /no signal EFL.Nothing/));
  await assert.rejects(map([PRESSURE, PRESSURE]), code('parameter_invalid', /twice/));
  await assert.rejects(map([{ ...PRESSURE, to: 'engine.speed' }]), code('parameter_invalid', /"bar".*rpm/));
  const weight = { message: 'Body', signal: 'Weight', to: 'vehicle.payload' };
  await assert.rejects(map([weight]), (error: OperationError) => JSON.stringify(error.details).includes('"kg"'));
  const mapped = await map([PRESSURE, HEAT, { ...weight, unit: 'kg' }]);
  assert.equal(mapped.mapping.length, 3);
  assert.equal((await map(mapped.mapping)).revision, mapped.revision, 'the same changes nothing');
  await rig.call('dbc_activate', { id });
  await rig.call('dbc_deactivate', { id });
  await assert.rejects(map([PRESSURE]), code('invalid_transition', /Import the file again/));
});

test('[A303] one version of a name is active; devices are of the project; each step is audited', async () => {
  await using rig = await openRig();
  const device = await rig.call('devices_create', { device_id: 'd-1', kind: 'can_logger' });
  const foreign = await rig.call('devices_create', { device_id: 'd-2', kind: 'can_logger' }, { project: rig.other });
  const make = (name: string) => rig.call('dbc_import', { name, text: TEXT, mapping: [PRESSURE] });
  const [first, second] = [await make('crusher'), await make('crusher')];
  const bare = await rig.call('dbc_import', { name: 'bare', text: TEXT });
  await assert.rejects(rig.call('dbc_activate', { id: bare.id }), code('invalid_transition', /mapped/));
  await assert.rejects(rig.call('dbc_activate', { id: first.id, device_ids: [foreign.id] }), code('not_found'));
  await assert.rejects(rig.call('dbc_activate', { id: first.id }, { if_match: 9 }), code('revision_mismatch'));
  const on = await rig.call('dbc_activate', { id: first.id, device_ids: [device.id] });
  assert.deepEqual([on.active, on.device_ids], [true, [device.id]]);
  assert.ok(on.first_activated_at !== null);
  assert.deepEqual((await rig.call('dbc_activate', { id: second.id })).device_ids, null);
  const before = await rig.call('dbc_get', { id: first.id });
  assert.deepEqual([before.active, before.first_activated_at], [false, on.first_activated_at]);
  assert.deepEqual(
    (await rig.call('audit_list', { subject: first.id })).data.map(({ type }) => type),
    ['deactivated', 'activated', 'created'],
  );
  for (let i = 1; i < DBC_BOUNDS.active; i++) await rig.call('dbc_activate', { id: (await make(`f${i}`)).id });
  const over = await make('over');
  await assert.rejects(rig.call('dbc_activate', { id: over.id }), code('limit_reached', /8/));
  assert.equal((await rig.call('dbc_activate', { id: second.id, device_ids: [device.id] })).active, true);
});

/** A log among the files of the project. */
async function store(rig: Rig, text: Uint8Array): Promise<string> {
  const { sha256, bytes } = await (await openArtifacts(rig.folder)).put([text]);
  const data: Partial<ArtifactData> = { kind: 'file', name: 'bus.log', sha256, bytes, device_id: null };
  const id = `art_${sha256.slice(0, 26)}`;
  await rig.store.view(rig.project).commit([{ collection: 'records', id, object: 'artifact', data: { ...data } }]);
  return id;
}

test('[A304] a test on a recorded log reports matches, numbers, states, ranges and unknown frames', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('dbc_import', { name: 'crusher', text: TEXT, mapping: [PRESSURE, HEAT] });
  const batch = new FrameBatch();
  const push = (frame: number, flags: number, ...data: number[]) =>
    batch.push(1_790_000_000_000_000 + batch.count * 1_000, 0, frame, flags, Uint8Array.from(data), 0, data.length);
  for (const raw of [100, 120, 0xff, 0xfe]) push(0x18feef00, FRAME.extended, 1, 2, 3, raw, 5, 6, 7, 8);
  push(0x123, 0, 1, 0x98, 0x08, 0, 0, 0, 0, 0); // 220.0 °F
  push(0x123, 0, 1, 0x48, 0xe3, 0, 0, 0, 0, 0); // -735.2 °F: below the least there is
  push(0x123, 0, 2, 0x98, 0x08, 0, 0, 0);
  push(0x18f00400, FRAME.extended, 1);
  push(0x18f00400, FRAME.extended, 1);
  push(0x7ff, 0, 1);
  const artifact_id = await store(rig, formatCandump(batch));
  const found = await rig.call('dbc_test', { id, artifact_id });
  assert.deepEqual([found.frames, found.truncated, found.matched, found.unmatched, found.short], [10, false, 7, 3, 1]);
  assert.deepEqual(found.messages, [
    { message: 'EFL', count: 4 },
    { message: 'Body', count: 3 },
  ]);
  assert.deepEqual(found.unmatched_ids, [
    { id: '18F00400', count: 2 },
    { id: '7FF', count: 1 },
  ]);
  const [pressure, heat] = found.signals;
  assert.deepEqual(pressure, {
    message: 'EFL',
    signal: 'OilPressure',
    unit: 'bar',
    to: 'engine.oil_pressure',
    values: 2,
    states: 2,
    out_of_range: 0,
    implausible: 0,
    min: 4,
    max: 4.8,
    last: 4.8,
  });
  assert.deepEqual(
    [heat?.signal, heat?.values, heat?.out_of_range, heat?.implausible, heat?.min, heat?.max],
    ['OilTemp', 2, 2, 1, -735.2, 220],
  );
  const wrong = await store(rig, Buffer.from('%PDF-1.7 no log at all'));
  await assert.rejects(rig.call('dbc_test', { id, artifact_id: wrong }), code('parameter_invalid'));
  await assert.rejects(rig.call('dbc_test', { id, artifact_id: 'art_none' }), code('not_found'));
  await assert.rejects(rig.call('dbc_test', { id }), code('parameter_missing'));
  const foreign = await rig.call('devices_create', { device_id: 'd-2', kind: 'can_logger' }, { project: rig.other });
  await assert.rejects(rig.call('dbc_test', { id, device_id: foreign.id }), code('not_found'));
});

test('[A305] a version that is not active can be deleted, and then another one can be imported', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('dbc_import', { name: 'crusher', text: TEXT, mapping: [PRESSURE] });
  await rig.call('dbc_activate', { id });
  await assert.rejects(rig.call('dbc_delete', { id }), code('invalid_transition', /deactivate/));
  await rig.call('dbc_deactivate', { id });
  assert.deepEqual(await rig.call('dbc_delete', { id }), { object: 'dbc_file', id, deleted: true });
  await assert.rejects(rig.call('dbc_get', { id }), code('not_found'));
  assert.equal(await rig.store.view(rig.project).get('records', `${id}:text`), undefined);
  assert.equal((await rig.call('dbc_import', { name: 'crusher', text: TEXT })).version, 1);
});
