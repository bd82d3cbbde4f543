/**
 * Pictures of status boards of random sites, whole and as they look from 5 m (480 x 270), with the truth of each site:
 * `node test/bench/wall-sites.ts FOLDER [SEED] [SITES] [COUNTS]`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser } from '#test/e2e/browser.ts';
import { startGateway } from '#test/support/gateway.ts';
import { randomSite } from './random-site.ts';

const folder = process.argv[2] ?? 'shots';
const seed = Number(process.argv[3] ?? '1');
const sites = Number(process.argv[4] ?? '1');
const counts = (process.argv[5] ?? '12,40,120').split(',').map(Number);
mkdirSync(folder, { recursive: true });
const truth: string[] = [];

await using chromium = await startBrowser();
for (const count of counts)
  for (let i = 0; i < sites; i++) {
    await using gateway = await startGateway();
    const calm = process.argv[6] === 'calm';
    await using site = await randomSite(gateway, seed + i, count, { calm });
    for (const theme of i === 0 ? (['wall', 'light'] as const) : (['wall'] as const)) {
      await using screen = await chromium.open(gateway.node.http + site[theme]);
      const { page } = screen;
      await page.locator('.above > *').first().waitFor();
      await page
        .waitForFunction(
          (all) => (document.querySelector('.layer.shown')?.querySelectorAll('.machine.troubled').length ?? 0) >= all,
          site.troubles.size,
          { timeout: 60_000 },
        )
        .catch(() => process.stdout.write('not every trouble is on the board\n'));
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      await page.waitForTimeout(500);
      const name = `${count}-${seed + i}${theme === 'light' ? '-light' : ''}${calm ? '-calm' : ''}`;
      const path = join(folder, `${name}.png`);
      await page.screenshot({ path });
      execFileSync('convert', [path, '-resize', '480x270', join(folder, `${name}-far.png`)]);
    }
    const others = [...site.troubles].map(([unit, trouble]) => `${unit} ${trouble}`).join(', ');
    truth.push(`${count}-${seed + i}: ${site.worst.unit} ${site.worst.trouble} (${others})`);
  }
writeFileSync(join(folder, 'truth.txt'), `${truth.join('\n')}\n`);
process.stdout.write(`${truth.join('\n')}\n`);
