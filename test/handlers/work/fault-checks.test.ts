/** Checks and photos with the QR code of a machine, without an account. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';

const code = (wanted: string, param?: string) => (error: OperationError) =>
  error.code === wanted && (param === undefined || error.param === param);

/** The error, with the time that it asks the phone to wait. */
const waits = (most_s: number) => (error: OperationError) => {
  const wait = Number(error.details[0]?.retry_after_s);
  return error.code === 'rate_limited' && wait > most_s - 60 && wait <= most_s;
};

const ANYBODY = { ...as(null, { kind: 'open', id: null, name: 'anonymous' }), project: null } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function machineWithCode(rig: Rig, unit_number = 'HT-03') {
  const machine = await rig.call('equipment_create', { unit_number, kind: 'haul_truck' });
  const { url } = await rig.call('fault_links', { equipment_id: machine.id }, as('supervisor'));
  const token = url?.split('/').at(-1) ?? '';
  const { pass } = await rig.call('fault_reports_page', { token }, ANYBODY);
  return { machine, token, pass };
}

const check = (rig: Rig, token: string, report_id: string, more: object = {}) =>
  rig.call('fault_checks_create', { token, report_id, reporter: 'Ben Kato', ...more }, ANYBODY);

const report = (rig: Rig, token: string, report_id: string, more: object = {}) =>
  rig.call(
    'fault_reports_create',
    { token, report_id, problem: 'brakes_steering', reporter: 'Ben Kato', ...more },
    ANYBODY,
  );

const jpeg = (text: string) =>
  Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(text)]).toString('base64');

const photo = (rig: Rig, { token, pass }: { token: string; pass: string }, n: number, more: object = {}) =>
  rig.call(
    'fault_photos_create',
    {
      ...{ token, pass, reporter: 'Ben Kato', report_id: 'report-1', photo_id: `photo-${n}-xx` },
      content_base64: jpeg(`${n}`),
      ...more,
    },
    ANYBODY,
  );

test('[A990] a check is one event in the log of the machine, with who and when, and changes nothing else', async () => {
  await using rig = await openRig();
  const { machine, token, pass } = await machineWithCode(rig);
  await report(rig, token, 'report-1', { stopped: true });
  const status = (await rig.call('equipment_get', { id: machine.id })).status;
  rig.now += 10 * 60_000;
  const made = await check(rig, token, 'check-01', { pass, written_ago_ms: 5 * 60_000 });
  assert.equal(made.unit_number, 'HT-03');
  const { data } = await rig.call('equipment_events', { id: machine.id, type: 'checked' });
  assert.deepEqual(
    data.map(({ id, actor, occurred_at, data: { result } }) => [id, actor.type, actor.name, occurred_at, result]),
    [[made.id, 'open', 'Ben Kato', made.checked_at, 'ok']],
  );
  const ago_ms = rig.now - Date.parse(made.checked_at);
  assert.ok(ago_ms >= 5 * 60_000 && ago_ms < 6 * 60_000, `the check is of when the person wrote it, ${ago_ms} ms ago`);
  assert.equal((await rig.call('equipment_get', { id: machine.id })).status, status);
  const [ticket] = (await rig.call('repair_tickets_list', {})).data;
  assert.deepEqual([ticket?.status, ticket?.priority], ['flagged', 'critical']);
  const forged = rig.call('equipment_append_event', { id: machine.id, type: 'checked' });
  await assert.rejects(forged, code('read_only_kind', 'type'));
});

test('[A990] a code accepts 12 checks an hour; a revoked code and the pass of another machine are refused', async () => {
  await using rig = await openRig();
  const { machine, token } = await machineWithCode(rig);
  const other = await machineWithCode(rig, 'HT-04');
  await assert.rejects(check(rig, token, 'check-00', { pass: other.pass }), code('writing_pass_refused', 'pass'));
  for (let i = 0; i < LIMITS.fault_checks_per_link.value; i++) await check(rig, token, `check-${10 + i}`);
  await assert.rejects(check(rig, token, 'check-99'), waits(3_600));
  await report(rig, token, 'report-1');
  rig.now += HOUR_MS;
  await check(rig, token, 'check-99');
  await rig.call('fault_links', { equipment_id: machine.id, action: 'revoke' }, as('supervisor'));
  await assert.rejects(check(rig, token, 'check-98'), code('not_found', 'token'));
});

test('[H109] a repeated check or photo gets the first answer and is stored once, also after days', async () => {
  await using rig = await openRig();
  const { machine, token, pass } = await machineWithCode(rig);
  const first = await check(rig, token, 'check-01', { pass });
  await report(rig, token, 'report-1', { pass });
  const shown = await photo(rig, { token, pass }, 1);
  rig.now += 5 * DAY_MS;
  assert.deepEqual(await check(rig, token, 'check-01', { pass, written_ago_ms: 5 * DAY_MS }), first);
  assert.deepEqual(await photo(rig, { token, pass }, 1), shown);
  assert.equal((await rig.call('equipment_events', { id: machine.id, type: 'checked' })).data.length, 1);
  const [ticket] = (await rig.call('repair_tickets_list', {})).data;
  assert.deepEqual(ticket?.context.media, [shown.id]);
  const late = await photo(rig, { token, pass }, 2, { written_ago_ms: 4 * DAY_MS });
  const { captured_at, received_at } = await rig.call('artifacts_get', { id: late.id });
  assert.equal(Math.round((Date.parse(received_at) - Date.parse(captured_at ?? '')) / DAY_MS), 4);
});

