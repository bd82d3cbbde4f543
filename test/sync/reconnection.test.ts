/** What a site asks head office after an outage. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { CONTACT_MS, isNewerState } from '#sync/hint-listener.ts';
import { startBalancer } from '#test/support/balancer.ts';
import { startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';

const MESSAGES = '/api/v1/sync/messages';
const HINTS = '/api/v1/sync/hints';
/** A site that has news to ask for asks in this time. */
const QUIET_MS = 1_500;

async function openPair() {
  await using opened = new AsyncDisposableStack();
  const cloud = opened.use(await startGateway(undefined, {}, { HEADFRAME_ROLE: 'cloud' }));
  const site = opened.use(await startGateway());
  const way = opened.use(await startBalancer([Number(new URL(cloud.node.http).port)]));
  const { project } = await site.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry North' });
  await site.client.call('sync_link_set', { cloud_url: `http://127.0.0.1:${way.port}`, code });
  const state = async () => (await site.client.call('sync_status', {})).state;
  const inStep = () => until(async () => (await state()) === 'in_step', 'the site is in step');
  const count = (path: string): number => way.count(path)[0] ?? 0;
  /** Waits until the site sends nothing, and returns how many messages it has sent. */
  const settled = async (): Promise<number> => {
    for (let before = -1; ; ) {
      const now = count(MESSAGES);
      if (now === before) return now;
      before = now;
      await pause(QUIET_MS);
    }
  };
  await inStep();
  await settled();
  const ends = opened.move();
  return {
    ...{ cloud, site, way, state, inStep, count, settled, project: project.id },
    [Symbol.asyncDispose]: () => ends.disposeAsync(),
  };
}

test('[Y280] a site that has said hello after an outage asks for no news when it waits for hints again', async () => {
  await using pair = await openPair();
  const { site, cloud, way, state, inStep, count, settled, project } = pair;
  const truck = await site.client.call('equipment_create', { unit_number: 'HT-01' }, { project_id: project });
  await settled();
  way.cut(HINTS, MESSAGES);
  await site.client.call('equipment_update', { id: truck.id, model: '777G' }, { project_id: project });
  await until(async () => (await state()) === 'offline', 'the site notices the outage');
  const waited = count(HINTS);
  const release = way.hold(HINTS);
  way.cut();
  await inStep();
  const sent = await settled();
  release();
  await until(() => count(HINTS) > waited + 1, 'the site waits for hints again');
  assert.equal(await settled(), sent, 'nothing more is asked');

  // The site still hears what is new at head office.
  await cloud.client.call('equipment_update', { id: truck.id, name: 'Old truck' }, { project_id: project });
  const nameHere = async () => (await site.client.call('equipment_list', {}, { project_id: project })).data[0]?.name;
  await until(async () => (await nameHere()) === 'Old truck', 'the new name is at the site');
});

test('[Y280] a site asks for news if only its request for hints failed, and for a change that head office made meanwhile', async () => {
  await using pair = await openPair();
  const { site, cloud, way, count, inStep, settled, state, project } = pair;
  const before = await settled();
  const waited = count(HINTS);
  way.cut(HINTS);
  await pause(100);
  way.cut();
  await until(() => count(HINTS) > waited + 1, 'the site waits for hints again');
  const from = performance.now();
  await until(() => count(MESSAGES) > before, 'the site asks for news');
  assert.ok(performance.now() - from < CONTACT_MS.free / 2, 'it asks at once, and not with the call of each minute');

  const truck = await site.client.call('equipment_create', { unit_number: 'HT-01' }, { project_id: project });
  await inStep();
  await settled();
  way.cut(HINTS, MESSAGES);
  await site.client.call('equipment_update', { id: truck.id, model: '777G' }, { project_id: project });
  await until(async () => (await state()) === 'offline', 'the site notices the outage');
  const release = way.hold(HINTS);
  way.cut();
  await inStep();
  await settled();
  await cloud.client.call('equipment_update', { id: truck.id, name: 'Old truck' }, { project_id: project });
  const released = performance.now();
  release();
  const nameHere = async () =>
    (await site.client.call('equipment_get', { id: truck.id }, { project_id: project })).name;
  await until(async () => (await nameHere()) === 'Old truck', 'the new name is at the site');
  assert.ok(performance.now() - released < CONTACT_MS.free / 2, 'the hint told it, and not the call of each minute');
});

test('[Y280] a state is newer if one of its projects has a later time, or if it has another number of projects', () => {
  const cases: readonly [string, string | undefined, boolean][] = [
    ['', undefined, false],
    ['.', undefined, false],
    ['a.', undefined, true],
    ['.b', 'a.b', false],
    ['.c', 'a.b', true],
    ['a.b', 'a.b', false],
    ['a.b.', 'a.b', true],
    ['a', 'a.b', true],
  ];
  for (const [state, than, expected] of cases) assert.equal(isNewerState(state, than), expected, `${state} ${than}`);
});
