import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '#test/support/gateway.ts';
import { withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

test('[U7] the header of a TV shows "Demo" for a simulated site, on every board', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Demo quarry', simulated: true });
  const client = gateway.project(project.id);
  const boards = await client.call('dashboards_list', {});
  assert.ok(boards.data.length > 0);
  const chromium = await sharedBrowser();
  for (const { id } of boards.data) {
    const share = await client.call('display_shares', { kind: 'dashboard', object_id: id });
    await using watched = await chromium.open(gateway.node.http + new URL(share.url ?? '').pathname);
    await watched.page.locator('.demo >> text=Demo').waitFor();
  }
});