test('[A991] a photo is in the ticket of its report and in its log, also if the report joined an older ticket', async () => {
  await using rig = await openRig();
  const { machine, token, pass } = await machineWithCode(rig);
  await report(rig, token, 'report-0');
  const { ticket_number, joined } = await report(rig, token, 'report-1', { pass });
  assert.equal(joined, true);
  const made = await photo(rig, { token, pass }, 1, { reporter: 'Ana Ruiz' });
  assert.equal(made.ticket_number, ticket_number);
  const [ticket] = (await rig.call('repair_tickets_list', { equipment_id: machine.id })).data;
  assert.deepEqual(ticket?.context.media, [made.id]);
  const [added] = (await rig.call('repair_tickets_events', { id: ticket?.id ?? '', type: 'photo.added' })).data;
  assert.deepEqual([added?.actor.name, added?.data.artifact_id], ['Ana Ruiz', made.id]);
  const file = await rig.call('artifacts_get', { id: made.id });
  assert.deepEqual([file.kind, file.content_type, file.subject?.id], ['image', 'image/jpeg', ticket?.id]);
});

test('[A991] what is no picture, is too large, or has no report of this code is refused, and the report stays', async () => {
  await using rig = await openRig();
  const { token, pass } = await machineWithCode(rig);
  const other = await machineWithCode(rig, 'HT-04');
  await assert.rejects(photo(rig, { token, pass }, 1), code('not_found', 'report_id'));
  await report(rig, token, 'report-1', { pass });
  const refused = (content: string) => photo(rig, { token, pass }, 1, { content_base64: content });
  await assert.rejects(refused(Buffer.from('<svg>').toString('base64')), code('parameter_invalid', 'content_base64'));
  await assert.rejects(refused(jpeg('x'.repeat(700_000))), code('parameter_invalid', 'content_base64'));
  await assert.rejects(photo(rig, other, 1), code('not_found', 'report_id'));
  await assert.rejects(photo(rig, { token, pass: other.pass }, 1), code('writing_pass_refused', 'pass'));
  const tickets = (await rig.call('repair_tickets_list', {})).data;
  assert.deepEqual(
    tickets.map(({ status, context }) => [status, context.media]),
    [['flagged', []]],
  );
  assert.equal((await rig.call('artifacts_list', {})).data.length, 0);
});

test('[A992] photos of one report, of one code in an hour, and of all codes in a day are limited, each for a year', async () => {
  await using rig = await openRig();
  const { token, pass } = await machineWithCode(rig);
  const per_report = LIMITS.fault_photos_per_report.value;
  const per_hour = LIMITS.fault_photos_per_link.value;
  let reports = 0;
  /** Sends a report with as many photos as it may have. */
  const fill = async (to: { token: string; pass: string }) => {
    const report_id = `report-${++reports}`;
    await report(rig, to.token, report_id, { pass: to.pass });
    for (let n = 0; n < per_report; n++) await photo(rig, to, n, { report_id });
    return report_id;
  };
  const report_id = await fill({ token, pass });
  await assert.rejects(photo(rig, { token, pass }, 9, { report_id }), code('limit_reached'));
  for (let n = per_report; n < per_hour; n += per_report) await fill({ token, pass });
  await report(rig, token, 'report-x', { pass });
  await assert.rejects(photo(rig, { token, pass }, 1, { report_id: 'report-x' }), waits(3_600));
  rig.now += HOUR_MS;
  const made = await photo(rig, { token, pass }, 1, { report_id: 'report-x' });
  const { retention_until } = await rig.call('artifacts_get', { id: made.id });
  assert.equal(Math.round((Date.parse(retention_until ?? '') - rig.now) / DAY_MS), LIMITS.fault_photo_time.value);
  let kept = per_hour + 1;
  for (let i = 0; kept + per_hour <= LIMITS.fault_photos_per_day.value; i++, kept += per_hour) {
    const one = await machineWithCode(rig, `EX-${i}`);
    for (let n = 0; n < per_hour; n += per_report) await fill(one);
  }
  const last = await machineWithCode(rig, 'GR-01');
  for (; kept < LIMITS.fault_photos_per_day.value; kept++) {
    await report(rig, last.token, `report-y-${kept}`, { pass: last.pass });
    await photo(rig, last, 1, { report_id: `report-y-${kept}` });
  }
  const one = await machineWithCode(rig, 'GR-02');
  await report(rig, one.token, 'report-z', { pass: one.pass });
  const refused = photo(rig, one, 1, { report_id: 'report-z' });
  await assert.rejects(refused, (error: OperationError) => {
    const wait = Number(error.details[0]?.retry_after_s);
    return error.code === 'rate_limited' && wait > 20 * 3_600 && wait <= 24 * 3_600;
  });
  rig.now += DAY_MS;
  await photo(rig, one, 1, { report_id: 'report-z' });
});
