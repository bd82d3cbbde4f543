/** The event stream of a TV over a network that fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENCE_MS } from '#contract/site/live.ts';
import { backoff, type Link, type Probe, type Source, startLink } from '#ui/tv/link.ts';

class FakeSource implements Source {
  onerror: ((event: Event) => void) | null = null;
  closed = false;
  private readonly listeners = new Map<string, (event: { data: string }) => void>();
  addEventListener(name: string, listener: (event: { data: string }) => void): void {
    this.listeners.set(name, listener);
  }
  close(): void {
    this.closed = true;
  }
  send(name: string, data: object): void {
    this.listeners.get(name)?.({ data: JSON.stringify(data) });
  }
  fail(): void {
    this.onerror?.(new Event('error'));
  }
}

function rig(probe: Probe = 'unreachable') {
  const sources: FakeSource[] = [];
  const events: [string, unknown][] = [];
  let now = 0;
  const link: Link = startLink({
    open: () => {
      const source = new FakeSource();
      sources.push(source);
      return source;
    },
    probe: () => Promise.resolve(probe),
    monotonic: () => now,
    random: () => 0.5,
    onEvent: (name, data) => events.push([name, data]),
  });
  return {
    link,
    sources,
    events,
    last: () => sources[sources.length - 1] as FakeSource,
    wait(ms: number) {
      for (let past = 0; past < ms; past += 250) {
        now += 250;
        link.check();
      }
    },
  };
}

test('[U17] backoff grows from 1 s to 5 s and stays in this range', () => {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    for (const random of [0, 0.5, 0.999]) {
      const ms = backoff(attempt, random);
      assert.ok(ms >= 1_000 && ms <= 5_000, `${attempt}: ${ms}`);
    }
  }
  assert.ok(backoff(20, 0.999) > backoff(2, 0.999));
  assert.notEqual(backoff(8, 0.1), backoff(8, 0.9));
});

test('[U2] a stream without a message for 15 s is closed', () => {
  const { last, wait, sources } = rig();
  last().send('heartbeat', { server_ms: 1, build: 'x' });
  wait(SILENCE_MS - 1_000);
  assert.equal(sources[0]?.closed, false);
  wait(2_000);
  assert.equal(sources[0]?.closed, true);
});

test('[U17] a broken stream is opened again, and a snapshot resets the backoff', () => {
  const { link, last, wait, sources } = rig();
  last().fail();
  assert.equal(sources.length, 1);
  wait(2_000);
  assert.equal(sources.length, 2);
  last().fail();
  last().fail();
  assert.equal(link.attempts, 2);
  wait(4_000);
  last().send('snapshot', {});
  assert.equal(link.attempts, 0);
});

test('[U17] a late event of a closed stream is ignored', () => {
  const { last, wait, sources, events } = rig();
  const first = sources[0] as FakeSource;
  first.fail();
  wait(2_000);
  first.send('delta', { patches: [] });
  assert.deepEqual(events, []);
  last().send('delta', { patches: [] });
  assert.equal(events.length, 1);
});

test('[U17] a resync event makes the link reconnect', () => {
  const { last, wait, sources, events } = rig();
  last().send('resync', { reason: 'slow' });
  wait(2_000);
  assert.equal(sources.length, 2);
  assert.deepEqual(events, []);
});

test('[U18] only a gone event or a refused probe ends a share', async () => {
  const revoked = rig();
  revoked.last().send('gone', { reason: 'revoked' });
  assert.deepEqual(revoked.events, [['gone', { reason: 'revoked' }]]);
  revoked.wait(60_000);
  assert.equal(revoked.sources.length, 1);

  const refused = rig('gone');
  refused.last().fail();
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual(refused.events, [['gone', { reason: 'not_found' }]]);

  const silent = rig('unreachable');
  silent.last().fail();
  await Promise.resolve();
  await Promise.resolve();
  silent.wait(120_000);
  assert.deepEqual(silent.events, []);
  assert.ok(silent.sources.length > 2);
});
