/** Makes pictures of the office page, for the README: `node test/bench/readme-pictures.ts [FOLDER]`. The default is docs/pictures. */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { createClient } from '#contract/client.ts';
import { signIn, startBrowser } from '#test/e2e/browser.ts';
import { type Scene, setScene, TROUBLE } from '#test/e2e/wall-scene.ts';
import { startGateway } from '#test/support/gateway.ts';

const folder = process.argv[2] ?? 'docs/pictures';

/** Stores five hours of values of the machine with hot coolant: its coolant level falls, and the coolant gets hot. */
async function hours({ machines }: Scene, http: string): Promise<void> {
  const machine = machines.get(TROUBLE.critical);
  if (machine === undefined) throw new Error('the scene has no such machine');
  const device = createClient({ base_url: http, key: machine.key });
  const now = Date.now();
  const points = Array.from({ length: 299 }, (_, i) => {
    const minute = i - 300;
    const isIdle = (minute > -210 && minute < -180) || (minute > -95 && minute < -80);
    const bad = Math.max(0, minute + 45) / 45;
    return {
      observed_at: new Date(now + minute * 60_000).toISOString(),
      values: {
        'engine.speed': isIdle ? 780 : 1_500 + 220 * Math.sin(i / 3),
        'engine.load': isIdle ? 11 : 62 + 18 * Math.sin(i / 2),
        'engine.coolant_temperature': 86 + 24 * bad + Math.sin(i),
        'engine.coolant_level': 96 - 20 * bad,
        'engine.oil_pressure': isIdle ? 210 : 390 + 12 * Math.sin(i),
        'engine.fuel_rate': isIdle ? 7 : 48 + 6 * Math.sin(i / 2),
        'fuel.level': 96 - i / 8,
        'electrical.battery': 27.8 + 0.1 * Math.sin(i),
      },
    };
  });
  for (let i = 0; i < points.length; i += 60)
    await device.call('devices_telemetry', { id: machine.device, points: points.slice(i, i + 60) });
}

await using chromium = await startBrowser();
await using gateway = await startGateway();
await using scene = await setScene(gateway);
const id = scene.machines.get(TROUBLE.critical)?.equipment_id ?? '';
await hours(scene, gateway.node.http);
await scene.client.call('equipment_take', { id });

async function keep(page: Page, hash: string, ready: string, name: string): Promise<void> {
  await page.goto(`${gateway.node.http}/#${hash}`);
  await page.locator(ready).first().waitFor({ state: 'attached' });
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.waitForTimeout(2_000);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

for (const [look, rows] of [
  [
    'light',
    [
      ['alerts', '.alert', 'office-alerts'],
      ['tickets', '.ticket-card', 'office-repairs'],
    ],
  ],
  ['dark', [[`story/${id}`, '.story-line path', 'office-story']]],
] as const) {
  await using office = await chromium.open(gateway.node.http, {
    viewport: { width: 1680, height: 1050 },
    colorScheme: look,
  });
  const { page } = office;
  await signIn(page);
  await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor();
  for (const [hash, ready, name] of rows) await keep(page, hash, ready, name);
}
