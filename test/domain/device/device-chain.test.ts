import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceChain } from '#domain/device/chain.ts';
import type { ChainFacts } from '#domain/device/chain-facts.ts';

const NOW = Date.parse('2026-11-22T10:00:00.000Z');
const ago = (seconds: number) => NOW - seconds * 1000;
const iso = (ms: number) => new Date(ms).toISOString();

type Change = {
  readonly [K in keyof ChainFacts]?: K extends 'device' | 'trail' | 'key' ? Partial<ChainFacts[K]> : ChainFacts[K];
};

/** A logger on MQTT that works: it has sent a value a second ago; then what is otherwise. */
function facts({ device, trail, key, ...rest }: Change): ChainFacts {
  return {
    now: NOW,
    transport: 'mqtt',
    machine: { unit_number: 'HT-1', retired: false },
    location: null,
    file: null,
    at: {
      mqtt: '10.0.0.1:1883',
      http: 'http://10.0.0.1:8480',
      bucket: 'http://10.0.0.1:9480',
      folder: 'headframe/L1/',
    },
    ...rest,
    key: { state: 'active', since: null, ...key },
    trail: {
      topics: { can: ago(1) },
      usable_ms: ago(1),
      unusable: null,
      refused_login: null,
      refused_signature: null,
      refused_request: null,
      refused_place: null,
      refused_size: null,
      unknown_frames: 0,
      ...trail,
    },
    device: {
      id: 'dev_1',
      device_id: 'L1',
      serial: 'CL-1',
      kind: 'can_logger',
      status: 'transmitting',
      last_seen_at: iso(ago(1)),
      expected_interval_s: null,
      linked_at: iso(ago(9000)),
      offline_resolution: null,
      timeline_changes: [],
      state: {
        connectivity: { session: 'closed', ip: '10.0.0.7', transport: 'mqtt', since: iso(ago(600)) },
        firmware: null,
        hardware: null,
        config: { desired: null, reported: null, applied_at: null, error: null },
        credential: null,
        worker: null,
      },
      observation: {
        id: 'obs_1',
        observed_at: iso(ago(1)),
        received_at: iso(ago(1)),
        late: false,
        signals: { 'engine.speed': { value: 900, unit: 'rpm', observed_at: iso(ago(1)), ref: null } },
      },
      metrics: {
        messages_total: 12,
        bytes_total: 900,
        frames_total: 1200,
        decode_errors_total: 0,
        dropped_total: 0,
        duplicates_total: 0,
        late_total: 0,
        buffer_depth: null,
        clock_skew_ms: 0,
        last_rtt_ms: null,
        rate_per_min: 60,
      },
      ...device,
    },
  };
}

const stop = (change: Change) => {
  const { stopped_at, steps } = deviceChain(facts(change));
  const found = steps.find(({ step }) => step === stopped_at);
  return found === undefined ? 'none' : `${found.step} ${found.state}`;
};
const states = (change: Change) =>
  deviceChain(facts(change))
    .steps.map(({ state }) => state)
    .join(' ');

test('[D170] a working device has no broken step, also between two connections', () => {
  assert.equal(states({}), 'ok ok ok ok ok ok');
  assert.match(deviceChain(facts({})).summary, /^Everything works/);
});

test('[D171] for a device without messages the connection is broken since the last one, with the note of a person', () => {
  const silent = { status: 'offline', last_seen_at: iso(ago(7200)) } as const;
  const trail = { topics: { can: ago(7200) }, usable_ms: ago(7200) };
  assert.equal(stop({ device: silent, trail }), 'connection broken');
  const resolution = {
    resolution: 'no_power',
    until: null,
    replaced_by: null,
    note: null,
    resolved_at: iso(ago(60)),
  } as const;
  const [first] = deviceChain(facts({ device: { ...silent, offline_resolution: resolution }, trail })).steps;
  assert.deepEqual(
    [first?.since, first?.detail],
    [iso(ago(7200)), 'The device has stopped sending. A person noted: it has no power.'],
  );
  // One that should speak once an hour is not silent after 40 minutes, and is after four hours.
  const hourly = (seconds: number) => ({
    status: 'online' as const,
    expected_interval_s: 3600,
    last_seen_at: iso(ago(seconds)),
  });
  assert.equal(stop({ device: hourly(2400), trail: { topics: { can: ago(2400) }, usable_ms: ago(2400) } }), 'none');
  assert.equal(
    stop({ device: hourly(14_400), trail: { topics: { can: ago(14_400) }, usable_ms: ago(14_400) } }),
    'connection broken',
  );
});

