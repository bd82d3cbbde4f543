import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { operations } from '#contract/operations.ts';
import { MOST_WAITING_PHOTOS } from '#contract/work/artifact.ts';
import { CHECKLIST_KINDS } from '#contract/work/inspection.ts';
import { as, eventTypes, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string, param?: string) => (error: OperationError) =>
  error.code === wanted && (param === undefined || error.param === param);

const ITEMS = [
  { id: 'oil', text: 'Engine oil level' },
  { id: 'brake', text: 'Service brake', critical: true },
  { id: 'radio', text: 'Two-way radio' },
];

async function site(rig: Rig) {
  const machine = await rig.call('equipment_create', { unit_number: 'HT-104', kind: 'haul_truck' });
  const list = await rig.call('inspection_checklists_create', { name: 'Truck', kind: 'haul_truck', items: ITEMS });
  /** Submits an inspection in which these items are not ok. */
  const inspect = (failed: Readonly<Record<string, string>>, more: object = {}) =>
    rig.call(
      'inspections_create',
      {
        equipment_id: machine.id,
        checklist_id: list.id,
        answers: ITEMS.map(({ id }) => ({
          item_id: id,
          answer: id in failed ? ('not_ok' as const) : ('ok' as const),
          note: failed[id] ?? '',
        })),
        ...more,
      },
      as('operator', { name: 'Olav' }),
    );
  return { machine, list, inspect };
}

test('[A520] an operator submits an inspection, which is an event of the machine and has no operation that changes it', async () => {
  await using rig = await openRig();
  const { machine, inspect } = await site(rig);
  const { id, result, do_not_operate, done_by } = await inspect({});
  assert.deepEqual([result, do_not_operate, done_by], ['passed', false, 'Olav']);
  assert.deepEqual(await eventTypes(rig, 'equipment_events', machine.id), ['created', 'inspection.completed']);
  const log = await rig.call('equipment_events', { id: machine.id, type: 'inspection.completed' });
  assert.equal(log.data[0]?.data.inspection_id, id);
  assert.equal((await rig.call('repair_tickets_list', {})).data.length, 0);
  assert.deepEqual(
    Object.values(operations)
      .filter(({ path }) => path.startsWith('/api/v1/inspections'))
      .map(({ method }) => method)
      .sort(),
    ['GET', 'GET', 'POST'],
  );
  assert.equal((await rig.call('inspections_list', { equipment_id: machine.id, result: 'failed' })).data.length, 0);
});

test('[A520] every item needs one answer, and the error names the items', async () => {
  await using rig = await openRig();
  const { machine, list } = await site(rig);
  const answer = (item_id: string) => ({ item_id, answer: 'ok' as const });
  const send = (answers: { item_id: string; answer: 'ok' }[]) =>
    rig.call('inspections_create', { equipment_id: machine.id, checklist_id: list.id, answers });
  await assert.rejects(send([answer('oil'), answer('gone')]), (error: OperationError) => {
    assert.deepEqual(error.details, [{ missing: ['brake', 'radio'], unknown: ['gone'] }]);
    return error.code === 'parameter_invalid';
  });
  await assert.rejects(
    send([...ITEMS, ITEMS[0] as { id: string }].map(({ id }) => answer(id))),
    code('parameter_invalid'),
  );
  const digger = await rig.call('equipment_create', { unit_number: 'EX-1', kind: 'excavator' });
  await assert.rejects(
    rig.call('inspections_create', {
      equipment_id: digger.id,
      checklist_id: list.id,
      answers: ITEMS.map(({ id }) => answer(id)),
    }),
    code('parameter_invalid', 'checklist_id'),
  );
  await assert.rejects(
    rig.call('inspections_create', {
      equipment_id: machine.id,
      checklist_id: list.id,
      completed_at: new Date(rig.now + 3_600_000).toISOString(),
      answers: ITEMS.map(({ id }) => answer(id)),
    }),
    code('parameter_invalid', 'completed_at'),
  );
});

