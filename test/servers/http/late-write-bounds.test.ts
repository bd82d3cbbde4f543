/** Late writes over HTTP: how many receipts the gateway keeps, what a receipt has, and what ends a pass. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, deliver, PIN, startLate, tabletOf, ticketOf } from '#test/servers/late-writes.ts';
import { enrol, PASSPHRASE, signIn } from '#test/servers/people.ts';
import type { Rig } from '#test/servers/rig.ts';

const MANY = { items: 1_000_000, bytes: 1_000_000_000 };
const noteOn = (ticket: { readonly id: string }, text = 'Hose') => ({
  path: `repair-tickets/${ticket.id}/events`,
  body: { type: 'comment', data: { text } },
  ago_ms: 0,
});

/** A person with a pass; `send` sends a late comment. */
async function writer(rig: Rig, name: string, ticket: { readonly id: string }) {
  const { browser } = await enrol(rig, name, 'mechanic');
  const { pass } = await browser.client.call('writing_passes_create', {});
  return {
    pass,
    cookie: browser.cookie,
    send: async (id: string) => (await deliver(rig, browser.cookie, { ...noteOn(ticket), id, pass })).status,
  };
}

test('[H100] at the bound of a person, and at that of the site, new late writes get 429, and repeats their answer', async () => {
  await using rig = await startLate({ lateBounds: { person: { ...MANY, items: 2 }, site: { ...MANY, items: 3 } } });
  const { ticket } = await ticketOf(rig);
  const olaf = await writer(rig, 'Olaf Berg', ticket);
  const ada = await writer(rig, 'Ada Nyström', ticket);
  assert.deepEqual([await olaf.send('o1'), await olaf.send('o2'), await olaf.send('o3')], [201, 201, 429]);
  assert.equal(await ada.send('a1'), 201, 'the bound of Olaf is not the bound of Ada');
  assert.equal(await ada.send('a2'), 429, 'the site has three');
  assert.equal(await olaf.send('o1'), 201);
  rig.pass(61 * DAY_MS);
  await rig.invoke.sweep();
  const later = await signIn(rig, 'Olaf Berg');
  const { pass } = await later.client.call('writing_passes_create', {});
  const again = await deliver(rig, later.cookie, { ...noteOn(ticket), id: 'o4', pass });
  assert.equal(again.status, 201, 'the receipts have expired');
});

test('[H100] the bounds in bytes count the receipts of a person, and those of the site', async () => {
  for (const bound of ['person', 'site'] as const) {
    const bounds = { person: MANY, site: MANY, [bound]: { ...MANY, bytes: 1_100 } };
    await using rig = await startLate({ lateBounds: bounds });
    const { ticket } = await ticketOf(rig);
    const olaf = await writer(rig, 'Olaf Berg', ticket);
    const ada = await writer(rig, 'Ada Nyström', ticket);
    assert.deepEqual([await olaf.send('o1'), await olaf.send('o2')], [201, 429], bound);
    assert.equal(await ada.send('a1'), bound === 'person' ? 201 : 429, bound);
  }
});

test('[H100] the count of receipts includes those that were stored before the start', async () => {
  await using rig = await startLate({ lateBounds: { person: { ...MANY, items: 1 }, site: MANY } });
  const { ticket } = await ticketOf(rig);
  const { id, browser } = await enrol(rig, 'Olaf Berg', 'mechanic');
  const { pass } = await browser.client.call('writing_passes_create', {});
  const call = (invoke: Rig['invoke'], key: string) =>
    invoke.call({
      name: 'repair_tickets_append_event',
      caller: {
        ...{ kind: 'user', id, name: 'Olaf Berg', role: 'mechanic', project_ids: null, device: null },
        ...{ device_project: null, door: 'rest', address: '127.0.0.1', base_url: rig.base },
      },
      input: { id: ticket.id, type: 'comment', data: { text: 'Hose' } },
      project_id: rig.project,
      idempotency_key: key,
      request_id: 'req_1',
      late: { pass, ago_ms: 0 },
    });
  assert.equal((await call(rig.invoke, 'o1')).status, 201);
  await assert.rejects(call(rig.openInvoke(), 'o2'), { code: 'rate_limited' });
});

test('[H100] a receipt of a late write has only the id and the revision, however long the answer was', async () => {
  await using rig = await startLate();
  const { ticket } = await ticketOf(rig);
  const { cookie, pass } = await writer(rig, 'Olaf Berg', ticket);
  const note = { ...noteOn(ticket, 'x'.repeat(50_000)), id: 'w1', pass };
  const first = await deliver(rig, cookie, note);
  const [receipt] = await rig.store.node.find<{ bytes: number }>('local', { object: 'late_receipt', limit: 10 });
  const size = JSON.stringify(receipt?.data).length;
  assert.ok(size < 1_000 && Math.abs(size - (receipt?.data.bytes ?? 0)) < 20, String(size));
  const again = await deliver(rig, cookie, note);
  assert.deepEqual([again.status, again.replayed], [201, true]);
  assert.deepEqual(Object.keys(again.body).sort(), ['id', 'object', 'sequence']);
  assert.equal(again.body.id, first.body.id);
});

