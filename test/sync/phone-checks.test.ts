/** What people send with the QR code of a machine, at head office. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/support/until.ts';
import { End, enrol } from './ends.ts';

test('[A993] a check, a report and its photo with a QR code are at head office too, with who and when', async () => {
  await using cloud = await new End({ HEADFRAME_ROLE: 'cloud' }).start();
  await using site = await new End({}).start();
  const project = await enrol(cloud, site, `http://127.0.0.1:${cloud.port}`);
  const [here, there] = [site.client(project), cloud.client(project)];
  const { id } = await here.call('equipment_create', { unit_number: 'HT-03' });
  const { url } = await here.call('fault_links', { equipment_id: id });
  const path = `http://127.0.0.1:${site.port}/api/v1/fault-reports/${url?.split('/').at(-1)}`;
  const { pass } = (await (await fetch(path)).json()) as { pass: string };
  const post = async (to: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const all = { reporter: 'Ben Kato', pass, report_id: 'report-1', ...body };
    const answer = await fetch(`${path}${to}`, { method: 'POST', headers, body: JSON.stringify(all) });
    assert.equal(answer.status, 201);
    return (await answer.json()) as { id: string; checked_at?: string };
  };
  const check = await post('/checks', { report_id: 'check-01' });
  await post('', { problem: 'leak' });
  const content_base64 = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]).toString('base64');
  const photo = await post('/photos', { photo_id: 'photo-01', content_base64 });
  const checks = async () =>
    (await there.call('equipment_events', { id, type: 'checked' }).catch(() => null))?.data ?? [];
  await until(async () => (await checks()).length === 1, 'the check is at head office');
  assert.deepEqual(
    (await checks()).map((one) => [one.id, one.actor.name, one.occurred_at]),
    [[check.id, 'Ben Kato', check.checked_at]],
  );
  const media = async () =>
    (await there.call('repair_tickets_list', { equipment_id: id })).data[0]?.context.media ?? [];
  await until(async () => (await media()).includes(photo.id), 'the ticket at head office has the photo');
  await until(
    async () => (await there.call('artifacts_get', { id: photo.id }).catch(() => null)) !== null,
    'the file is at head office',
  );
});
