/** Late writes over HTTP: a repeat after days, who wrote, when, and what a pass cannot do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '#contract/base/limits.ts';
import { PAGE_HEADER, TABLET_PAGE } from '#contract/client.ts';
import { AGO_HEADER, PASS_HEADER } from '#contract/late-writes.ts';
import { sessionHandlers } from '#handlers/access/sessions.ts';
import { tabletSignInHandlers } from '#handlers/access/tablet-sign-in.ts';
import { tabletHandlers } from '#handlers/access/tablets.ts';
import { userPinHandlers } from '#handlers/access/user-pins.ts';
import { userHandlers } from '#handlers/access/users.ts';
import { writingPassHandlers } from '#handlers/access/writing-passes.ts';
import { eventHandlers } from '#handlers/base/events.ts';
import { equipmentHandlers } from '#handlers/fleet/equipment.ts';
import { equipmentTakeHandlers } from '#handlers/fleet/equipment-take.ts';
import { faultLinkHandlers, faultReportHandlers } from '#handlers/work/fault-reports.ts';
import { repairTicketHandlers } from '#handlers/work/repair-tickets.ts';
import { enrol, PASSPHRASE, signIn } from '#test/servers/people.ts';
import { type Rig, startRig } from '#test/servers/rig.ts';
import { startGateway } from '#test/support/gateway.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PIN = '730164';

const startLate = () =>
  startRig({
    groups: [
      userHandlers,
      sessionHandlers,
      userPinHandlers,
      tabletHandlers,
      tabletSignInHandlers,
      writingPassHandlers,
      eventHandlers,
      equipmentHandlers,
      equipmentTakeHandlers,
      repairTicketHandlers,
      faultLinkHandlers,
      faultReportHandlers,
    ],
    http: { requestsPerMinute: 1_000_000 },
  });

/** A write that a browser kept. */
interface Kept {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly id: string;
  readonly pass: string;
  readonly ago_ms: number;
  readonly if_match?: number;
}

interface Answer {
  readonly id?: string;
  readonly revision?: number;
  readonly actor?: { readonly name: string };
  readonly taken?: { readonly by: string; readonly at: string };
  readonly started_at?: string;
  readonly occurred_at?: string;
  readonly recorded_at?: string;
  readonly error?: { readonly code: string; readonly details: object[] };
}

/** Sends a late write with the cookies of a browser. */
async function deliver(rig: Rig, cookie: string, write: Kept, as = '1') {
  const response = await fetch(`${rig.base}/api/v1/${write.path}`, {
    method: write.method ?? 'POST',
    headers: {
      cookie,
      origin: rig.base,
      'content-type': 'application/json',
      'project-id': rig.project,
      'idempotency-key': write.id,
      [PAGE_HEADER]: as,
      [PASS_HEADER]: write.pass,
      [AGO_HEADER]: String(write.ago_ms),
      ...(write.if_match !== undefined && { 'if-match': `"${write.if_match}"` }),
    },
    body: JSON.stringify(write.body ?? {}),
  });
  const body = (await response.json()) as Answer;
  return { status: response.status, replayed: response.headers.get('idempotent-replayed') === 'true', body };
}

async function ticketOf(rig: Rig) {
  const machine = await rig.client().call('equipment_create', { unit_number: 'HT-03' });
  const ticket = await rig.client().call('repair_tickets_create', { title: 'Leak', equipment_id: machine.id });
  return { machine, ticket };
}

