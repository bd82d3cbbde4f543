import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAddressClaim, nameOf } from '#bridge/address-claim.ts';
import { createRequester } from '#bridge/requests.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex');
const ID = { claim: 0x18eeff00, request: 0x18eaff00 } as const;
const HOURS = 0x18fee500;

/** A NAME that wins against ours: a device with an address of its own. */
const FIXED = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0);
/** One that loses: all ones. */
const MEEK = new Uint8Array(8).fill(255);

function claimer() {
  const sent: { id: number; data: string }[] = [];
  const name = nameOf(7);
  const claim = createAddressClaim(name, (id, data) => {
    sent.push({ id, data: hex(data) });
    return true;
  });
  /** Everybody on the bus has had time to object. */
  const settle = (from: number) => {
    for (let now = from; now <= from + 2000; now += 50) claim.tick(now);
    return from + 2000;
  };
  return { claim, sent, name, settle };
}

test('[F96] an address that nobody uses is claimed after asking who is there, and used when nobody objects', () => {
  const { claim, sent, name, settle } = claimer();
  claim.start(0);
  assert.deepEqual(sent, [{ id: ID.request | 254, data: '00ee00' }]);
  claim.receive(ID.claim | 247, FIXED, 100);
  claim.receive(0x0cf00400 | 246, new Uint8Array(8), 100);
  claim.tick(1000);
  assert.equal(claim.address, null);
  settle(1000);
  assert.equal(claim.address, 245);
  assert.deepEqual(sent.at(-1), { id: ID.claim | 245, data: hex(name) });
  assert.equal((name[7] as number) & 0x80, 0x80, 'arbitrary address capable');
});

test('[F96] against a NAME with priority it moves on, against one without it defends, and who asks is answered', () => {
  const { claim, sent, settle } = claimer();
  claim.start(0);
  let now = settle(0);
  assert.equal(claim.address, 247);
  claim.receive(ID.claim | 247, MEEK, now);
  assert.equal(claim.address, 247);
  assert.equal(sent.at(-1)?.id, ID.claim | 247);
  const before = sent.length;
  claim.receive(0x18ea0000 | (247 << 8) | 3, Uint8Array.of(0, 0xee, 0), now);
  claim.receive(ID.request | 254, Uint8Array.of(0, 0xee, 0), now);
  claim.receive(ID.request | 3, Uint8Array.of(0xe5, 0xfe, 0), now);
  claim.receive(0x18ea0000 | (5 << 8) | 3, Uint8Array.of(0, 0xee, 0), now);
  assert.equal(sent.length, before + 2);
  claim.receive(ID.claim | 247, FIXED, now);
  assert.equal(claim.address, null, 'silent until nobody objects to the next');
  now = settle(now);
  assert.equal(claim.address, 246);
  // Our own frames come back from a kernel that hands them to other programs.
  claim.receive(ID.claim | 246, nameOf(7), now);
  claim.receive(ID.request | 246, Uint8Array.of(0xe5, 0xfe, 0), now);
  assert.equal(claim.address, 246);
  // Somebody who never claims talks from our address.
  claim.receive(0x0cf00400 | 246, new Uint8Array(8), now);
  assert.equal(claim.address, null);
});

test('[F96] without a free address it says that it cannot claim, and asks nothing', () => {
  const { claim, sent, name, settle } = claimer();
  claim.start(0);
  for (let address = 128; address <= 247; address++) claim.receive(ID.claim | address, FIXED, 10);
  settle(10);
  assert.equal(claim.state, 'none_left');
  assert.equal(claim.address, null);
  assert.deepEqual(sent.at(-1), { id: ID.claim | 254, data: hex(name) });
});