test('[D172] a file accepted after a wrong key clears the key step before the fold has applied it', () => {
  const file = {
    name: '00000012/00000001.MF4',
    received_at: iso(ago(1)),
    run: { status: 'failed', message: 'It is no log.', remedy: null },
  };
  const wrong = (at_ms: number) =>
    deviceChain(
      facts({
        transport: 'upload',
        file,
        device: { last_seen_at: null },
        trail: { topics: {}, usable_ms: null, refused_signature: { at_ms, address: '10.0.0.9', count: 1 } },
      }),
    ).steps.find(({ step }) => step === 'key')?.state;
  assert.notEqual(wrong(ago(5)), 'broken');
  assert.equal(wrong(ago(0.5)), 'broken');
});

test('[D171] a logger that uploads may be away for a day', () => {
  const at = (seconds: number): Change => ({
    transport: 'upload',
    device: { status: 'offline', last_seen_at: iso(ago(seconds)) },
    trail: { topics: {}, usable_ms: null },
    file: { name: '1.MF4', received_at: iso(ago(seconds)), run: { status: 'completed', message: null, remedy: null } },
  });
  assert.equal(stop(at(40_000)), 'none');
  assert.equal(stop(at(90_000)), 'connection broken');
});

test('[D172] without a valid key the chain stops at the key, not at the missing connection', () => {
  const unheard = { last_seen_at: null, observation: null, status: 'unassigned' } as const;
  const nothing = { topics: {}, usable_ms: null };
  assert.equal(stop({ device: unheard, trail: nothing, key: { state: 'none' } }), 'key broken');
  const gone = { status: 'unassigned', last_seen_at: iso(ago(7200)) } as const;
  const trail = { topics: { can: ago(7200) }, usable_ms: ago(7200) };
  assert.equal(stop({ device: gone, trail, key: { state: 'revoked', since: iso(ago(7000)) } }), 'key broken');
  assert.equal(stop({ key: { state: 'expired', since: iso(ago(10)) } }), 'key broken');
  // A bus of this box and a replay speak for a device without its key.
  assert.equal(stop({ key: { state: 'none' } }), 'none');
});

test('[D172] a refused login counts until the next message of the device', () => {
  const refused = (seconds: number) => ({ refused_login: { at_ms: ago(seconds), address: '10.0.0.9', count: 1 } });
  assert.equal(stop({ trail: refused(0) }), 'key broken');
  assert.equal(stop({ trail: refused(5) }), 'none');
  assert.equal(stop({ transport: 'http', trail: refused(0) }), 'none');
});

test('[D172] a refused request counts while an HTTP device sends no data; if it sends nothing, any refusal counts', () => {
  const refused_request = { at_ms: ago(0), address: '10.0.0.9', count: 2, reason: 'no_key' } as const;
  const fresh: Change = { transport: 'http', trail: { refused_request } };
  assert.equal(stop(fresh), 'none');
  assert.match(
    deviceChain(facts(fresh)).steps[1]?.detail ?? '',
    /^The device is authenticated\. 2 requests to its address were refused/,
  );
  const old = { topics: { telemetry: ago(7200) }, usable_ms: ago(7200), refused_request };
  const device = { status: 'offline', last_seen_at: iso(ago(7200)) } as const;
  for (const transport of ['http', 'mqtt', 'upload'] as const) {
    const { steps } = deviceChain(facts({ transport, device, trail: old }));
    assert.equal(steps[1]?.state, 'broken', transport);
    assert.match(steps[1]?.detail ?? '', /2 requests .* 10\.0\.0\.9: it had no header/);
    assert.match(steps[1]?.remedy ?? '', /in the header "Authorization: Bearer"/);
  }
  assert.equal(stop({ transport: 'mqtt', trail: { refused_request } }), 'none');
});

