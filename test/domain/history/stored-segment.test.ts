import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ORIGIN } from '#domain/history/origins.ts';
import type { SegmentData } from '#domain/history/samples.ts';
import { encodeSegment, openSegment } from '#domain/history/segment.ts';
import { encodeSegment as encodeFirstVersion } from '#domain/history/segment-v1.ts';
import { openSegmentData, sealedSegmentData, withoutDevice } from '#domain/history/stored-segment.ts';

const origins = ['dev_1', 'dev_2'].map((device) => ({ ...NO_ORIGIN, device, bus: 1, sa: 0, pgn: 61_444, spn: 190 }));
const T = 1_780_000_000;
const series = [
  { signal: 'engine.speed' as const, t: [T, T + 1, T + 2], v: [800, 801, 802], o: [0, 1, 0] },
  { signal: 'engine.load' as const, t: [T], v: [12], o: [0] },
];
const content = { series, origins, raw: [['1:0', '1:99']] as const };

const seriesOf = (data: SegmentData | undefined) => {
  const segment = openSegment(data?.body ?? new Uint8Array());
  return segment?.signals.map((signal) => {
    const { t, v, o } = segment.read(signal) ?? { t: [], v: [], o: [] };
    return [signal, t, v, o.map((i) => segment.origins[i]?.device)];
  });
};

test('[D194] a segment without a device keeps the samples of other devices, as a new generation if it is sealed', () => {
  const open = openSegmentData('eq_1', content);
  assert.equal(withoutDevice('seg_1', open, 'dev_3'), 'unchanged');
  const rest = [['engine.speed', [T + 1], [801], ['dev_2']]];
  const left = withoutDevice('seg_1', open, 'dev_1');
  assert.ok(left !== null && left !== 'unchanged');
  assert.deepEqual(seriesOf(left.data), rest);
  assert.deepEqual([left.data.seal, left.data.samples, left.data.from_ms], [undefined, 1, (T + 1) * 1000]);
  assert.equal(withoutDevice('seg_2', left.data, 'dev_2'), null);

  const hour = Math.floor(T / 3_600);
  const of = { equipment_id: 'eq_1', hour, generation: 4, supersedes: 'seg_0' };
  const sealed = sealedSegmentData(of, series, encodeSegment(content));
  const next = withoutDevice(sealed.id, sealed.data, 'dev_1');
  assert.ok(next !== null && next !== 'unchanged');
  assert.deepEqual(seriesOf(next.data), rest);
  assert.deepEqual([next.data.sealed_hour, next.data.seal?.generation], [hour, 5]);
  assert.equal(next.data.seal?.supersedes, sealed.id);
});

test('[D194] samples without an origin count as those of the device, until their segment is sealed', () => {
  const t = Float64Array.of(T * 1_000_000);
  const body = encodeFirstVersion([{ signal: 'engine.load', t, v: Float64Array.of(1) }]);
  const data = { ...openSegmentData('eq_1', content), body };
  assert.equal(withoutDevice('seg_1', data, 'dev_1'), null);
  const seal = { generation: 1, supersedes: null, sha256: '' };
  assert.equal(withoutDevice('seg_1', { ...data, sealed_hour: 1, seal }, 'dev_1'), 'unchanged');
});

test('[D194] a damaged segment is removed', () => {
  const data = openSegmentData('eq_1', content);
  assert.equal(withoutDevice('seg_1', { ...data, body: new Uint8Array(3) }, 'dev_1'), null);
});
