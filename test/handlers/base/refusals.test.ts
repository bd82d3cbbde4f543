/** What is refused although its shape fits: it would be a lie, a twin, or nothing that exists. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { ClientError } from '#contract/client.ts';
import { TIME_USAGE } from '#contract/work/shift-report.ts';
import { startGateway } from '#test/support/gateway.ts';
import { openRig } from '#test/support/handler-rig.ts';

const refused = (code: string, param: string) => (error: OperationError) =>
  error.code === code && error.param === param;

test('[A5] unit numbers that differ only in invisible characters are the same number', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-14', aliases: ['Truck 14'] });
  for (const twin of ['HT\u200b-14', 'HT-14\ufeff', '\u2060HT-14', 'ht\u00ad-14', 'HT-1\u200d4', 'Truck\u200c 14'])
    await assert.rejects(
      rig.call('equipment_create', { unit_number: twin }),
      (error: OperationError) => error.code === 'already_exists' && error.details[0]?.held_by === id,
    );
  assert.equal((await rig.call('equipment_list', { unit_number: 'HT\u200b-14' })).data[0]?.id, id);
  await rig.call('operators_create', { name: 'Ada', badge_id: 'B1' });
  await assert.rejects(
    rig.call('operators_create', { name: 'Eve', badge_id: 'B\u200b1' }),
    refused('already_exists', 'badge_id'),
  );
});

test('[A613] a project needs an http url and an IANA time zone, and a change needs its own Project-ID', async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const code = (wanted: string) => (error: ClientError) => error.code === wanted;
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'ftp://a.example'])
    await assert.rejects(client.call('projects_create', { url }), code('parameter_invalid'));
  const { project } = await client.call('projects_create', { name: 'A', url: 'https://quarry.example/x' });
  const { project: other } = await client.call('projects_create', { name: 'B' });
  await assert.rejects(
    client.call('projects_update', { id: project.id, url: 'javascript:1' }),
    code('parameter_invalid'),
  );
  for (const timezone of ['+08:00', '-0330', '+14', 'Nowhere/Land', ''])
    for (const call of [
      () => client.call('projects_create', { timezone }),
      () => client.call('projects_update', { id: project.id, timezone }),
      () => gateway.project(project.id).call('locations_create', { name: 'Pit', timezone }),
    ])
      await assert.rejects(call(), code('parameter_invalid'), timezone);
  for (const timezone of ['Australia/Perth', 'Etc/GMT-8', 'UTC'])
    assert.equal((await client.call('projects_update', { id: project.id, timezone })).timezone, timezone);
  await assert.rejects(
    gateway.project(other.id).call('projects_update', { id: project.id, name: 'C' }),
    code('project_mismatch'),
  );
  assert.equal((await gateway.project(project.id).call('projects_update', { id: project.id, name: 'C' })).name, 'C');
  assert.equal((await client.call('projects_get', { id: other.id })).name, 'B');
});

test('[A611] overlapping widgets are refused with their positions, and adjacent ones are not', async () => {
  await using rig = await openRig();
  const widget = (x: number, y: number, w: number, h: number) => ({
    type: 'text' as const,
    params: { text: 'a' },
    position: { x, y, w, h },
  });
  const make = (...widgets: ReturnType<typeof widget>[]) => rig.call('dashboards_create', { name: 'A', widgets });
  const { id } = await make(widget(0, 0, 6, 6), widget(6, 0, 6, 3), widget(6, 3, 6, 3));
  for (const second of [widget(0, 0, 6, 6), widget(5, 5, 1, 1), widget(2, 2, 1, 1), widget(0, 5, 12, 1)])
    await assert.rejects(make(widget(0, 0, 6, 6), second), refused('parameter_invalid', 'widgets[1].position'));
  const widgets = [widget(0, 0, 2, 2), widget(4, 0, 2, 2), widget(1, 1, 4, 1)];
  await assert.rejects(
    rig.call('dashboards_update', { id, widgets }),
    refused('parameter_invalid', 'widgets[2].position'),
  );
});

test('[A610] a fuel.added event with a negative or impossible amount is refused', async () => {
  await using rig = await openRig();
  const { id } = await rig.call('equipment_create', { unit_number: 'HT-1' });
  const add = (data: Record<string, unknown>) => rig.call('equipment_append_event', { id, type: 'fuel.added', data });
  for (const key of ['litres', 'liters', 'l', 'fuel_l', 'amount', 'amount_l', 'quantity', 'volume_l', 'Litres'])
    for (const value of [-500, -0.1, 1e9, '500', null])
      await assert.rejects(add({ [key]: value }), refused('parameter_invalid', `data.${key}`));
  await add({ litres: 500, latitude: -23.5, note: 'bowser 2' });
  assert.equal((await rig.call('equipment_events', { id, type: 'fuel.added' })).data.length, 1);
});

test('[A612] a custom action names a skill that was imported', async () => {
  await using rig = await openRig();
  const action = { label: 'Check', emoji: '⛽', prompt: 'Which machines need fuel?' };
  const missing = refused('not_found', 'skill_id');
  await assert.rejects(rig.call('custom_actions_create', { ...action, skill_id: 'fuel' }), missing);
  const { id } = await rig.call('custom_actions_create', action);
  await assert.rejects(rig.call('custom_actions_update', { id, skill_id: 'fuel' }), missing);
  await rig.call('skills_import', { skill_id: 'fuel', name: 'Fuel', files: [{ path: 'SKILL.md', content: '# Fuel' }] });
  assert.equal((await rig.call('custom_actions_update', { id, skill_id: 'fuel' })).skill_id, 'fuel');
});

test('[A614] stoppages are not longer than the downtime of the shift, and do not overlap on one machine', async () => {
  await using rig = await openRig();
  const { id: location_id } = await rig.call('locations_create', { name: 'Pit' });
  const machine = await rig.call('equipment_create', { unit_number: 'HT-1' });
  const other = await rig.call('equipment_create', { unit_number: 'HT-2' });
  const none = Object.fromEntries(TIME_USAGE.map((name) => [name, 0])) as Record<(typeof TIME_USAGE)[number], number>;
  let shifts = 0;
  const submit = (unscheduled_downtime: number, ...stops: [from: string, to: string, equipment_id?: string][]) =>
    rig.call('shift_reports_create', {
      location_id,
      shift: {
        name: `day ${++shifts}`,
        date: '2026-11-20',
        starts_at: '2026-11-20T06:00:00Z',
        ends_at: '2026-11-20T18:00:00Z',
        timezone: 'UTC',
      },
      stopped: stops.map(([from, to, equipment_id = machine.id]) => ({
        equipment_id,
        started_at: `2026-11-20T${from}Z`,
        ended_at: `2026-11-20T${to}Z`,
        category: 'unscheduled_downtime' as const,
      })),
      time_usage: [
        {
          equipment_id: machine.id,
          minutes: { ...none, productive: 720 - unscheduled_downtime, unscheduled_downtime },
        },
      ],
    });
  await submit(60, ['08:00:00', '08:30:00'], ['09:00:00', '09:30:30']);
  await submit(0, ['08:00:00', '12:00:00', other.id]);
  await assert.rejects(submit(60, ['08:00:00', '09:01:00']), refused('parameter_invalid', 'stopped[0]'));
  await assert.rejects(
    submit(60, ['09:00:00', '09:31:00'], ['08:00:00', '08:30:00']),
    refused('parameter_invalid', 'stopped[0]'),
  );
  await assert.rejects(
    submit(600, ['08:00:00', '09:00:00'], ['08:30:00', '09:30:00']),
    refused('parameter_invalid', 'stopped[1]'),
  );
});
