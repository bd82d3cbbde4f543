/** Pictures of the scene of test/e2e/wall-scene.ts on a TV and in the office: `node test/bench/wall-shots.ts FOLDER [NAME]`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { signIn, startBrowser } from '#test/e2e/browser.ts';
import { setScene } from '#test/e2e/wall-scene.ts';
import { startGateway } from '#test/support/gateway.ts';

const folder = process.argv[2] ?? 'shots';
const name = process.argv[3] ?? 'wall';
mkdirSync(folder, { recursive: true });
const keep = (page: Page, what: string) => page.screenshot({ path: join(folder, `${what}-${name}.png`) });

async function turns(page: Page, count: number, what: string): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await page.waitForFunction(() => document.querySelectorAll('.layer').length === 1);
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    await page.waitForTimeout(600);
    await keep(page, `${what}-${i + 1}`);
    const page_ = await page.textContent('footer .page');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(
      (before) => document.querySelector('footer .page')?.textContent?.slice(0, 9) !== before?.slice(0, 9),
      page_,
    );
  }
}

await using chromium = await startBrowser();
for (const many of [false, true]) {
  await using gateway = await startGateway();
  await using scene = await setScene(gateway, many);
  const size = many ? '40' : '12';
  {
    await using wall = await chromium.open(gateway.node.http + scene.wall);
    await wall.page.locator('.layer.shown .machine').first().waitFor();
    await turns(wall.page, 4, `tv-default-${size}`);
  }
  {
    await using wall = await chromium.open(gateway.node.http + scene.boards);
    await wall.page.locator('.layer.shown .spot i').first().waitFor();
    await turns(wall.page, 4, `tv-boards-${size}`);
  }
  if (many) continue;
  await using office = await chromium.open(gateway.node.http, {
    viewport: { width: 1440, height: 1100 },
    colorScheme: 'light',
  });
  const { page } = office;
  await signIn(page);
  await page.getByRole('link', { name: 'Screens' }).click();
  await page.getByRole('button', { name: 'Preview' }).first().click();
  const preview = page.locator('.preview');
  await preview.locator('.machine').first().waitFor();
  await page.waitForTimeout(600);
  await preview.screenshot({ path: join(folder, `office-preview-1-${name}.png`) });
  const boards = preview.locator('.buttons button');
  for (const i of [1, 3]) {
    await boards.nth(i).click();
    await page.waitForTimeout(1_500);
    await preview.screenshot({ path: join(folder, `office-preview-${i + 1}-${name}.png`) });
  }
}
