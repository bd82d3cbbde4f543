import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { openRig } from '#test/support/handler-rig.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

const SQUARE = [
  [10, 60],
  [10.1, 60],
  [10.1, 60.1],
  [10, 60.1],
  [10, 60],
] as [number, number][];

test('[A103] a location has its fields, and every change of it is audited', async () => {
  await using rig = await openRig();
  const site = await rig.call('locations_create', { name: 'North', kind: 'site', code: 'N', timezone: 'Europe/Oslo' });
  const geofence = { type: 'Polygon' as const, coordinates: [SQUARE] };
  const pit = await rig.call('locations_create', {
    name: 'Pit 1',
    kind: 'pit',
    parent_id: site.id,
    geofence,
    elevation_m: -40,
  });
  assert.deepEqual(
    [pit.parent_id, pit.code, pit.active, pit.elevation_m, pit.revision, pit.timezone],
    [site.id, null, true, -40, 1, null],
  );
  const changed = await rig.call('locations_update', { id: pit.id, active: false, code: 'P1' }, { if_match: 1 });
  assert.deepEqual([changed.active, changed.code, changed.revision], [false, 'P1', 2]);
  assert.deepEqual(changed.geofence, geofence);
  const log = await rig.call('audit_list', { subject: pit.id, order: 'asc' });
  assert.deepEqual(
    log.data.map(({ type, data }) => [type, data]),
    [
      ['created', { name: 'Pit 1' }],
      ['updated', { fields: ['active', 'code'] }],
    ],
  );
  await assert.rejects(
    rig.call('locations_update', { id: pit.id, name: 'x' }, { if_match: 1 }),
    code('revision_mismatch'),
  );
  await assert.rejects(rig.call('locations_create', { name: 'x', timezone: 'Moon/Base' }), code('parameter_invalid'));
});

test('[A103] a location code is unique, and lists filter by parent, kind, activity and code', async () => {
  await using rig = await openRig();
  const site = await rig.call('locations_create', { name: 'North', kind: 'site', code: 'N' });
  await assert.rejects(rig.call('locations_create', { name: 'Other', code: ' n ' }), (error: OperationError) => {
    assert.deepEqual([error.code, error.param, error.details[0]?.held_by], ['already_exists', 'code', site.id]);
    return true;
  });
  await rig.call('locations_create', { name: 'Theirs', code: 'N' }, { project: rig.other });
  const pit = await rig.call('locations_create', { name: 'Pit', kind: 'pit', parent_id: site.id });
  const shut = await rig.call('locations_create', { name: 'Old pit', kind: 'pit', parent_id: site.id, active: false });
  const ids = async (query: object) => (await rig.call('locations_list', query)).data.map(({ id }) => id);
  assert.deepEqual(await ids({ parent_id: site.id }), [shut.id, pit.id]);
  assert.deepEqual(await ids({ kind: 'pit', active: true }), [pit.id]);
  assert.deepEqual(await ids({ code: 'N' }), [site.id]);
  assert.deepEqual(await ids({ code: 'none' }), []);
  assert.deepEqual(await ids({ q: 'OLD' }), [shut.id]);
});

test('[A103] a location cannot be inside itself, its own parts or another project', async () => {
  await using rig = await openRig();
  const make = async (name: string, parent_id: string | null = null) =>
    (await rig.call('locations_create', { name, parent_id })).id;
  const a = await make('a');
  const b = await make('b', a);
  const c = await make('c', b);
  for (const parent_id of [a, b, c])
    await assert.rejects(rig.call('locations_update', { id: a, parent_id }), code('parameter_invalid'));
  const foreign = await rig.call('locations_create', { name: 'x' }, { project: rig.other });
  await assert.rejects(rig.call('locations_update', { id: a, parent_id: foreign.id }), code('not_found'));
  await assert.rejects(rig.call('locations_create', { name: 'y', parent_id: 'loc_none' }), code('not_found'));
  assert.equal((await rig.call('locations_update', { id: c, parent_id: a })).parent_id, a);
});