/** A tablet with the people who may use it; each has a PIN. */
async function tabletOf(rig: Rig, names: readonly string[]) {
  const people = new Map<string, string>();
  for (const name of names) {
    const { id, browser } = await enrol(rig, name, 'mechanic');
    await browser.client.call('users_pin', { id, current: PASSPHRASE, pin: PIN });
    people.set(name, id);
  }
  const made = await rig.client().call('tablets_create', { name: 'Workshop', roles: ['mechanic'] });
  const jar = new Map<string, string>();
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', [PAGE_HEADER]: '1', cookie: cookie(), origin: rig.base };
    const response = await fetch(`${rig.base}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    assert.equal(response.status, 201, await response.clone().text());
    return (await response.json()) as Record<string, string>;
  };
  await ask('tablet-enrolments', { token: made.url.split('#tablet=')[1] });
  return {
    id: made.tablet.id,
    people,
    cookie,
    signIn: (name: string) => ask('tablet/session', { user_id: people.get(name), pin: PIN }),
    pass: async () => (await ask('writing-passes', {})).pass ?? '',
    /** Forgets the session of the person; the tablet stays enrolled. */
    forget: () => {
      for (const name of jar.keys()) if (!name.includes('tablet')) jar.delete(name);
    },
  };
}

test('[H100] a late write that is repeated after five days is carried out once', async () => {
  await using rig = await startLate();
  const { ticket } = await ticketOf(rig);
  const { browser } = await enrol(rig, 'Olaf Berg', 'mechanic');
  const { pass } = await browser.client.call('writing_passes_create', {});
  const note = { path: `repair-tickets/${ticket.id}/events`, body: { type: 'comment', data: { text: 'Hose' } }, pass };
  const move = { method: 'PATCH', path: `repair-tickets/${ticket.id}`, body: { status: 'in_progress' }, pass };
  const first = await deliver(rig, browser.cookie, { ...note, id: 'w1', ago_ms: 0 });
  const moved = await deliver(rig, browser.cookie, { ...move, id: 'w2', ago_ms: 0, if_match: ticket.revision });
  assert.deepEqual([first.status, moved.status], [201, 200], JSON.stringify(moved.body));
  rig.pass(5 * DAY_MS);
  await rig.invoke.sweep();
  const again = await deliver(rig, browser.cookie, { ...note, id: 'w1', ago_ms: 5 * DAY_MS });
  assert.deepEqual([again.status, again.replayed, again.body.id], [201, true, first.body.id]);
  const twice = await deliver(rig, browser.cookie, {
    ...move,
    id: 'w2',
    ago_ms: 5 * DAY_MS,
    if_match: ticket.revision,
  });
  assert.deepEqual([twice.status, twice.replayed, twice.body.revision], [200, true, moved.body.revision]);
  const { data } = await rig.client().call('repair_tickets_events', { id: ticket.id });
  assert.equal(data.filter(({ type }) => type === 'comment').length, 1);
  // A key of an ordinary write would have been forgotten by now.
  assert.ok(LIMITS.receipt.value * 3_600_000 < 5 * DAY_MS);
});

test('[H101] the pass ends long before the receipt, so that no repeat finds the receipt gone', async () => {
  await using rig = await startLate();
  const { ticket } = await ticketOf(rig);
  const { browser } = await enrol(rig, 'Olaf Berg', 'mechanic');
  const { pass, issued_at, ends_at } = await browser.client.call('writing_passes_create', {});
  const days = (Date.parse(ends_at) - Date.parse(issued_at)) / DAY_MS;
  assert.ok(days === LIMITS.writing_pass.value && days + 7 < LIMITS.late_receipt.value);
  const note = { path: `repair-tickets/${ticket.id}/events`, body: { type: 'comment', data: { text: 'Hose' } }, pass };
  assert.equal((await deliver(rig, browser.cookie, { ...note, id: 'w1', ago_ms: 0 })).status, 201);
  rig.pass((days - 1) * DAY_MS);
  await rig.invoke.sweep();
  const later = (await signIn(rig, 'Olaf Berg')).cookie;
  // The clock of the browser was set back, so it says that the write is new.
  assert.equal((await deliver(rig, later, { ...note, id: 'w1', ago_ms: 0 })).replayed, true);
  rig.pass(2 * DAY_MS);
  const old = await deliver(rig, (await signIn(rig, 'Olaf Berg')).cookie, { ...note, id: 'w1', ago_ms: 0 });
  assert.deepEqual([old.status, old.body.error?.code], [403, 'writing_pass_refused']);
  assert.match(JSON.stringify(old.body.error?.details), /too_old/);
  rig.pass(30 * DAY_MS);
  await rig.invoke.sweep();
  assert.equal((await rig.store.node.find('local', { object: 'late_receipt', limit: 10 })).length, 0);
});

test('[H102] on a shared tablet the next person, or the tablet alone, sends what another person wrote, in the name of that person', async () => {
  await using rig = await startLate();
  const { ticket } = await ticketOf(rig);
  const tablet = await tabletOf(rig, ['Olaf Berg', 'Ada Nyström']);
  await tablet.signIn('Olaf Berg');
  const pass = await tablet.pass();
  const note = { path: `repair-tickets/${ticket.id}/events`, body: { type: 'comment', data: { text: 'Hose' } }, pass };
  await tablet.signIn('Ada Nyström');
  const byAda = await deliver(rig, tablet.cookie(), { ...note, id: 'w1', ago_ms: 0 });
  tablet.forget();
  const alone = await deliver(rig, tablet.cookie(), { ...note, id: 'w2', ago_ms: 0 }, TABLET_PAGE);
  for (const { status, body } of [byAda, alone]) {
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body.actor?.name, 'Olaf Berg');
  }
  // A repeat by the tablet of what Ada sent is still the same write.
  assert.equal((await deliver(rig, tablet.cookie(), { ...note, id: 'w1', ago_ms: 5 }, TABLET_PAGE)).replayed, true);

  const other = await enrol(rig, 'Bo Lindqvist', 'mechanic');
  const foreign = await deliver(rig, other.browser.cookie, { ...note, id: 'w3', ago_ms: 0 });
  assert.deepEqual([foreign.status, foreign.body.error?.code], [403, 'writing_pass_refused']);
  assert.match(JSON.stringify(foreign.body.error?.details), /"reason":"person","name":"Olaf Berg"/);
  const without = await fetch(`${rig.base}/api/v1/repair-tickets/${ticket.id}`, {
    headers: { cookie: tablet.cookie(), [PAGE_HEADER]: TABLET_PAGE, 'project-id': rig.project },
  });
  assert.equal(without.status, 401, 'without a pass the tablet alone reads nothing');
  const wide = await deliver(
    rig,
    tablet.cookie(),
    { path: 'equipment', body: { unit_number: 'X' }, id: 'w4', pass, ago_ms: 0 },
    TABLET_PAGE,
  );
  assert.deepEqual([wide.status, wide.body.error?.code], [400, 'parameter_invalid']);

  await rig.client().call('users_update', { id: tablet.people.get('Olaf Berg') ?? '', disabled: true });
  const ended = await deliver(rig, tablet.cookie(), { ...note, id: 'w5', ago_ms: 0 }, TABLET_PAGE);
  assert.match(JSON.stringify(ended.body.error), /writing_pass_refused.*"reason":"ended"/);
});

test('[H103] the time of a late write is when the person wrote it, within what the gateway can know', async () => {
  await using rig = await startLate();
  rig.freeze();
  const { machine, ticket } = await ticketOf(rig);
  const { browser } = await enrol(rig, 'Olaf Berg', 'mechanic');
  const { pass, issued_at } = await browser.client.call('writing_passes_create', {});
  rig.pass(60 * MINUTE_MS);
  const written = new Date(rig.now() - 20 * MINUTE_MS).toISOString();
  const path = `repair-tickets/${ticket.id}/events`;
  const body = { type: 'comment', data: { text: 'Hose' } };
  const sent = await deliver(rig, browser.cookie, { path, body, id: 'w1', pass, ago_ms: 20 * MINUTE_MS });
  assert.equal(sent.body.occurred_at, written);
  assert.equal(sent.body.recorded_at, new Date(rig.now()).toISOString());
  // A clock that was wrong by years: not before the pass was made.
  const wrong = await deliver(rig, browser.cookie, { path, body, id: 'w2', pass, ago_ms: 4_000 * DAY_MS });
  assert.equal(wrong.body.occurred_at, issued_at);
  const move = { method: 'PATCH', path: `repair-tickets/${ticket.id}`, body: { status: 'in_progress' }, pass };
  const moved = await deliver(rig, browser.cookie, { ...move, id: 'w3', ago_ms: 20 * MINUTE_MS });
  assert.equal(moved.body.started_at, written);
  const taken = await deliver(rig, browser.cookie, {
    path: `equipment/${machine.id}/take`,
    id: 'w4',
    pass,
    ago_ms: 20 * MINUTE_MS,
  });
  assert.equal(taken.body.taken?.at, written);
  for (const ago of ['-1', '1.5', 'soon', '']) {
    const bad = await deliver(rig, browser.cookie, { path, body, id: 'w5', pass, ago_ms: ago as never });
    assert.equal(bad.body.error?.code, 'parameter_invalid', ago);
  }
});

test('[H103] a late "I take it" does not replace a person who took the machine meanwhile', async () => {
  await using rig = await startLate();
  const { machine } = await ticketOf(rig);
  const olaf = await enrol(rig, 'Olaf Berg', 'mechanic');
  const ada = await enrol(rig, 'Ada Nyström', 'mechanic');
  const { pass } = await olaf.browser.client.call('writing_passes_create', {});
  rig.pass(60 * MINUTE_MS);
  await ada.browser.client.call('equipment_take', { id: machine.id });
  const take = { path: `equipment/${machine.id}/take`, id: 'w1', pass };
  const late = await deliver(rig, olaf.browser.cookie, { ...take, ago_ms: 30 * MINUTE_MS });
  assert.equal(late.body.error?.code, 'revision_mismatch');
  assert.match(JSON.stringify(late.body.error?.details), /Ada Nyström/);
  // He saw it and decides now.
  rig.pass(1_000);
  const now = await deliver(rig, olaf.browser.cookie, { ...take, ago_ms: 0 });
  assert.equal(now.body.taken?.by, 'Olaf Berg');
});

test('[H104] a fault report that a phone kept for days makes one ticket, with the time at which it was written', async () => {
  await using rig = await startLate();
  const machine = await rig.client().call('equipment_create', { unit_number: 'HT-03' });
  const { url } = await rig.client().call('fault_links', { equipment_id: machine.id });
  const token = url?.split('/report/')[1] ?? '';
  const anybody = rig.client(null, null);
  const { pass } = await anybody.call('fault_reports_page', { token });
  rig.pass(2 * DAY_MS);
  const report = { token, problem: 'leak', reporter: 'Ana', report_id: 'a'.repeat(32), pass } as const;
  const first = await anybody.call('fault_reports_create', { ...report, written_ago_ms: DAY_MS });
  const written = rig.now() - DAY_MS;
  rig.pass(5 * DAY_MS);
  await rig.invoke.sweep();
  const again = await anybody.call('fault_reports_create', { ...report, written_ago_ms: 6 * DAY_MS });
  assert.deepEqual([again.ticket_number, again.joined], [first.ticket_number, false]);
  const { data } = await rig.client().call('repair_tickets_list', {});
  assert.equal(data.length, 1);
  assert.ok(Math.abs(Date.parse(data[0]?.flagged_at ?? '') - written) < MINUTE_MS);
  rig.pass(40 * DAY_MS);
  await assert.rejects(
    anybody.call('fault_reports_create', { ...report, written_ago_ms: 0 }),
    (error: { code: string }) => error.code === 'writing_pass_refused',
  );
});

test('[H100] a pass of another gateway, or a changed one, is refused with a named error', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await client.call('equipment_create', { unit_number: 'HT-03' });
  const { pass } = await gateway.client.call('writing_passes_create', {});
  const send = async (given: string) => {
    const response = await fetch(client.url('equipment_take', { id: machine.id }), {
      method: 'POST',
      headers: { ...client.headers(), 'idempotency-key': 'w1', [PASS_HEADER]: given, [AGO_HEADER]: '0' },
    });
    return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code];
  };
  const changed = `${pass.slice(0, -3)}${pass.at(-3) === 'A' ? 'B' : 'A'}${pass.slice(-2)}`;
  assert.deepEqual(await send(changed), [403, 'writing_pass_refused']);
  assert.deepEqual(await send(pass), [200, undefined]);
});
