/** Texts and defaults of the pages of shifts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIME_USAGE } from '#contract/work/shift-report.ts';
import {
  changeReason,
  changeText,
  machineMinutes,
  minutesText,
  presentShift,
  usageDifferences,
} from '#ui/office/shifts/shift-text.ts';

const at = (time: string) => Date.parse(`2026-11-21T${time}:00Z`);

const NO_KPI = { physical_availability: null, use_of_availability: null, operating_utilisation: null, known: null };

test('[U150] the page opens with the running shift in the time zone of the site, also after midnight and between shifts', () => {
  const shift_pattern = [
    { name: 'day', starts: '06:00', ends: '16:00' },
    { name: 'night', starts: '18:00', ends: '04:00' },
  ];
  const shown = (time: string, timezone = 'UTC') => {
    const { shift, date } = presentShift({ shift_pattern, timezone }, at(time));
    return `${shift} ${date}`;
  };
  assert.equal(shown('06:00'), 'day 2026-11-21');
  assert.equal(shown('15:59'), 'day 2026-11-21');
  assert.equal(shown('16:00'), 'day 2026-11-21');
  assert.equal(shown('18:00'), 'night 2026-11-21');
  assert.equal(shown('03:59'), 'night 2026-11-20');
  assert.equal(shown('04:30'), 'day 2026-11-21');
  assert.equal(shown('20:00', 'Australia/Perth'), 'day 2026-11-22');
  assert.deepEqual(presentShift({ shift_pattern: [], timezone: 'UTC' }, at('03:00')), {
    shift: '',
    date: '2026-11-21',
  });
});

test('[U150] a change says the time, the machine, both classes and why it is known now', () => {
  const change = {
    equipment_id: 'eq_1',
    unit_number: 'HT-104',
    from: new Date(at('02:10')).toISOString(),
    to: new Date(at('03:40')).toISOString(),
    was: 'unknown',
    now: 'working',
    cause: 'data',
    stored_by: new Date(at('06:12')).toISOString(),
  } as const;
  const now = at('07:00');
  assert.equal(changeText(change, now, 'UTC'), '02:10 to 03:40: HT-104 was unknown, is working now');
  assert.equal(changeReason(change, now, 'UTC'), 'New data was in history by 06:12.');
  assert.equal(changeReason({ ...change, stored_by: null }, now, 'UTC'), 'New data arrived in the last minutes.');
  assert.equal(changeReason({ ...change, cause: 'report', stored_by: null }, now, 'UTC'), 'A person reported it.');
});

test('[U150] minutes of a report and of history are compared by category', () => {
  const none = Object.fromEntries(TIME_USAGE.map((name) => [name, 0])) as Record<(typeof TIME_USAGE)[number], number>;
  assert.deepEqual(usageDifferences({ ...none, unknown: 90 }, { ...none, productive: 90 }), [
    'productive 0 min, now 1 h 30 min',
    'unknown 1 h 30 min, now 0 min',
  ]);
  assert.deepEqual([minutesText(59), minutesText(60), minutesText(725)], ['59 min', '1 h 00 min', '12 h 05 min']);
});

test('[U150] planned service is a class of its own, and the classes of a machine keep their sum', () => {
  const minutes = { working: 120, idle: 20, off: 10, down: 90, standby: 0, unknown: 0 };
  const usage = { productive: 120, non_productive: 20, operating_delay: 10, standby: 0, unscheduled: 0, unknown: 0 };
  const machines = machineMinutes({
    time_classes: [
      { equipment_id: 'eq_1', unit_number: 'HT-1', minutes, kpi: NO_KPI },
      { equipment_id: 'eq_2', unit_number: 'HT-2', minutes, kpi: NO_KPI },
    ],
    report: {
      time_usage: [
        { equipment_id: 'eq_2', minutes: { ...usage, scheduled_downtime: 0, unscheduled_downtime: 90 } },
        { equipment_id: 'eq_1', minutes: { ...usage, scheduled_downtime: 75, unscheduled_downtime: 15 } },
      ],
    },
  });
  assert.deepEqual(
    machines.map(({ unit_number, minutes: { down, service } }) => [unit_number, down, service]),
    [
      ['HT-1', 15, 75],
      ['HT-2', 90, 0],
    ],
  );
  for (const one of machines)
    assert.equal(
      Object.values(one.minutes).reduce((sum, part) => sum + part),
      240,
    );
});
