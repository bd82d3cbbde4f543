/**
 * Pictures of a status board in its other states: calm, with a trouble that is over, and without the gateway:
 * `node test/bench/wall-states.ts FOLDER [COUNTS]`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser } from '#test/e2e/browser.ts';
import { startGateway } from '#test/support/gateway.ts';
import { randomSite } from './random-site.ts';

const folder = process.argv[2] ?? 'shots';
const counts = (process.argv[3] ?? '12,40,120').split(',').map(Number);
mkdirSync(folder, { recursive: true });

await using chromium = await startBrowser();
for (const count of counts)
  for (const calm of [true, false]) {
    const gateway = await startGateway();
    const site = await randomSite(gateway, 4, count, { calm });
    await using screen = await chromium.open(gateway.node.http + site.wall);
    const { page } = screen;
    await page.locator('.above > *').first().waitFor();
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    const name = `${count}-${calm ? 'calm' : 'trouble'}`;
    await page.waitForTimeout(14_000);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    if (!calm) {
      const { data } = await site.client.call('repair_tickets_list', { limit: 1, status: 'flagged' });
      const [ticket] = data;
      if (ticket !== undefined) {
        const done = { id: ticket.id, status: 'canceled' as const, reason: 'Not needed' };
        await site.client.call('repair_tickets_update', done, { if_match: ticket.revision }).catch(console.error);
        await page.waitForTimeout(4_000);
        await page.screenshot({ path: join(folder, `${name}-over.png`) });
      }
    }
    await site[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
    await page.locator('.band').waitFor();
    await page.waitForTimeout(2_000);
    await page.screenshot({ path: join(folder, `${name}-lost.png`) });
  }