test('[D173] the chain stops only if most or all data cannot be decoded', () => {
  const unusable = (seconds: number) => ({ reason: 'no frame: "x"', at_ms: ago(seconds) });
  const metrics = facts({}).device.metrics;
  assert.equal(
    stop({ trail: { unusable: unusable(0) }, device: { metrics: { ...metrics, decode_errors_total: 3 } } }),
    'none',
  );
  assert.equal(stop({ trail: { unusable: unusable(0), usable_ms: null } }), 'frames broken');
  assert.equal(stop({ trail: { unusable: unusable(0), usable_ms: ago(120) } }), 'frames broken');
  assert.equal(stop({ device: { status: 'fault' }, trail: { unusable: unusable(2) } }), 'frames broken');
});

test('[D173] a connected device without data waits for frames, and the remedy names the bus', () => {
  const change: Change = {
    device: { status: 'online' },
    trail: { topics: { can: ago(90), status: ago(1) }, usable_ms: ago(90) },
  };
  assert.equal(stop(change), 'frames waiting');
  assert.match(deviceChain(facts(change)).steps[3]?.remedy ?? '', /bit rate/);
  // A device that connects only to send is not called connected: the step `connection` says that it has no session.
  const details = (session: 'open' | 'closed') => {
    const { state } = facts({}).device;
    const connectivity = { ...state.connectivity, session } as typeof state.connectivity;
    const { steps } = deviceChain(
      facts({ ...change, device: { ...change.device, state: { ...state, connectivity } } }),
    );
    return [steps[0]?.detail ?? '', steps[3]?.detail ?? ''];
  };
  const [open = '', held = ''] = details('open');
  assert.match(open, /has an open session/);
  assert.match(held, /^The device is connected but has stopped sending data/);
  const [closed = '', apart = ''] = details('closed');
  assert.match(closed, /no connection between two messages/);
  assert.match(apart, /^The device has stopped sending data/);
});

test('[D174] many frames without a value break the decoding step; a few do not', () => {
  const none = (frames_total: number): Change => ({
    device: { observation: null, metrics: { ...facts({}).device.metrics, frames_total } },
    trail: { unknown_frames: frames_total },
  });
  assert.equal(stop(none(20)), 'decoded waiting');
  assert.equal(stop(none(5000)), 'decoded broken');
});

test('[D174] a clock far ahead breaks the decoding step', () => {
  const metrics = { ...facts({}).device.metrics, clock_skew_ms: 3_600_000 };
  assert.equal(stop({ device: { metrics } }), 'decoded broken');
});

test('[D202] a working device whose clock is off is named: exactly with GNSS time, by an upper bound without', () => {
  const detailOf = (metrics: object) =>
    deviceChain(facts({ device: { metrics: { ...facts({}).device.metrics, ...metrics } } })).steps[5]?.detail ?? '';
  const gnss = (ahead_ms: number) => ({ gnss_clock: { ahead_ms, uncertainty_ms: 500, measured_at: iso(ago(60)) } });
  assert.match(
    detailOf(gnss(-8_200)),
    /Its clock is 8\.2 s behind GNSS time\. Live values keep the time of the device/,
  );
  assert.match(detailOf(gnss(19_500)), /Its clock is 19\.5 s ahead of GNSS time\./);
  assert.doesNotMatch(detailOf({ ...gnss(300), clock_skew_ms: -20_000 }), /clock/);
  assert.match(detailOf({ clock_skew_ms: -19_400 }), /19 s old on arrival: its clock is behind by up to this time, or/);
  assert.doesNotMatch(detailOf({ clock_skew_ms: -2_000 }), /clock/);
  assert.match(
    detailOf({ ...gnss(3_600_000), clock_skew_ms: 3_600_000 }),
    /60 minutes ahead, .* 3,600 s ahead of GNSS time/,
  );
});

test('[D174] after a replayed recording the remedy shows how to replay it with current times', () => {
  const observation = { ...facts({}).device.observation, late: true } as NonNullable<
    ChainFacts['device']['observation']
  >;
  const change: Change = {
    device: { status: 'online', observation },
    trail: { topics: { can: ago(90) }, usable_ms: ago(90) },
  };
  assert.equal(stop(change), 'decoded waiting');
  assert.match(deviceChain(facts(change)).steps[5]?.remedy ?? '', /--device L1 --now/);
});
