import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import type { Feed, FeedListener, FeedSource, LivePatch } from '#contract/site/live.ts';
import { createLive } from '#servers/http/live.ts';
import { SHARE, startRig } from '#test/servers/rig.ts';
import { until } from '#test/support/until.ts';

interface StreamEvent {
  name: string;
  data: unknown;
}

/** Reads events off a stream as they come. */
async function* events(response: Response): AsyncGenerator<StreamEvent> {
  assert.ok(response.body);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [name = '', data = ''] = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      yield { name: name.replace('event: ', ''), data: JSON.parse(data.replace('data: ', '')) };
    }
  }
}

/** The next event; on a machine that is slow heartbeats come between, at any time. */
async function next(stream: AsyncGenerator<StreamEvent>, beats = false): Promise<StreamEvent> {
  for (;;) {
    const { value, done } = await stream.next();
    assert.ok(!done, 'the stream ended');
    if (beats || value.name !== 'heartbeat') return value;
  }
}

const patch = (text: string): LivePatch => ({ board: 'b', widget: 'w', data: { type: 'text', text } });
const delta = (text: string) => ({ name: 'delta', data: { server_ms: 1, patches: [patch(text)] } }) as const;

test('[L1] a stream sends a snapshot and then deltas in order, and ignores Last-Event-ID', async () => {
  await using rig = await startRig();
  const response = await fetch(`${rig.base}/api/v1/displays/${SHARE}/live`, { headers: { 'last-event-id': '7' } });
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const stream = events(response);
  assert.equal((await next(stream)).name, 'snapshot');
  for (const text of ['1', '2', '3']) rig.feeds.emit(delta(text));
  for (const text of ['1', '2', '3'])
    assert.deepEqual(await next(stream), { name: 'delta', data: { server_ms: 1, patches: [patch(text)] } });
  await stream.return(undefined);
});

test('[L4] when a share ends its streams get gone and end; an unknown share is 404', async () => {
  await using rig = await startRig();
  const stream = events(await fetch(`${rig.base}/api/v1/displays/${SHARE}/live`));
  await next(stream);
  rig.feeds.emit({ name: 'gone', data: { reason: 'revoked' } });
  assert.deepEqual(await next(stream), { name: 'gone', data: { reason: 'revoked' } });
  assert.equal((await stream.next()).done, true);
  assert.equal(rig.feeds.watching, 0);
  const none = await fetch(`${rig.base}/api/v1/displays/${'x'.repeat(43)}/live`);
  assert.equal(none.status, 404);
  assert.equal((await fetch(`${rig.base}/api/v1/live?kind=dashboard&object_id=dash_1`)).status, 401);
  assert.equal((await rig.request('GET', '/api/v1/live?kind=dashboard&object_id=dash_2')).status, 404);
  assert.equal((await rig.request('GET', '/api/v1/live?kind=desk&object_id=dash_1')).status, 400);
});

test('a client that disconnects is removed from the live streams', async () => {
  await using rig = await startRig();
  const leaving = new AbortController();
  const response = await fetch(`${rig.base}/api/v1/displays/${SHARE}/live`, { signal: leaving.signal });
  await next(events(response));
  assert.equal(rig.feeds.watching, 1);
  leaving.abort();
  await until(() => rig.feeds.watching === 0);
});

/** A live server alone, with bounds small enough to reach. */
async function startLive(options: {
  maxClients?: number;
  maxBuffer?: number;
  heartbeatMs?: number;
  lingerMs?: number;
}) {
  const listeners = new Set<FeedListener>();
  let encodings = 0;
  const feed: Feed = {
    snapshot: () => ({
      build: '',
      server_ms: 0,
      project: { name: '', timezone: '', simulated: false },
      title: '',
      boards: [],
    }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const feeds: FeedSource = {
    open: async () => feed,
    project: () => Promise.reject(new Error('this source has boards only')),
    media: async () => undefined,
  };
  const live = createLive({ feeds, build: 'b7', clock: () => 1_234, ...options });
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    live
      .serve(request, response, { share: 's' }, async () => true, [`holder:${request.headers.holder ?? ''}`])
      .catch((error: { status: number }) => {
        response.writeHead(error.status).end();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    live,
    port,
    base: `http://127.0.0.1:${port}`,
    listeners,
    get encodings() {
      return encodings;
    },
    /** Emits a delta that counts how often it is encoded. */
    emit(text: string) {
      const data = {
        server_ms: 0,
        patches: [patch(text)],
        toJSON() {
          encodings++;
          return { server_ms: 0, patches: [patch(text)] };
        },
      };
      for (const listener of [...listeners]) listener({ name: 'delta', data });
    },
    async [Symbol.asyncDispose]() {
      live[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('[L2] a client that does not read gets resync and is disconnected; others get all events', async () => {
  await using rig = await startLive({ maxBuffer: 64 * 1024, heartbeatMs: 1_000_000, lingerMs: 60_000 });
  const good = events(await fetch(rig.base));
  await next(good);
  const slow = connect(rig.port, '127.0.0.1');
  slow.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  slow.pause();
  await until(() => rig.live.clients >= 2);
  const big = 'x'.repeat(500_000);
  let sent = 0;
  while (rig.live.dropped === 0) {
    rig.emit(`${sent++}${big}`);
    const seen = (await next(good)).data as { patches: { data: { text: string } }[] };
    assert.ok(seen.patches[0]?.data.text.startsWith(String(sent - 1)));
    assert.ok(sent < 1_000, 'nothing was dropped');
  }
  assert.equal(rig.live.clients, 1);
  assert.equal(rig.listeners.size, 1);
  let text = '';
  await new Promise<void>((resolve) => {
    slow.on('data', (chunk) => {
      text += chunk.toString('latin1');
      // The last chunk of the answer (RFC 9112 7.1).
      if (text.endsWith('0\r\n\r\n')) resolve();
    });
    slow.on('close', resolve);
    slow.resume();
  });
  assert.match(text, /event: resync\ndata: \{"reason":/);
  slow.destroy();
  await good.return(undefined);
});

test('[L3] the number of streams is limited, and a closed stream frees its place', async () => {
  await using rig = await startLive({ maxClients: 2, heartbeatMs: 1_000_000 });
  const leaving = new AbortController();
  await fetch(rig.base, { signal: leaving.signal });
  const second = await fetch(rig.base);
  assert.equal((await fetch(rig.base)).status, 429);
  leaving.abort();
  await until(() => rig.live.clients !== 2);
  const third = await fetch(rig.base);
  assert.equal(third.status, 200);
  await Promise.all([second.body?.cancel(), third.body?.cancel()]);
});

test('[L1] the heartbeat has the time and the build of the gateway', async () => {
  await using rig = await startLive({ heartbeatMs: 10 });
  const stream = events(await fetch(rig.base));
  await next(stream);
  assert.deepEqual(await next(stream, true), { name: 'heartbeat', data: { server_ms: 1_234, build: 'b7' } });
  await stream.return(undefined);
});

test('[L5] an event is encoded once for all clients', async () => {
  await using rig = await startLive({ heartbeatMs: 1_000_000 });
  const streams = await Promise.all(Array.from({ length: 5 }, async () => events(await fetch(rig.base))));
  for (const stream of streams) await next(stream);
  rig.emit('a');
  for (const stream of streams) assert.equal((await next(stream)).name, 'delta');
  assert.equal(rig.encodings, 1);
  for (const stream of streams) await stream.return(undefined);
});
