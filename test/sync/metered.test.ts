/** A site whose link costs money calls seldom, and both ends know that this is no outage. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_HARM, startCutProxy } from '#test/support/cut-proxy.ts';
import { startGateway } from '#test/support/gateway.ts';
import { moveClock } from '#test/support/moved-clock.ts';
import { TEST_SEED } from '#test/support/seed.ts';
import { until } from '#test/support/until.ts';

const MINUTE_MS = 60_000;

test('[Y88] a quiet site on a metered link is in step at both ends, and a silent one is named after its interval', async () => {
  await using cloud = await startGateway(undefined, {}, { HEADFRAME_ROLE: 'cloud' });
  await using site = await startGateway();
  await using proxy = await startCutProxy(Number(new URL(cloud.node.http).port), TEST_SEED);
  proxy.harm = NO_HARM;
  await site.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  await site.client.call('sync_budget_set', { metered: true });
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry North' });
  await site.client.call('sync_link_set', { cloud_url: `http://127.0.0.1:${proxy.port}`, code });
  const here = () => site.client.call('sync_status', {});
  const there = async () => {
    const { gateways, sentence } = await cloud.client.call('sync_status', {});
    const [gateway] = gateways;
    if (gateway === undefined) throw new Error('head office has no gateway');
    return { ...gateway, all: sentence };
  };
  await until(async () => (await here()).state === 'in_step', 'the site is in step');
  await until(async () => (await there()).link === 'metered', 'head office knows that the link is metered');
  assert.equal((await there()).contact_s, 900);

  // Nothing happens at either end for 45 minutes.
  for (let i = 0; i < 3; i++) {
    moveClock(14.5 * MINUTE_MS);
    const before = await there();
    assert.equal(before.connected, true, JSON.stringify(before));
    assert.match(before.sentence, /^Connected\. The link costs money by the byte, so it calls every 15 minutes\./);
    assert.equal(before.all, 'The site is connected.');
    assert.equal((await here()).state, 'in_step');
    moveClock(0.5 * MINUTE_MS);
    // The call that is due now, and not one that came late from the round before.
    const due = new Date(Date.now() - MINUTE_MS).toISOString();
    await until(async () => ((await there()).last_contact_at ?? '') > due, 'the site calls again');
    await until(async () => ((await here()).in_step_at ?? '') > due, 'the site knows that both ends have the same');
    const { state, sentence } = await here();
    assert.deepEqual([state, sentence], ['in_step', 'Head office has everything that this site has.']);
  }

  proxy.cut();
  moveClock(15.5 * MINUTE_MS);
  assert.equal((await there()).connected, true, 'its call is not late yet');
  await until(async () => (await here()).state === 'offline', 'the site notices it with its next call');
  assert.match((await here()).sentence, /^There is no connection to head office for [12]\d minutes\./);
  moveClock(2 * MINUTE_MS);
  const silent = await there();
  assert.equal(silent.connected, false);
  assert.match(silent.sentence, /^No connection for [12]\d minutes\./);
  assert.equal(silent.all, 'The site has no connection now.');

  proxy.open();
  // The next try comes when its time has come.
  moveClock(5 * MINUTE_MS);
  await until(async () => (await here()).state === 'in_step', 'the site is in step again');
  await until(async () => (await there()).connected, 'head office hears the site again');
});