/** A requester on a bus of which a test is the master, and its time. */
function rig() {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-requests-'));
  const file = join(folder, 'requests.json');
  const sent: { at: number; id: number; data: string }[] = [];
  const events: { type: string; data: Record<string, unknown> }[] = [];
  const order: string[] = [];
  let now = 0;
  let allowed = false;
  let diskFull = false;
  const source = {
    canSend: true,
    allowSending(allow: boolean) {
      allowed = allow;
      order.push(`allowed ${allow}`);
    },
    send(id: number, data: Uint8Array) {
      if (!allowed) return false;
      sent.push({ at: now, id, data: hex(data) });
      return true;
    },
    report: () => ({ sending: allowed }) as never,
  };
  const make = () =>
    createRequester({
      source,
      device_id: 'logger-1',
      file,
      event(type, data) {
        if (diskFull) return false;
        events.push({ type, data });
        order.push(type);
        return true;
      },
      clock: () => 1_795_248_000_000 + now,
      monotonic: () => now,
    });
  const requester = make();
  return {
    requester,
    sent,
    events,
    order,
    file,
    make,
    allowed: () => allowed,
    fillDisk() {
      diskFull = true;
      rmSync(folder, { recursive: true, force: true });
    },
    /** Time passes; the gateway speaks once a minute while it is there. */
    pass(ms: number, gateway = true, heard?: (now: number) => void) {
      for (const end = now + ms; now < end; now += 100) {
        if (gateway && now % MINUTE === 0) requester.renewLease();
        heard?.(now);
        requester.tick();
      }
    },
    asked: () => sent.filter(({ id }) => (id & 0xffff00) === 0xeaff00 && (id & 255) !== 254),
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('[F94] disarmed, or armed without a gateway that speaks, nothing is sent and the way stays closed', () => {
  using at = rig();
  at.pass(10 * MINUTE);
  at.requester.setArmed(true);
  at.pass(100);
  assert.equal(at.allowed(), true);
  at.requester.setArmed(false);
  assert.equal(at.allowed(), false);
  const { length } = at.sent;
  at.pass(30 * MINUTE);
  assert.equal(at.sent.length, length);

  using other = rig();
  other.requester.setArmed(true);
  other.pass(30 * MINUTE, false);
  assert.deepEqual([other.sent, other.allowed(), other.events], [[], false, []]);
});

test('[F95] a gateway that is away for three minutes, or does not say it again after it came back, ends it at once', () => {
  using at = rig();
  at.requester.setArmed(true);
  at.pass(10 * MINUTE);
  assert.ok(at.sent.length > 0);
  at.pass(5 * MINUTE, false);
  assert.equal(at.allowed(), false);
  assert.equal(at.events.at(-1)?.type, 'x.bus.sending_ended');
  assert.equal(at.events.at(-1)?.data.reason, 'the gateway is away');
  const { length } = at.sent;
  at.pass(10 * MINUTE, false);
  assert.equal(at.sent.length, length);
  at.requester.connected();
  at.requester.renewLease();
  at.pass(11 * SECOND, false);
  assert.equal(at.allowed(), false);
  assert.equal(at.requester.report().armed, false);
});

test('[F97] each group is asked for every five minutes, one question a second at most, after listening for 90 s', () => {
  using at = rig();
  at.requester.setArmed(true);
  at.pass(85 * SECOND);
  assert.deepEqual(at.asked(), []);
  at.pass(30 * SECOND);
  assert.deepEqual(
    at.asked().map(({ data }) => data),
    ['e5fe00', 'dcfe00', 'e9fe00', 'e7fe00'],
  );
  const times = at.asked().map(({ at }) => at);
  for (let i = 1; i < times.length; i++) assert.ok((times[i] as number) - (times[i - 1] as number) >= SECOND);
  assert.ok(at.asked().every(({ id }) => (id & 255) === 247));
  // Nobody answers: three times, then once an hour.
  at.pass(60 * MINUTE);
  assert.equal(at.asked().length, 4 * 3);
  at.pass(60 * MINUTE);
  assert.equal(at.asked().length, 4 * 4);
});

test('[F97] what the bus tells by itself is not asked for', () => {
  using at = rig();
  at.requester.setArmed(true);
  at.pass(60 * MINUTE, true, (now) => {
    if (now % MINUTE === 0) at.requester.receive(HOURS, new Uint8Array(8));
  });
  assert.ok(at.asked().length > 0);
  assert.ok(at.asked().every(({ data }) => data !== 'e5fe00'));
});

test('[F97] a fight for addresses never takes more than thirty frames a minute', () => {
  using at = rig();
  at.requester.setArmed(true);
  at.pass(10 * MINUTE, true, (now) => {
    if (now > 3 * SECOND) at.requester.receive(ID.claim | 247, MEEK);
  });
  assert.ok(at.sent.length > 100, 'it defends');
  for (const { at: from } of at.sent)
    assert.ok(at.sent.filter(({ at: t }) => t >= from && t < from + MINUTE).length <= 30);
});

test('[F98] what was sent is on record: before the first byte, once an hour, at the end, and after a kill', () => {
  using at = rig();
  at.requester.setArmed(true);
  at.pass(3 * 60 * MINUTE, true, (now) => {
    // An engine that answers.
    const last = at.sent.at(-1);
    if (last !== undefined && now - last.at === 200 && last.data === 'e5fe00')
      at.requester.receive(HOURS, new Uint8Array(8));
  });
  assert.deepEqual(at.order.slice(0, 2), ['x.bus.sending_began', 'allowed true']);
  const hourly = at.events.filter(({ type }) => type === 'x.bus.requests');
  assert.ok(hourly.length >= 2 && hourly.length <= 3, `${hourly.length} entries in three hours`);
  const count = (which: 'asked' | 'answered', pgn: string) =>
    at.events.reduce((sum, { data }) => sum + ((data[which] as Record<string, number> | undefined)?.[pgn] ?? 0), 0);
  at.requester.setArmed(false);
  assert.equal(at.events.at(-1)?.type, 'x.bus.sending_ended');
  assert.equal(at.events.at(-1)?.data.frames, at.sent.length);
  assert.equal(count('asked', '65253'), at.asked().filter(({ data }) => data === 'e5fe00').length);
  assert.equal(count('answered', '65253'), count('asked', '65253'));
  const claims = at.events.reduce((sum, { data }) => sum + ((data.claims as number | undefined) ?? 0), 0);
  assert.equal(claims + at.asked().length, at.sent.length);

  // A process that is killed says nothing; the next one does.
  at.requester.setArmed(true);
  at.requester.renewLease();
  at.pass(5 * MINUTE);
  assert.ok(existsSync(at.file));
  at.make();
  const { type, data } = at.events.at(-1) ?? {};
  assert.deepEqual(
    [type, data?.interrupted, data?.asked],
    ['x.bus.requests', true, { 65244: 1, 65253: 1, 65255: 1, 65257: 1 }],
  );
  assert.equal(existsSync(at.file), false);
});

test('[F98] what cannot be put on record is not sent', () => {
  using at = rig();
  at.requester.setArmed(true);
  at.pass(5 * SECOND);
  assert.ok(at.sent.length > 0);
  at.fillDisk();
  const { length } = at.sent;
  at.pass(10 * MINUTE);
  assert.equal(at.sent.length, length);
  assert.equal(at.allowed(), false);

  using other = rig();
  other.fillDisk();
  other.requester.setArmed(true);
  other.pass(10 * MINUTE);
  assert.deepEqual([other.sent, other.allowed()], [[], false]);
});
