import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '#contract/base/limits.ts';
import { customActionHandlers } from '#handlers/tasks/custom-actions.ts';
import { createPlaces, createTurns, type Release } from '#servers/base/fair-share.ts';
import { drained, paced, TooSlow } from '#servers/base/pace.ts';
import { SHARE, startRig } from '#test/servers/rig.ts';

test('[W21] a principal at its limit leaves places for others', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 64 }),
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.record({ who: fc.integer({ min: 0, max: 5 }), takes: fc.boolean() }), { maxLength: 300 }),
      (total, each, steps) => {
        const places = createPlaces({ total, each, what: 'things' });
        const held = new Map<number, Release[]>();
        const all = () => [...held.values()].flat().length;
        for (const { who, takes } of steps) {
          const own = held.get(who) ?? [];
          if (!takes) {
            const release = own.pop();
            release?.();
            release?.();
          } else {
            const free = total - all();
            try {
              own.push(places.take(`p${who}`));
              assert.ok(free > 0 && own.length <= each);
            } catch (error) {
              assert.equal((error as { code?: string }).code, 'rate_limited');
              assert.ok(own.length >= each || free <= (own.length === 0 ? 0 : Math.floor(total / 8)));
            }
          }
          held.set(who, own);
          assert.equal(places.taken, all());
        }
      },
    ),
  );
});

/** Between the requests of two sockets the microtasks of the first run, within one turn of the loop. */
async function microtasks(): Promise<void> {
  for (let i = 0; i < 5; i++) await null;
}

test('[W21] many calls of one principal delay a call of another by one slice only', async () => {
  let now = 0;
  const turns = createTurns({ now: () => now, others: () => true });
  const order: string[] = [];
  const call = (who: string) =>
    turns.run(who, 16, async () => {
      order.push(who);
      now += 2;
    });
  const crowd: Promise<void>[] = [];
  for (let i = 0; i < 40; i++) {
    crowd.push(call('greedy'));
    await microtasks();
  }
  // Comes a turn of the loop later, as the request of another socket would.
  const honest = new Promise<void>((resolve) => setImmediate(() => resolve(call('honest'))));
  await Promise.all([...crowd, honest]);
  assert.equal(order.length, 41);
  const place = order.indexOf('honest');
  assert.ok(place > 0 && place <= 9, `the honest call was number ${place + 1} of 41`);
});

test('[W21] waiting calls are served round-robin and in order, and their number is limited', async () => {
  let now = 0;
  const turns = createTurns({ now: () => now, others: () => true });
  const order: string[] = [];
  const call = (who: string, i: number) =>
    turns.run(who, 16, async () => {
      order.push(`${who}${i}`);
      now += 5;
    });
  const calls: Promise<void>[] = [];
  for (const who of ['a', 'b'])
    for (let i = 0; i < 6; i++) {
      calls.push(call(who, i));
      await microtasks();
    }
  await Promise.all(calls);
  for (const who of ['a', 'b'])
    assert.deepEqual(
      order.filter((one) => one.startsWith(who)),
      Array.from({ length: 6 }, (_, i) => `${who}${i}`),
    );
  assert.ok(Math.abs(order.indexOf('b5') - order.indexOf('a5')) <= 2, order.join(' '));
  let go = () => {};
  const held = turns.run('c', 1, () => new Promise<void>((resolve) => (go = resolve)));
  const waiting = Array.from({ length: 512 }, (_, i) => turns.run('c', 1, async () => i));
  await assert.rejects(
    turns.run('c', 1, async () => -1),
    { code: 'rate_limited' },
  );
  assert.equal(await turns.run('d', 1, async () => 7), 7, 'another principal waits for none of them');
  go();
  await held;
  assert.deepEqual(
    await Promise.all(waiting),
    Array.from({ length: 512 }, (_, i) => i),
  );
});

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<AsyncDisposable & { port: number }> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('[W21] a principal that is alone is not delayed, until another one calls', async () => {
  let now = 0;
  const turns = createTurns({ now: () => now });
  let under = 0;
  let most = 0;
  const call = (who: string) =>
    turns.run(who, 2, async () => {
      most = Math.max(most, ++under);
      await new Promise((resolve) => setImmediate(resolve));
      under--;
    });
  await Promise.all(Array.from({ length: 20 }, () => call('a')));
  assert.equal(most, 20);
  most = 0;
  await call('b');
  await Promise.all(Array.from({ length: 20 }, () => call('a')));
  assert.equal(most, 2);
  now += 1_000;
  most = 0;
  await Promise.all(Array.from({ length: 20 }, () => call('a')));
  assert.equal(most, 20);
});

