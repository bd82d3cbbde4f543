/** The preview of boards that are not stored, with keys of different scopes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '#test/support/gateway.ts';

test('[A947] a key with the scope live:read gets no code of a display link, and a key that may read links gets it', async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const [playlist] = (await client.call('playlists_list', {})).data;
  const share = { kind: 'playlist' as const, object_id: playlist?.id ?? '' };
  await client.call('display_shares', share);
  const look = async (scopes: string[]) => {
    const { secret } = await gateway.client.call('keys_create', {
      name: 'Reader',
      role: 'agent',
      scopes,
      expires_in_days: 1,
    });
    const leave = new AbortController();
    const answer = await fetch(client.url('live_preview', {}), {
      method: 'POST',
      headers: { ...client.headers(), authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Draft',
        widgets: [{ id: 'link', type: 'qr', position: { x: 0, y: 0, w: 2, h: 3 }, params: { share } }],
      }),
      signal: leave.signal,
    });
    assert.equal(answer.status, 200);
    const { value } = (await answer.body?.getReader().read()) ?? {};
    leave.abort();
    return /"qr":\{"code":(null|\{)/.exec(new TextDecoder().decode(value))?.[1];
  };
  assert.equal(await look(['live:read']), 'null');
  assert.equal(await look(['live:read', 'display-shares:write']), '{');
});
