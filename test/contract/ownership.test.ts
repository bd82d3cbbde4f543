import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { COLLECTIONS } from '#contract/base/view.ts';
import { DeviceData } from '#contract/fleet/device.ts';
import { EquipmentData } from '#contract/fleet/equipment.ts';
import { OWNERSHIP, OWNERSHIP_ROWS } from '#contract/ownership/table.ts';
import { DashboardData, PlaylistData } from '#contract/site/board.ts';
import { AlertRuleData } from '#contract/work/alert.ts';
import { MaintenancePlanData } from '#contract/work/maintenance.ts';
import { RepairTicketData } from '#contract/work/repair-ticket.ts';
import { filesOf } from '#test/house/rules.ts';

/** Kinds that the code names only by a constant or a variable. */
const NAMED_ELSEWHERE = ['events/audit', 'records/operator', 'records/mechanic', 'local/display_pairing'];

test('[Y7] every kind of document that the gateway stores has an owner', () => {
  const written = new Set(NAMED_ELSEWHERE);
  // No other name of a kind may stand between the two: they would be of two documents.
  const between = "(?:(?!object: '|collection: ')[^;])";
  const pair = new RegExp(
    `collection: '(\\w+)'${between}{0,160}?object: '(\\w+)'|object: '(\\w+)'${between}{0,120}?collection: '(\\w+)'`,
    'g',
  );
  const collections = new Set<string>(COLLECTIONS);
  for (const { path, text } of filesOf(join(import.meta.dirname, '..', '..'), '.ts')) {
    if (!path.startsWith('gateway/') || path.startsWith('gateway/contract/ownership')) continue;
    for (const [, a, b, c, d] of text.matchAll(pair))
      if (collections.has(a ?? d ?? '')) written.add(`${a ?? d}/${b ?? c}`);
  }
  assert.ok(written.size > 60, String(written.size));
  const missing = [...written].filter((kind) => {
    const [collection = '', object = ''] = kind.split('/');
    return OWNERSHIP.kind(collection, object) === undefined;
  });
  assert.deepEqual(missing, []);
});

test('[Y7] every field of a stored document has an owner, and each kind has one row', () => {
  const schemas = {
    equipment: EquipmentData,
    device: DeviceData,
    dashboard: DashboardData,
    playlist: PlaylistData,
    repair_ticket: RepairTicketData,
    maintenance_plan: MaintenancePlanData,
    alert_rule: AlertRuleData,
  };
  for (const [object, schema] of Object.entries(schemas)) {
    const fields = OWNERSHIP.kind('records', object)?.fields ?? {};
    for (const field of Object.keys(schema.shape)) assert.ok(field in fields, `${object}.${field} has no owner`);
  }
  const names = OWNERSHIP_ROWS.map(({ collection, object }) => `${collection}/${object}`);
  assert.equal(new Set(names).size, names.length);
});

test('[Y9] bus requests, configuration and arming never come from above', () => {
  const device = OWNERSHIP.kind('records', 'device');
  for (const field of ['bus_requests', 'settings', 'worker', 'quarantine', 'offline_resolution'])
    assert.equal(device?.fields?.[field]?.never_down, true, field);
  assert.equal(OWNERSHIP.kind('records', 'device_config')?.fields?.config?.never_down, true);
  assert.equal(OWNERSHIP.kind('live', 'device_config')?.whole?.never_down, true);
});
