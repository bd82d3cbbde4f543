/** A simulated log, uploaded in every form, becomes the numbers that are true of its machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import {
  lockLog,
  OWN_PASSWORD,
  OWN_SECONDS,
  OWN_START_MS,
  OWN_VIN,
  ownForms,
  ownRecording,
  unfinishedMf4,
} from '#test/support/own-recordings.ts';
import { openRuns, type RunsRig } from './rig.ts';

const LINKED = '2026-01-01T00:00:00Z';
const { batch, text, truth } = ownRecording();
const FROM_MS = OWN_START_MS - 1_000;
const TO_MS = OWN_START_MS + OWN_SECONDS * 1000 + 1_000;

async function historyOf(rig: RunsRig, machine: string) {
  const found: Record<string, { t: number[]; v: number[] }> = {};
  for (const signal of SIGNAL_NAMES) {
    const one = await rig.site.ingest.history(machine, signal, FROM_MS, TO_MS);
    if (one.t.length > 0) found[signal] = one;
  }
  return found;
}

function near(value: number | undefined, wanted: number, step: number): void {
  assert.ok(value !== undefined && Math.abs(value - wanted) <= step, `${value} is not near ${wanted}`);
}

test('[Q1] [Q9] every form of one simulated log gives the same numbers; a cut one gives its part and says so', async () => {
  await using rig = await openRuns();
  rig.start({ passwords: async () => ['wrong', OWN_PASSWORD] });
  const found: unknown[] = [];
  for (const [i, { name, bytes }] of ownForms().entries()) {
    const machine = await rig.machine(`TR-${i}`);
    const device = await rig.device(`sim-${i}`, [[LINKED, machine]]);
    const { status, seed_graph, gaps } = (await rig.ended(await rig.upload(device, name, Buffer.from(bytes)))).data;
    const { values = {}, dtc_counts, live_status } = rig.site.ingest.live.equipment(machine) ?? {};
    const facts = Object.entries(values).map(([signal, one]) => [signal, one.value, one.observed_at, one.raw]);
    found.push({
      name,
      said: {
        status,
        counts: seed_graph?.counts,
        gaps,
        facts,
        dtc_counts,
        live_status,
        history: await historyOf(rig, machine),
      },
    });
  }
  const [first, ...others] = found as { name: string; said: { status: string; counts: { frames: number } } }[];
  assert.deepEqual([first?.said.status, first?.said.counts.frames], ['completed', batch.count]);
  for (const { name, said } of others) assert.deepEqual(said, first?.said, name);

  const machine = await rig.machine('TR-CUT');
  const device = await rig.device('cut', [[LINKED, machine]]);
  const whole = unfinishedMf4();
  const cut = await rig.ended(
    await rig.upload(device, 'cut.MF4', Buffer.from(whole.subarray(0, (whole.length >> 1) + 3))),
  );
  const frames = cut.data.seed_graph?.counts.frames ?? 0;
  assert.equal(cut.data.status, 'completed');
  assert.ok(frames > batch.count * 0.4 && frames < batch.count * 0.6, `${frames} frames`);
  assert.deepEqual(
    cut.data.gaps.map(({ code }) => code),
    ['recording_cut'],
  );
});

test('[Q8] a simulated log of the past sets meters as of then, nothing becomes live, and each number leads to its frame', async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('sim', [[LINKED, machine]]);
  rig.start();
  const artifact = await rig.upload(device, 'sim.log', text);
  const run = await rig.ended(artifact);
  assert.equal(run.data.status, 'completed');
  const live = rig.site.ingest.live.equipment(machine);
  assert.deepEqual([live?.live_status, live?.last_live_data_at], ['unknown', null]);
  near(live?.values['engine.hours']?.value, truth.engine_hours, 0.05 + 1 / 60);
  near(live?.values['fuel.level']?.value, truth.fuel_level, 0.4);
  for (const [signal, { observed_at, run_id, ref, raw, pgn, source_address, bus }] of Object.entries(
    live?.values ?? {},
  )) {
    const at = Date.parse(observed_at);
    assert.ok(at >= OWN_START_MS && at < TO_MS, `${signal} at ${observed_at}`);
    assert.equal(run_id, run.id);
    const [file, frame = ''] = ref?.split('#') ?? [];
    assert.equal(file, artifact);
    const i = Number(frame);
    assert.equal(Math.floor((batch.t[i] as number) / 1000), at, signal);
    assert.deepEqual([batch.bus[i], (batch.id[i] as number) & 0xff], [bus, source_address], signal);
    assert.equal(((batch.id[i] as number) >>> 8) & 0xffff, pgn, signal);
    assert.ok(raw !== null);
  }
  const speeds = await rig.site.ingest.history(machine, 'engine.speed', FROM_MS, TO_MS);
  assert.equal(speeds.t.length, OWN_SECONDS);
  const bus = rig.site.ingest.live.device(device.device)?.state.bus as Record<string, unknown>;
  assert.deepEqual([bus.vin, bus.frames], [OWN_VIN, 0], 'who it is, and no live traffic');
});

test('[Q6] a device that was never linked says who its machine is, and its simulated log can be decoded later', async () => {
  await using rig = await openRuns();
  const device = await rig.device('sim');
  rig.start();
  const artifact = await rig.upload(device, 'sim.log', text);
  const run = await rig.ended(artifact);
  assert.deepEqual(
    run.data.gaps.map(({ code }) => code),
    ['no_equipment_match'],
  );
  assert.equal(run.data.seed_graph?.counts.samples_added, 0);
  const { observation } = rig.site.ingest.live.device(device.device) ?? {};
  near(observation?.signals['engine.hours']?.value, truth.engine_hours, 0.05 + 1 / 60);
  assert.equal(observation?.late, true);
  const machine = await rig.machine('TR-1', 'ANOTHER-PIN-00001');
  await rig.link(device, machine);
  await rig.again(artifact);
  const second = await rig.ended(artifact);
  assert.ok((second.data.seed_graph?.counts.samples_added ?? 0) > OWN_SECONDS);
  assert.equal(second.data.seed_graph?.counts.samples_added, second.data.seed_graph?.counts.samples);
  assert.deepEqual(
    second.data.gaps.map(({ code, ref }) => [code, ref]),
    [['vin_differs', machine]],
  );
});

test('[Q10] a locked simulated log without its password fails by name; with it the same task is completed', async () => {
  await using rig = await openRuns();
  const known: string[] = [];
  rig.start({ passwords: async () => known });
  const machine = await rig.machine('TR-1');
  const device = await rig.device('sim', [[LINKED, machine]]);
  const artifact = await rig.upload(device, 'sim.MFE', Buffer.from(lockLog(unfinishedMf4())));
  for (const password of ['wrong', OWN_PASSWORD]) {
    const { status, error } = (await rig.ended(artifact)).data;
    assert.deepEqual([status, error?.code], ['failed', 'recording_locked']);
    known.push(password);
    await rig.again(artifact);
  }
  assert.equal((await rig.ended(artifact)).data.seed_graph?.counts.frames, batch.count);
});

test('[Q8] [Q9] trouble codes of a simulated log are dated by it, and are in the log of the machine once', async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('sim', [[LINKED, machine]]);
  rig.start();
  const artifact = await rig.upload(device, 'sim.MF4', Buffer.from(unfinishedMf4()));
  const run = await rig.ended(artifact);
  const events = await rig.site.store
    .view(rig.site.project)
    .find<{ type: string; occurred_at: string; data: { spn: number }; context: { run_id: string; media: string[] } }>(
      'events',
      { object: 'event', where: { 'data.subject.id': machine }, limit: 100 },
    );
  const of = (type: string) => events.filter(({ data }) => data.type === type);
  assert.deepEqual(
    of('dtc.activated')
      .map(({ data }) => data.data.spn)
      .sort((a, b) => a - b),
    [107, 110, 3719],
  );
  assert.deepEqual(
    of('dtc.cleared').map(({ data }) => data.data.spn),
    [107],
  );
  for (const { data } of [...of('dtc.activated'), ...of('dtc.cleared')]) {
    const at = Date.parse(data.occurred_at);
    assert.ok(at >= OWN_START_MS && at <= TO_MS);
    assert.deepEqual([data.context.run_id, data.context.media], [run.id, [artifact]]);
  }
  const live = rig.site.ingest.live.equipment(machine);
  assert.deepEqual(
    [live?.live_status, live?.dtc_counts?.active, live?.dtc_counts?.mil],
    ['unknown', truth.codes.length, 1],
  );
});

test('[Q9] a simulated log without J1939 is read, and says that it has no numbers', async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('body', [[LINKED, machine]]);
  rig.start();
  const lines = text.toString('latin1').split('\n');
  const body = lines.filter((line) => line.includes(' can2 '));
  const run = await rig.ended(await rig.upload(device, 'body.log', Buffer.from(`${body.join('\n')}\n`)));
  assert.deepEqual([run.data.status, run.data.seed_graph?.counts.frames], ['completed', body.length]);
  assert.equal(run.data.seed_graph?.counts.samples, 0);
  assert.match(run.data.output?.summary ?? '', /0 samples of 0 signals for no machine/);
});
