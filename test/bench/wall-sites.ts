/**
 * Makes the material of the three-second test: pictures of status boards of random sites, as they look from 5 m, and the key with the truth.
 *
 *   node test/bench/wall-sites.ts FOLDER [SEED] [SITES] [COUNTS]      makes FOLDER/far/01.png, FOLDER/near/01.png, FOLDER/key.json
 *   node test/bench/wall-sites.ts check FOLDER/key.json ANSWERS.json  counts the right answers
 *
 * The sites of all COUNTS are in a random order. Show a reader each picture of `far` for three seconds, and ask: which machine needs people
 * first, and what is wrong with it? ANSWERS.json is `{ "01": { "worst": "HT-17", "cause": "brakes" }, ... }`.
 *
 * The far pictures have 480 x 270 pixels. A TV of 55 inches is 1.22 m wide; from 5 m it covers 13.9 degrees, so one of their pixels covers 1.7
 * arc minutes. An eye that needs glasses for driving (6/12) resolves 2 arc minutes.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { random, streamOf } from '#domain/base/random.ts';
import { startBrowser } from '#test/e2e/browser.ts';
import { startGateway } from '#test/support/gateway.ts';
import { randomSite, type Truth } from './random-site.ts';

interface Row extends Truth {
  readonly machines: number;
  readonly seed: number;
  readonly others: Readonly<Record<string, string>>;
}
type Key = Readonly<Record<string, Row>>;
type Answers = Readonly<Record<string, { readonly worst: string; readonly cause: string } | undefined>>;

if (process.argv[2] === 'check') check(process.argv[3] ?? '', process.argv[4] ?? '');
else await make();

/** Compares the answers of a reader with the key. */
function check(keyPath: string, answersPath: string): void {
  const key = JSON.parse(readFileSync(keyPath, 'utf8')) as Key;
  const answers = JSON.parse(readFileSync(answersPath, 'utf8')) as Answers;
  let [named, explained] = [0, 0];
  for (const [name, { unit, incident, words }] of Object.entries(key)) {
    const { worst = '', cause = '' } = answers[name] ?? {};
    const isWorst = worst.trim().toLowerCase() === unit.toLowerCase();
    const isCause = isWorst && words.some((word) => cause.toLowerCase().includes(word));
    named += Number(isWorst);
    explained += Number(isCause);
    if (!isCause) process.stdout.write(`${name}: ${unit} ${incident}, answered ${worst || '-'} ${cause}\n`);
  }
  process.stdout.write(`worst machine ${named}, cause ${explained} of ${Object.keys(key).length}\n`);
}

async function make(): Promise<void> {
  const folder = process.argv[2] ?? 'shots';
  const seed = Number(process.argv[3] ?? '1');
  const sites = Number(process.argv[4] ?? '7');
  const counts = (process.argv[5] ?? '12,40,120').split(',').map(Number);
  for (const part of ['far', 'near']) mkdirSync(join(folder, part), { recursive: true });
  await using chromium = await startBrowser();
  const made: Row[] = [];
  for (const machines of counts)
    for (let i = 0; i < sites; i++) {
      await using gateway = await startGateway();
      await using site = await randomSite(gateway, seed + i, machines);
      await using screen = await chromium.open(gateway.node.http + site.wall);
      const { page } = screen;
      // Every trouble must have reached the board. A machine that is only reported as noted has no place there.
      await page.waitForFunction(
        (all) => document.querySelectorAll('.layer.shown .machine.troubled').length >= all,
        site.troubles.size,
        { timeout: 120_000 },
      );
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(folder, `${made.length}.png`) });
      const { worst, troubles } = site;
      if (worst === null) throw new Error('a site without trouble');
      made.push({
        ...worst,
        machines,
        seed: seed + i,
        others: Object.fromEntries([...troubles].filter(([unit]) => unit !== worst.unit)),
      });
      process.stdout.write(`${made.length} of ${counts.length * sites}\n`);
    }
  const stream = streamOf(seed, made.length);
  const order = made.map((_, i) => ({ i, at: random(stream) })).sort((a, b) => a.at - b.at);
  const key: Record<string, Row> = {};
  for (const [n, { i }] of order.entries()) {
    const name = String(n + 1).padStart(2, '0');
    const near = join(folder, 'near', `${name}.png`);
    renameSync(join(folder, `${i}.png`), near);
    execFileSync('convert', [near, '-resize', '480x270', join(folder, 'far', `${name}.png`)]);
    key[name] = made[i] as Row;
  }
  writeFileSync(join(folder, 'key.json'), `${JSON.stringify(key, null, 2)}\n`);
}
