import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Kind, makeId } from '#contract/base/ids.ts';
import type { NewEntry } from '#domain/runs/run.ts';
import { endWrites, findRun, messageWrites, stageTask } from '#domain/runs/writes.ts';
import { taskHandlers } from '#handlers/tasks/tasks.ts';
import { createStage } from '#servers/invoke/staged.ts';
import { type Rig, startRig } from '#test/servers/rig.ts';
import { soon } from '#test/support/until.ts';

const tools = () => ({
  now: new Date().toISOString(),
  newId: (kind: Kind) => makeId(kind, Date.now(), randomBytes(10)),
});
const say = (text: string, final = false): NewEntry => ({ role: 'assistant', kind: 'message', text, final });

async function begin(rig: Rig) {
  const stage = createStage(rig.store, new Date().toISOString());
  const created_by = { type: 'workspace', id: null, name: null };
  const asked = { kind: 'worker', title: 'Count', prompt: 'Count the trucks.', created_by } as const;
  const { task, run } = stageTask(tools(), stage.view(rig.project), asked);
  await rig.store.commit(stage.writes());
  const view = rig.store.view(rig.project);
  const state = async () => {
    const found = await findRun(view, run.id);
    assert.ok(found);
    return found;
  };
  return {
    task: task.id,
    run: run.id,
    say: async (text: string) => view.commit(messageWrites(tools(), await state(), [say(text)])),
    end: async () =>
      view.commit(
        endWrites(
          tools(),
          await state(),
          { status: 'completed', output: { summary: null, created: {}, updated: {}, artifacts: [] } },
          [say('Done.', true)],
        ),
      ),
  };
}

interface Frame {
  id: string | null;
  event: string;
  data: { text?: string; status?: string };
}

/** Events of a stream, one at a time; undefined at its end. */
function framesOf(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let text = '';
  return {
    async next(): Promise<Frame | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end >= 0) {
          const lines = text.slice(0, end).split('\n');
          text = text.slice(end + 2);
          const field = (name: string) => lines.find((l) => l.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
          const data = field('data');
          if (data === null) continue;
          return { id: field('id'), event: field('event') ?? '', data: JSON.parse(data) };
        }
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += value;
      }
    },
    async all(): Promise<Frame[]> {
      const frames: Frame[] = [];
      for (let frame = await this.next(); frame !== undefined; frame = await this.next()) frames.push(frame);
      return frames;
    },
    cancel: () => reader.cancel(),
  };
}
const open = (rig: Rig, task: string, headers: Record<string, string> = {}) =>
  rig.request('GET', `/api/v1/tasks/${task}/stream`, { headers });
const short = (frames: readonly Frame[]) => frames.map(({ id, event, data }) => [id, event, data.text ?? data.status]);

test('[L6] a stream sends a run up to its one terminal event, from any Last-Event-ID', async (t) => {
  // No heartbeat comes, so that none brings what a commit did not.
  t.mock.timers.enable({ apis: ['setInterval'] });
  await using rig = await startRig({ groups: [taskHandlers] });
  const work = await begin(rig);
  const response = await open(rig, work.task);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const stream = framesOf(response);
  assert.deepEqual(short([await stream.next(), await stream.next()] as Frame[]), [
    ['1', 'message', 'Count the trucks.'],
    [null, 'run', 'pending'],
  ]);
  await work.say('one');
  const third = await soon(stream.next(), 'the message that was just said');
  assert.deepEqual([third?.id, third?.data.text], ['2', 'one']);
  await work.end();
  const rest = short(await soon(stream.all(), 'the end of the run'));
  assert.deepEqual(
    rest.filter(([, event]) => event === 'message'),
    [['3', 'message', 'Done.']],
  );
  assert.deepEqual(
    rest.filter(([, event]) => event === 'terminal'),
    [['4', 'terminal', 'completed']],
  );
  assert.deepEqual(rest.at(-1)?.[1], 'terminal');

  const resumed = short(await framesOf(await open(rig, work.task, { 'last-event-id': '2' })).all());
  assert.deepEqual(resumed, [
    ['3', 'message', 'Done.'],
    [null, 'run', 'completed'],
    ['4', 'terminal', 'completed'],
  ]);
  const over = await open(rig, work.task, { 'last-event-id': '4' });
  assert.equal(over.status, 204, 'a client that had the terminal event is told to stop');
});

test('[L6] many messages in a short time are sent once and in order', async () => {
  await using rig = await startRig({ groups: [taskHandlers] });
  const work = await begin(rig);
  const stream = framesOf(await open(rig, work.task));
  for (let i = 0; i < 30; i++) await work.say(`${i}`);
  await work.end();
  const told = (await stream.all()).filter(({ event }) => event === 'message');
  assert.deepEqual(
    told.map(({ id }) => Number(id)),
    Array.from({ length: 32 }, (_, i) => i + 1),
  );
});

test('[L6] a stream needs access to its run, and ends when its key is revoked', async () => {
  await using rig = await startRig({ groups: [taskHandlers] });
  const work = await begin(rig);
  assert.equal(
    (await rig.request('GET', `/api/v1/tasks/${work.task}/stream`, { headers: { 'project-id': rig.other } })).status,
    404,
  );
  assert.equal((await open(rig, 'tsk_none')).status, 404);
  const { secret, id } = await rig.mint({ role: 'viewer' });
  const stream = framesOf(await open(rig, work.task, { authorization: `Bearer ${secret}` }));
  assert.equal((await stream.next())?.event, 'message');
  await rig.revoke(id);
  assert.ok((await stream.all()).every(({ event }) => event !== 'terminal'));
});