test('[A521] a failed item makes one ticket; the same item joins it while it is open, and makes a new one afterwards', async () => {
  await using rig = await openRig();
  const { machine, inspect } = await site(rig);
  const first = await inspect({ oil: 'low' });
  const ticket_id = first.items[0]?.ticket_id ?? '';
  const ticket = await rig.call('repair_tickets_get', { id: ticket_id });
  assert.deepEqual(
    [ticket.title, ticket.type, ticket.source, ticket.safety_critical, ticket.reported_by],
    ['Engine oil level', 'inspection', { kind: 'inspection', ref: first.id, key: 'oil' }, false, 'Olav'],
  );
  assert.match(ticket.description, /"Truck" by Olav\.\nlow$/);
  const second = await inspect({ oil: 'still low', radio: 'no sound' });
  assert.equal(second.items[0]?.ticket_id, ticket_id);
  assert.notEqual(second.items[2]?.ticket_id, ticket_id);
  assert.deepEqual(await eventTypes(rig, 'repair_tickets_events', ticket_id), ['flagged', 'report.joined']);
  await rig.call('repair_tickets_update', { id: ticket_id, status: 'in_progress' });
  await rig.call('repair_tickets_update', { id: ticket_id, status: 'fixed' });
  const third = await inspect({ oil: 'low again' });
  assert.notEqual(third.items[0]?.ticket_id, ticket_id);
  const other = await rig.call('equipment_create', { unit_number: 'HT-105', kind: 'haul_truck' });
  const elsewhere = await inspect({ oil: 'low' }, { equipment_id: other.id });
  assert.notEqual(elsewhere.items[0]?.ticket_id, third.items[0]?.ticket_id);
  assert.equal((await rig.call('repair_tickets_list', { equipment_id: machine.id })).data.length, 3);
});

test('[A522] a failed critical item says that the machine must not be operated, also if it joins an ordinary ticket', async () => {
  await using rig = await openRig();
  const { list, inspect } = await site(rig);
  const minor = await inspect({ radio: 'no sound' });
  assert.equal(minor.do_not_operate, false);
  const items = ITEMS.map((item) => ({ ...item, critical: item.id !== 'oil' }));
  await rig.call('inspection_checklists_update', { id: list.id, items });
  const grave = await inspect({ radio: 'no sound', brake: 'pedal to the floor' });
  assert.equal(grave.do_not_operate, true);
  for (const index of [1, 2]) {
    const ticket = await rig.call('repair_tickets_get', { id: grave.items[index]?.ticket_id ?? '' });
    assert.deepEqual([ticket.safety_critical, ticket.priority], [true, 'critical']);
  }
  assert.equal(grave.items[2]?.ticket_id, minor.items[2]?.ticket_id);
  const kept = await rig.call('inspections_get', { id: minor.id });
  assert.deepEqual([kept.do_not_operate, kept.items[2]?.critical], [false, false]);
});

test('[A523] default checklists come only on request, once for each kind, and a project has at most 100', async () => {
  await using rig = await openRig();
  assert.equal((await rig.call('inspection_checklists_list', {})).data.length, 0);
  const own = await rig.call('inspection_checklists_create', { name: 'Ours', kind: 'dozer', items: ITEMS });
  const added = await rig.call('inspection_checklists_add_defaults', {});
  assert.deepEqual(
    added.data.map(({ kind }) => kind),
    CHECKLIST_KINDS.filter((kind) => kind !== 'dozer'),
  );
  for (const { items } of added.data) {
    assert.ok(items.length >= 15 && items.some(({ critical }) => critical));
    assert.equal(new Set(items.map(({ text }) => text)).size, items.length);
  }
  assert.equal((await rig.call('inspection_checklists_add_defaults', {})).data.length, 0);
  await assert.rejects(rig.call('inspection_checklists_add_defaults', {}, as('operator')), code('permission_denied'));
  for (let i = 6; i < 100; i++) await rig.call('inspection_checklists_create', { name: `L${i}`, items: ITEMS });
  await assert.rejects(rig.call('inspection_checklists_create', { name: 'x', items: ITEMS }), code('limit_reached'));
  await rig.call('inspection_checklists_delete', { id: own.id });
  const twice = [ITEMS[0], ITEMS[0]].map((item) => ({ text: 'x', ...item }));
  await assert.rejects(
    rig.call('inspection_checklists_create', { name: 'x', items: twice }),
    code('parameter_invalid'),
  );
});

