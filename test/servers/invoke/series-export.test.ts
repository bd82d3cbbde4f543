/** Series as tables over REST, compared with the JSON answer of the same read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableFromIPC } from 'apache-arrow';
import type { TelemetrySeries } from '#contract/fleet/telemetry.ts';
import { addMachine, eventually, OWNER_KEY, startGateway } from '#test/support/gateway.ts';

test('[W250] series are also available as CSV and as Arrow, with the same numbers as in JSON', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-1');
  const start = Math.floor(Date.now() / 60_000) * 60_000 - 600_000;
  const points = Array.from({ length: 300 }, (_, i) => ({
    ts: start + i * 1_000,
    values: { 'engine.speed': 800 + (i % 7) / 8, 'fuel.level': 50 - i / 64 },
  }));
  await client.call('devices_telemetry', { id: machine.device, points });
  const from = new Date(start).toISOString();
  const to = new Date(start + 300_000).toISOString();
  const path = `/api/v1/equipment/${machine.equipment_id}/telemetry?signals=engine.speed,fuel.level&from=${from}&to=${to}`;
  const get = (more: string, accept?: string) =>
    fetch(`${gateway.node.http}${path}${more}`, {
      headers: { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project.id, ...(accept ? { accept } : {}) },
    });
  for (const resolution of ['60', 'raw']) {
    const query = `&resolution=${resolution}`;
    const { series } = await eventually(
      async () => (await (await get(query)).json()) as { series: TelemetrySeries[] },
      (answer) => answer.series.every(({ samples }) => samples === 300),
    );
    const columns = (resolution === 'raw' ? ['value'] : ['min', 'max', 'mean', 'last', 'count']) as 'value'[];
    const rows = series.flatMap((one) =>
      one.t.map((t, i) => [t, one.signal, one.unit, ...columns.map((name) => one[name]?.[i])]),
    );
    assert.equal(rows.length, resolution === 'raw' ? 600 : 10);
    const csv = await get(`${query}&as=csv`);
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    assert.equal(csv.headers.get('link'), null);
    const [head, ...lines] = (await csv.text()).trimEnd().split('\r\n');
    assert.equal(head, ['time', 'signal', 'unit', ...columns].join(','));
    assert.deepEqual(
      lines,
      rows.map(([t, ...rest]) => [new Date(t as number).toISOString(), ...rest].join(',')),
    );
    const byHeader = await get(query, 'text/csv');
    assert.equal((await byHeader.text()).trimEnd().split('\r\n').length, rows.length + 1);
    for (const arrow of [await get(`${query}&as=arrow`), await get(query, 'application/vnd.apache.arrow.stream')]) {
      assert.equal(arrow.headers.get('content-type'), 'application/vnd.apache.arrow.stream');
      const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()));
      assert.deepEqual(
        table.schema.fields.map(({ name }) => name),
        ['time', 'signal', 'unit', ...columns],
      );
      const read = table.toArray().map((row) => {
        const { time, signal, unit, ...rest } = (row as { toJSON(): Record<string, number> }).toJSON();
        return [Number(time), signal, unit, ...columns.map((name) => rest[name])];
      });
      assert.deepEqual(read, rows);
    }
  }
  const refused = await get('&as=xlsx');
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /json.*csv.*arrow/);
});
