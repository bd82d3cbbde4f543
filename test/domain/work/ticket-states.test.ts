import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EQUIPMENT_STATUS } from '#contract/fleet/equipment.ts';
import { TICKET_STATUS, TICKET_STEPS } from '#contract/work/repair-ticket.ts';
import { downtimeMinutes, isOver, stepFields } from '#domain/work/ticket-states.ts';

test('[A150] every status can be reached from flagged, and closed and canceled are final', () => {
  const reached = new Set(['flagged']);
  for (const status of reached)
    for (const next of TICKET_STEPS[status as (typeof TICKET_STATUS)[number]]) reached.add(next);
  assert.deepEqual([...reached].sort(), [...TICKET_STATUS].sort());
  assert.deepEqual(TICKET_STATUS.filter(isOver), ['closed', 'canceled']);
});

test('[A151] after any status changes the times of a ticket fit its status', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 30 }), (choices) => {
      let ticket: Parameters<typeof stepFields>[0] = {
        status: 'flagged',
        started_at: null,
        fixed_at: null,
        closed_at: null,
        hold_reason: null,
      };
      let first: string | null = null;
      choices.forEach((choice, i) => {
        const steps = TICKET_STEPS[ticket.status];
        const to = steps[choice % Math.max(1, steps.length)];
        if (to === undefined) return;
        const now = new Date(i * 60_000).toISOString();
        if (to === 'in_progress') first ??= now;
        ticket = stepFields(ticket, to, now, 'parts');
        assert.equal(ticket.started_at, first);
        assert.equal(ticket.fixed_at !== null, ['fixed', 'closed'].includes(to));
        assert.equal(ticket.closed_at !== null, isOver(to));
        assert.equal(ticket.hold_reason, to === 'on_hold' ? 'parts' : null);
      });
    }),
  );
});

test('[A154] downtime is never more than the window, and the sum over its halves is the whole', () => {
  const status = fc.constantFrom(...EQUIPMENT_STATUS);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: -100, max: 700 }), status), { maxLength: 12 }),
      status,
      fc.nat(600),
      (moves, first, middle) => {
        let from = first;
        const steps = moves
          .toSorted(([a], [b]) => a - b)
          .map(([minute, to]) => {
            const step = { at_ms: minute * 60_000, from, to };
            from = to;
            return step;
          });
        const end = 600 * 60_000;
        const half = middle * 60_000;
        const whole = downtimeMinutes(steps, from, 0, end);
        assert.ok(whole >= 0 && whole <= 600);
        assert.equal(downtimeMinutes(steps, from, 0, half) + downtimeMinutes(steps, from, half, end), whole);
      },
    ),
  );
});