test('[A521] inspections of several operators at the same time make one ticket for one item', async () => {
  await using rig = await openRig();
  const { machine, inspect } = await site(rig);
  await Promise.all([inspect({ oil: 'a' }), inspect({ oil: 'b' }), inspect({ oil: 'c' }), inspect({ oil: 'd' })]);
  assert.equal((await rig.call('repair_tickets_list', { equipment_id: machine.id })).data.length, 1);
});

/** The smallest JPEG that the gateway takes for one: its signature and some bytes. */
const jpeg = (text: string) =>
  Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(text)]).toString('base64');

test('[A524] a photo of an item is in the record and in the ticket, and is kept; one that is in no inspection is deleted', async () => {
  await using rig = await openRig();
  const { machine, list } = await site(rig);
  const upload = (text: string) =>
    rig.call('equipment_upload_photo', { id: machine.id, content_base64: jpeg(text) }, as('operator'));
  const [photo, forgotten] = [await upload('brake'), await upload('forgotten')];
  assert.deepEqual([photo.kind, photo.content_type, photo.device_id], ['image', 'image/jpeg', null]);
  const inDays = (days: number) => new Date(rig.now + days * 86_400_000).toISOString();
  assert.ok(photo.retention_until !== null && photo.retention_until < inDays(4));
  const submit = (media: string[]) =>
    rig.call('inspections_create', {
      equipment_id: machine.id,
      checklist_id: list.id,
      answers: ITEMS.map(({ id }) => ({
        item_id: id,
        answer: id === 'brake' ? ('not_ok' as const) : ('ok' as const),
        media: id === 'brake' ? media : [],
      })),
    });
  const inspection = await submit([photo.id]);
  const item = inspection.items.find(({ item_id }) => item_id === 'brake');
  assert.deepEqual(item?.media, [photo.id]);
  const ticket = await rig.call('repair_tickets_get', { id: item?.ticket_id ?? '' });
  assert.deepEqual(ticket.context.media, [photo.id]);
  assert.equal((await rig.call('artifacts_get', { id: photo.id })).retention_until, null);
  assert.notEqual((await rig.call('artifacts_get', { id: forgotten.id })).retention_until, null);
  await assert.rejects(submit(['art_00000000000000000000000000']), code('not_found', 'answers'));
});

test('[A524] the number and size of photos are limited, and only pictures are photos', async () => {
  await using rig = await openRig();
  const { machine } = await site(rig);
  const upload = (content_base64: string, role: 'operator' | 'viewer' = 'operator') =>
    rig.call('equipment_upload_photo', { id: machine.id, content_base64 }, as(role));
  await assert.rejects(upload(Buffer.from('<svg>').toString('base64')), code('parameter_invalid', 'content_base64'));
  await assert.rejects(upload(jpeg('x'.repeat(700_000))), code('parameter_invalid', 'content_base64'));
  await assert.rejects(upload(jpeg('x'), 'viewer'), code('permission_denied'));
  for (let i = 0; i < MOST_WAITING_PHOTOS; i++) await upload(jpeg(`${i}`));
  await assert.rejects(upload(jpeg('one more')), code('limit_reached'));
});

test('[A524] an inspection has at most 40 files', async () => {
  await using rig = await openRig();
  const items = Array.from({ length: 5 }, (_, i) => ({ id: `i${i}`, text: `Item ${i}` }));
  const machine = await rig.call('equipment_create', { unit_number: 'HT-104' });
  const list = await rig.call('inspection_checklists_create', { name: 'Long', items });
  const photos: string[] = [];
  for (let i = 0; i < 41; i++) {
    const input = { id: machine.id, content_base64: jpeg(`${i}`) };
    photos.push((await rig.call('equipment_upload_photo', input)).id);
  }
  const submit = (number: number) =>
    rig.call('inspections_create', {
      equipment_id: machine.id,
      checklist_id: list.id,
      answers: items.map(({ id }, i) => ({
        item_id: id,
        answer: 'ok' as const,
        media: photos.slice(i * 9, Math.min(number, i * 9 + 9)),
      })),
    });
  await assert.rejects(submit(41), code('parameter_invalid', 'answers'));
  assert.equal((await submit(40)).items.flatMap(({ media }) => media).length, 40);
});
