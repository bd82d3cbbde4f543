/** Late writes over HTTP: a repeat after days, who wrote, when, and what a pass cannot do. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PAGE_HEADER, TABLET_PAGE } from '#contract/client.ts';
import { AGO_HEADER, PASS_HEADER } from '#contract/late-writes.ts';
import { DAY_MS, deliver, MINUTE_MS, startLate, tabletOf, ticketOf } from '#test/servers/late-writes.ts';
import { enrol, signIn } from '#test/servers/people.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';

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
});

test('[H100] a late write is carried out once, also if the gateway starts again before the repeat', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-late-'));
  await using _ = { [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }) };
  const send = async ({ project }: TestGateway, at: string, ticket: string, pass: string) => {
    const own = project(at);
    const response = await fetch(own.url('repair_tickets_append_event', { id: ticket }), {
      method: 'POST',
      headers: {
        ...own.headers(),
        'content-type': 'application/json',
        ...{ 'idempotency-key': 'w1', [PASS_HEADER]: pass, [AGO_HEADER]: '0' },
      },
      body: JSON.stringify({ type: 'comment', data: { text: 'Hose' } }),
    });
    const { id } = (await response.json()) as { id?: string };
    return { status: response.status, id, replayed: response.headers.get('idempotent-replayed') };
  };
  let kept: { at: string; ticket: string; pass: string; first: string | undefined };
  {
    await using gateway = await startGateway(folder);
    const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
    const client = gateway.project(project.id);
    const machine = await client.call('equipment_create', { unit_number: 'HT-03' });
    const ticket = await client.call('repair_tickets_create', { title: 'Leak', equipment_id: machine.id });
    const { pass } = await gateway.client.call('writing_passes_create', {});
    const first = await send(gateway, project.id, ticket.id, pass);
    assert.deepEqual([first.status, first.replayed], [201, null]);
    kept = { at: project.id, ticket: ticket.id, pass, first: first.id };
  }
  await using gateway = await startGateway(folder);
  const again = await send(gateway, kept.at, kept.ticket, kept.pass);
  assert.deepEqual(again, { status: 201, id: kept.first, replayed: 'true' });
  const { data } = await gateway.project(kept.at).call('repair_tickets_events', { id: kept.ticket });
  assert.equal(data.filter(({ type }) => type === 'comment').length, 1);
});

test('[H101] the pass ends long before the receipt, so that no repeat finds the receipt gone', async () => {
  await using rig = await startLate();
  const { ticket } = await ticketOf(rig);
  const { browser } = await enrol(rig, 'Olaf Berg', 'mechanic');
  const { pass, issued_at, ends_at } = await browser.client.call('writing_passes_create', {});
  const days = (Date.parse(ends_at) - Date.parse(issued_at)) / DAY_MS;
  assert.equal(days, 45);
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
  const kept = async () => (await rig.store.node.find('local', { object: 'late_receipt', limit: 10 })).length;
  rig.pass(13 * DAY_MS);
  await rig.invoke.sweep();
  assert.equal(await kept(), 1, 'the receipt is older than any pass');
  rig.pass(2 * DAY_MS);
  await rig.invoke.sweep();
  assert.equal(await kept(), 0);
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
  assert.equal(sent.body.data?.time_not_known, undefined);
  // A little more time than there was: the pass was made before.
  const early = await deliver(rig, browser.cookie, { path, body, id: 'w2', pass, ago_ms: 63 * MINUTE_MS });
  assert.deepEqual([early.body.occurred_at, early.body.data?.time_not_known], [issued_at, undefined]);
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

test('[H103] if the clocks do not fit, the event has the time of its arrival and says that its time is not known', async () => {
  await using rig = await startLate();
  rig.freeze();
  const { machine, ticket } = await ticketOf(rig);
  const olaf = await enrol(rig, 'Olaf Berg', 'mechanic');
  const ada = await enrol(rig, 'Ada Nyström', 'mechanic');
  const { pass } = await olaf.browser.client.call('writing_passes_create', {});
  rig.pass(60 * MINUTE_MS);
  await ada.browser.client.call('equipment_take', { id: machine.id });
  rig.pass(MINUTE_MS);
  const note = { path: `repair-tickets/${ticket.id}/events`, body: { type: 'comment', data: { text: 'Hose' } }, pass };
  const send = (id: string, ago_ms: number | 'unknown') => deliver(rig, olaf.browser.cookie, { ...note, id, ago_ms });
  // The tablet started with a clock of another year; or its two clocks do not agree, and it says so.
  for (const [id, ago] of [
    ['w1', 800 * DAY_MS],
    ['w2', 'unknown'],
  ] as const) {
    const { body } = await send(id, ago);
    assert.deepEqual([body.occurred_at, body.data?.time_not_known], [new Date(rig.now()).toISOString(), true], id);
  }
  const move = { method: 'PATCH', path: `repair-tickets/${ticket.id}`, body: { status: 'in_progress' }, pass };
  assert.equal((await deliver(rig, olaf.browser.cookie, { ...move, id: 'w3', ago_ms: 'unknown' })).status, 200);
  const { data } = await rig.client().call('repair_tickets_events', { id: ticket.id, type: 'status_changed' });
  assert.equal(data[0]?.data.time_not_known, true);
  // Ada took the machine at a time at which Olaf may have written before.
  const take = { path: `equipment/${machine.id}/take`, id: 'w4', pass, ago_ms: 'unknown' } as const;
  assert.equal((await deliver(rig, olaf.browser.cookie, take)).body.error?.code, 'revision_mismatch');
});

test('[H103] the time of a late write is right by the present clock, also if somebody set the clock back after the pass was made', async () => {
  await using rig = await startLate();
  const { ticket } = await ticketOf(rig);
  const { browser } = await enrol(rig, 'Olaf Berg', 'mechanic');
  rig.pass(120 * MINUTE_MS);
  const { pass } = await browser.client.call('writing_passes_create', {});
  rig.pass(-120 * MINUTE_MS);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const note = { path: `repair-tickets/${ticket.id}/events`, body: { type: 'comment', data: { text: 'Hose' } }, pass };
  const { body } = await deliver(rig, browser.cookie, { ...note, id: 'w1', ago_ms: 200 });
  const lag = Date.parse(body.recorded_at ?? '') - Date.parse(body.occurred_at ?? '');
  assert.ok(lag >= 200 && lag < 5_000, `${lag} ms`);
  assert.equal(body.data?.time_not_known, undefined);
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
  const { pass: next } = await anybody.call('fault_reports_page', { token });
  for (const [digit, written_ago_ms] of [
    ['1', 800 * DAY_MS],
    ['2', null],
  ] as const) {
    const unsure = {
      ...report,
      pass: next,
      problem: 'tyres_tracks',
      report_id: digit.repeat(32),
      written_ago_ms,
    } as const;
    await anybody.call('fault_reports_create', unsure);
  }
  const other = (await rig.client().call('repair_tickets_list', {})).data.find(({ id }) => id !== data[0]?.id);
  const { data: events } = await rig.client().call('repair_tickets_events', { id: other?.id ?? '' });
  assert.deepEqual(events.map((event) => [event.type, event.data.time_not_known]).sort(), [
    ['flagged', true],
    ['report.joined', true],
  ]);
  assert.ok(Math.abs(Date.parse(other?.flagged_at ?? '') - rig.now()) < MINUTE_MS);
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