test('[H104] fault reports of people without an account take no room from the late writes of people', async () => {
  await using rig = await startLate({ lateBounds: { person: { ...MANY, items: 1 }, site: { ...MANY, items: 1 } } });
  const { machine, ticket } = await ticketOf(rig);
  const { url } = await rig.client().call('fault_links', { equipment_id: machine.id });
  const token = url?.split('/report/')[1] ?? '';
  const anybody = rig.client(null, null);
  const { pass } = await anybody.call('fault_reports_page', { token });
  const olaf = await writer(rig, 'Olaf Berg', ticket);
  for (const digit of ['1', '2', '3', '4'])
    await anybody.call('fault_reports_create', {
      ...{ token, problem: 'leak', reporter: 'Ana', pass, report_id: digit.repeat(32) },
    });
  await rig.invoke.sweep();
  const kept = async (object: string) => (await rig.store.node.find('local', { object, limit: 10 })).length;
  assert.deepEqual([await kept('fault_receipt'), await kept('late_receipt')], [4, 0]);
  assert.equal(await olaf.send('o1'), 201);
});

test('[K42] [H102] a write with a PIN stays in the project of the tablet, also with an own pass', async () => {
  await using rig = await startLate();
  const tablet = await tabletOf(rig, ['Olaf Berg']);
  const far = await rig.client(undefined, rig.other).call('equipment_create', { unit_number: 'FAR-1' });
  await tablet.signIn('Olaf Berg');
  const onTablet = await tablet.pass();
  const own = await signIn(rig, 'Olaf Berg');
  const { pass: elsewhere } = await own.client.call('writing_passes_create', {});
  const take = { path: `equipment/${far.id}/take`, project: rig.other, ago_ms: 0 };
  // The user may work in both projects, but not with a PIN: neither with a pass of the tablet, nor with one of the own browser.
  for (const [id, cookie, pass] of [
    ['w1', tablet.cookie(), onTablet],
    ['w2', tablet.cookie(), elsewhere],
    ['w3', own.cookie, onTablet],
  ] as const) {
    const { status, body } = await deliver(rig, cookie, { ...take, id, pass });
    assert.deepEqual([status, body.error?.code], [404, 'project_not_found'], id);
  }
  assert.equal((await deliver(rig, own.cookie, { ...take, id: 'w4', pass: elsewhere })).status, 200);
});

test('[H105] a pass ends with a new PIN or passphrase, the end of a session, disabling, and a new enrolment of the tablet', async () => {
  await using rig = await startLate();
  const { ticket } = await ticketOf(rig);
  const tablet = await tabletOf(rig, ['Olaf Berg']);
  const id = tablet.people.get('Olaf Berg') ?? '';
  const own = await signIn(rig, 'Olaf Berg');
  const admin = rig.client();
  const ends: Record<string, () => Promise<unknown>> = {
    'own PIN': () => own.client.call('users_pin', { id, current: PASSPHRASE, pin: PIN }),
    session: async () => {
      const { data } = await own.client.call('sessions_list', {});
      const other = data.find(({ current, tablet_id }) => !current && tablet_id !== null);
      return admin.call('sessions_revoke', { id: other?.id ?? '' });
    },
    disabling: async () => {
      await admin.call('users_update', { id, disabled: true });
      await admin.call('users_update', { id, disabled: false });
    },
    enrolment: () => tablet.enrolAgain(),
    'PIN reset': () => admin.call('users_pin_reset', { id }),
  };
  for (const [what, end] of Object.entries(ends)) {
    await tablet.signIn('Olaf Berg');
    const pass = await tablet.pass();
    const note = { ...noteOn(ticket), pass };
    const before = await deliver(rig, tablet.cookie(), { ...note, id: `${what} 1`.replaceAll(' ', '') });
    assert.equal(before.status, 201, what);
    await end();
    tablet.forget();
    const lone = (key: string) => deliver(rig, tablet.cookie(), { ...note, id: key }, 'tablet');
    const after = await lone(`${what} 2`.replaceAll(' ', ''));
    assert.deepEqual([after.status, after.body.error?.code], [403, 'writing_pass_refused'], what);
    const reason = what === 'enrolment' ? 'tablet_changed' : 'pass_ended';
    assert.match(
      JSON.stringify(after.body.error?.details),
      new RegExp(`"reason":"${reason}","name":"Olaf Berg"`),
      what,
    );
    assert.match(after.body.error?.message ?? '', /The gateway does not have this write.*write it again/, what);
    // What the gateway has, it has: the answer of a repeat does not tempt a person to write it twice.
    const repeat = await lone(`${what} 1`.replaceAll(' ', ''));
    assert.deepEqual([repeat.status, repeat.replayed, repeat.body.id], [201, true, before.body.id], what);
  }
});

test('[H105] a person who signs out, or is replaced on the tablet by the next one, ends no pass', async () => {
  await using rig = await startLate();
  const { ticket } = await ticketOf(rig);
  const { cookie, pass } = await writer(rig, 'Olaf Berg', ticket);
  const first = await signIn(rig, 'Olaf Berg');
  await first.client.call('session_end', {});
  assert.equal((await deliver(rig, cookie, { ...noteOn(ticket), id: 'w1', pass })).status, 201);
});