test('[W21] the running calls of one principal are limited, and the end of each starts the next', async () => {
  const turns = createTurns({ others: () => true });
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ who: fc.constantFrom('a', 'b', 'c'), ms: fc.integer({ min: 0, max: 2 }), fails: fc.boolean() }),
        {
          maxLength: 40,
        },
      ),
      async (calls) => {
        const active: Record<string, number> = {};
        let done = 0;
        await Promise.allSettled(
          calls.map(({ who, ms, fails }) =>
            turns.run(who, 2, async () => {
              active[who] = (active[who] ?? 0) + 1;
              assert.ok(active[who] <= 2);
              if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
              active[who]--;
              done++;
              if (fails) throw new Error('a call that fails gives its turn back');
            }),
          ),
        );
        assert.equal(done, calls.length);
      },
    ),
    { numRuns: 50 },
  );
});

test('[W22] a body that pauses or is too slow is refused; a faster one is read', async () => {
  const ends: string[] = [];
  const pace = { silenceMs: 300, bytes: 1_000, windowMs: 300 };
  const read = async (request: IncomingMessage, response: ServerResponse) => {
    let size = 0;
    try {
      for await (const chunk of paced(request, pace)) size += chunk.length;
      ends.push(`${size}`);
    } catch (error) {
      ends.push(error instanceof TooSlow ? 'too slow' : String(error));
    }
    response.end();
  };
  await using server = await serve(read);
  async function post(write: (socket: Socket) => Promise<void> | void): Promise<void> {
    const socket = connect(server.port, '127.0.0.1');
    const answered = once(socket, 'data');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n');
    await write(socket);
    await answered;
    socket.destroy();
  }
  await post((socket) => void socket.write(Buffer.alloc(5_000)));
  await post((socket) => void socket.write(Buffer.alloc(10)));
  await post((socket) => {
    // A byte every 50 ms is never silent and never done.
    const drip = setInterval(() => socket.write('x'), 50);
    socket.on('close', () => clearInterval(drip));
  });
  assert.deepEqual(ends, ['5000', 'too slow', 'too slow']);
});

test('[W22] a client that does not read is disconnected and frees its place', async () => {
  let released = () => {};
  const over = new Promise<void>((resolve) => {
    released = resolve;
  });
  await using server = await serve(async (_request, response) => {
    while (!response.destroyed) {
      while (response.write(Buffer.alloc(65_536)));
      await drained(response, 200);
    }
    released();
  });
  const socket = connect(server.port, '127.0.0.1');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await over;
  socket.destroy();
});

test('[W21] one display link cannot use all streams, also from many addresses', async () => {
  await using rig = await startRig();
  const open = async (path: string, localAddress: string, headers: Record<string, string> = {}) => {
    const asked = send(`${rig.base}${path}`, { localAddress, headers, agent: false });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: response.statusCode, end: () => asked.destroy() };
  };
  const live = `/api/v1/displays/${SHARE}/live`;
  const opened = await Promise.all(
    Array.from({ length: 4 }, (_, n) => Array.from({ length: 40 }, () => open(live, `127.0.0.${n + 2}`))).flat(),
  );
  const taken = opened.filter(({ status }) => status === 200).length;
  assert.equal(taken, 50);
  assert.ok(opened.every(({ status }) => status === 200 || status === 429));
  const office = await open('/api/v1/live?kind=dashboard&object_id=dash_1', '127.0.0.9', {
    authorization: `Bearer ${rig.key}`,
    'project-id': rig.project,
  });
  assert.equal(office.status, 200);
  for (const { end } of [...opened, office]) end();
});

test('[W21] unread exports of one key do not block those of another', async () => {
  await using rig = await startRig({ groups: [customActionHandlers] });
  const client = rig.client();
  // Together 10 MB: more than the kernel takes for a reader that does not read.
  const action = { label: 'Look', emoji: '🔍', prompt: 'x'.repeat(20_000) };
  for (let i = 0; i < 500; i++) await client.call('custom_actions_create', action);
  const { secret } = await rig.mint({ role: 'viewer' });
  /** An export that nobody reads: small buffers and no reading at all. */
  const unread = async (key: string) => {
    const socket = connect({ port: rig.http.port, host: '127.0.0.1' });
    const headers = `Host: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nProject-ID: ${rig.project}\r\nAccept: text/csv\r\n`;
    socket.write(`GET /api/v1/custom-actions HTTP/1.1\r\n${headers}\r\n`);
    const [first] = (await once(socket, 'readable').then(() => [socket.read(12)])) as [Buffer];
    return { status: first.toString().slice(9, 12), socket };
  };
  const hostile = Array.from({ length: 8 }, () => unread(secret));
  const own = await rig.request('GET', '/api/v1/custom-actions', { headers: { accept: 'text/csv' } });
  const ends = await Promise.all(hostile);
  assert.ok(ends.some(({ status }) => status === '429'));
  assert.equal(own.status, 200);
  assert.equal((await own.text()).trim().split('\r\n').length, 501);
  for (const { socket } of ends) socket.destroy();
});

test('[W21] the limits of all interfaces reserve places for others', () => {
  for (const [total, each] of [
    [LIMITS.streams.value, 50],
    [LIMITS.upload_writes.value, 4],
    [LIMITS.frames.value, 8],
    [LIMITS.exports.value, 2],
    [LIMITS.large_bodies.value, 2],
  ] as const)
    assert.ok(total >= 4 * each);
});
