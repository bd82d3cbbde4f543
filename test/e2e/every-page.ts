/**
 * Opens every page of the product in a real Chromium at every size, theme and state, and looks for faults: axe, cut texts, failed requests,
 * complaints on the console, small targets, and controls that Tab does not reach.
 *
 * Run: npm run proof:pages [-- --part NAME] [--only TEXT] [--compare | --update]
 * Prints one line for each page and the findings. Exits with 1 if there is a finding.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startBrowser } from './browser.ts';
import { Findings } from './pages/checks.ts';
import { type Demo, startDemo } from './pages/demo.ts';
import { PARTS } from './pages/parts.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string', multiple: true },
    only: { type: 'string', default: '' },
    compare: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
/** `--compare` and `--update` are about the pictures alone. */
const names = values.part ?? (values.compare || values.update ? ['pictures'] : Object.keys(PARTS));
const differs = mkdtempSync(join(tmpdir(), 'headframe-pages-'));
const findings = new Findings();
await using chromium = await startBrowser();
await using sites = new AsyncDisposableStack();
let started: Promise<Demo> | undefined;
const demo = () => {
  started ??= startDemo().then((site) => sites.use(site));
  return started;
};
for (const name of names) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`no part ${name}; the parts are ${Object.keys(PARTS).join(', ')}`);
  const pictures = values.update ? 'update' : 'compare';
  await part({ chromium, findings, say, demo, pictures, differs, only: values.only });
}
const lines = findings.lines();
say(`\n${findings.pages} pages, ${findings.looks} runs of axe, ${lines.length} findings`);
for (const line of lines) say(line);
if (readdirSync(differs).length > 0) say(`Pictures that differ are in ${differs}`);
else rmSync(differs, { recursive: true });
process.exitCode = lines.length === 0 && findings.pages > 0 ? 0 : 1;