test('[A103] the tree has eight levels at most, whether one location or a branch is put below', async () => {
  await using rig = await openRig();
  const chain = async (length: number) => {
    const ids: string[] = [];
    for (let i = 0; i < length; i++)
      ids.push((await rig.call('locations_create', { name: `l${i}`, parent_id: ids.at(-1) ?? null })).id);
    return ids;
  };
  const deep = await chain(8);
  await assert.rejects(
    rig.call('locations_create', { name: 'ninth', parent_id: deep[7] as string }),
    code('parameter_invalid'),
  );
  const branch = await chain(3);
  const move = (parent_id: string | undefined) =>
    rig.call('locations_update', { id: branch[0] as string, parent_id: parent_id as string });
  await assert.rejects(move(deep[5]), code('parameter_invalid'));
  assert.equal((await move(deep[4])).parent_id, deep[4]);
});

test('[A103] two branches that are concurrently moved below each other form no cycle', async () => {
  await using rig = await openRig();
  for (let round = 0; round < 5; round++) {
    const [a, b] = await Promise.all([
      rig.call('locations_create', { name: 'a' }),
      rig.call('locations_create', { name: 'b' }),
    ]);
    const moved = await Promise.allSettled([
      rig.call('locations_update', { id: a.id, parent_id: b.id }),
      rig.call('locations_update', { id: b.id, parent_id: a.id }),
    ]);
    assert.equal(moved.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of moved) if (result.status === 'rejected') assert.equal(result.reason.code, 'parameter_invalid');
  }
});

test('[A104] a geofence that violates RFC 7946 is refused', async () => {
  await using rig = await openRig();
  const fence = (type: string, coordinates: unknown, more: object = {}) =>
    rig.call('locations_create', { name: 'x', geofence: { type, coordinates, ...more } as never });
  const hole = SQUARE.map(([x, y]) => [10.05 + (x - 10) / 10, 60.05 + (y - 60) / 10]);
  assert.ok(await fence('Polygon', [SQUARE, hole]));
  assert.ok(await fence('MultiPolygon', [[SQUARE], [hole]]));
  assert.ok(await fence('Polygon', [SQUARE.map(([x, y]) => [x, y, 12.5])]));
  const around = (count: number) => {
    const ring = Array.from({ length: count - 1 }, (_, i) => {
      const angle = (2 * Math.PI * i) / (count - 1);
      return [10 + Math.cos(angle), 60 + Math.sin(angle)];
    });
    return [...ring, ring[0]];
  };
  assert.ok(await fence('Polygon', [around(2_000)]));
  const bad: [string, unknown, object?][] = [
    ['Point', [10, 60]],
    ['Polygon', []],
    ['Polygon', [SQUARE.slice(0, 4)]],
    ['Polygon', [[SQUARE[0], SQUARE[1], SQUARE[0]]]],
    ['Polygon', [[SQUARE[0], SQUARE[0], SQUARE[0], SQUARE[0]]]],
    ['Polygon', [SQUARE.map(([x, y]) => [x + 175, y])]],
    ['Polygon', [SQUARE.map(([x, y]) => [x, y + 30])]],
    ['Polygon', [SQUARE.map(([x]) => [x])]],
    ['Polygon', [SQUARE.map(([x, y]) => [x, y, 1, 2])]],
    ['Polygon', [SQUARE.map(([x, y]) => [String(x), y])]],
    ['Polygon', [around(2_001)]],
    ['MultiPolygon', [[around(1_001)], [around(1_000)]]],
    ['MultiPolygon', [SQUARE]],
    ['Polygon', [SQUARE], { crs: {} }],
  ];
  for (const [type, coordinates, more] of bad)
    await assert.rejects(
      fence(type, coordinates, more),
      (error: OperationError) => error.code === 'parameter_invalid' || error.code === 'parameter_unknown',
      JSON.stringify([type, coordinates, more]).slice(0, 120),
    );
});
