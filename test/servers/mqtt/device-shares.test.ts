import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeviceShares } from '#servers/mqtt/connection/device-shares.ts';

/** Shares with a clock that the test sets. `send` makes devices send for some seconds, in steps of 10 ms. */
function rig() {
  let now = 1_000;
  const shares = new DeviceShares(() => now);
  return {
    shares,
    send(seconds: number, rates: Readonly<Record<string, number>>): void {
      for (let step = 0; step < seconds * 100; step++) {
        now += 10;
        for (const [device_id, rate] of Object.entries(rates)) shares.of(device_id).sent += rate / 100;
        shares.dominates(shares.of('nobody'));
      }
    },
  };
}

test('[B22] a device that sends more than 8 times what another sends dominates', () => {
  const { shares, send } = rig();
  send(2, { truck: 2_000_000, drill: 1_000 });
  assert.equal(shares.dominates(shares.of('truck')), true);
  assert.equal(shares.dominates(shares.of('drill')), false);
});

test('[B22] devices with similar rates do not dominate, nor does a single device or one that sends little', () => {
  for (const rates of [
    { truck: 2_000_000, drill: 400_000 },
    { truck: 2_000_000 },
    { truck: 40_000, drill: 100 },
  ] as Readonly<Record<string, number>>[]) {
    const { shares, send } = rig();
    send(2, rates);
    assert.equal(shares.dominates(shares.of('truck')), false, JSON.stringify(rates));
  }
});

test('[B22] a device that stops sending no longer counts after 10 seconds', () => {
  const { shares, send } = rig();
  send(2, { truck: 2_000_000, drill: 10_000 });
  assert.equal(shares.dominates(shares.of('truck')), true);
  send(10, { truck: 2_000_000 });
  assert.equal(shares.dominates(shares.of('truck')), false);
});

test('[B22] a dominating device pauses as long as its portion took, at most 20 ms, on all its connections', () => {
  const { shares, send } = rig();
  send(2, { truck: 2_000_000, drill: 1_000 });
  assert.equal(shares.pauseMs(shares.of('drill'), 5), 0);
  assert.equal(shares.pauseMs(shares.of('truck'), 5), 5);
  assert.equal(shares.pauseMs(shares.of('truck'), 2), 5);
  assert.equal(shares.pauseMs(shares.of('truck'), 300), 20);
  shares.delete('truck');
  assert.equal(shares.pauseMs(shares.of('truck'), 3), 0);
});
