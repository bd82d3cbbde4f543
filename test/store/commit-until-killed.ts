/** A child process that commits until it is killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts the script `child` on a folder, lets it commit until it has acknowledged `count` commits, and kills it. The child prints the number
 * of each commit; the first one is `first`. Returns the numbers of the acknowledged commits.
 */
export async function commitUntilKilled(
  child: string,
  { folder, first, count }: { readonly folder: string; readonly first: number; readonly count: number },
): Promise<number[]> {
  const running = spawn(process.execPath, [child, folder, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  running.stdout.setEncoding('utf8');
  running.stdout.on('data', (chunk: string) => {
    text += chunk;
    if (text.split('\n').length > count) running.kill('SIGKILL');
  });
  const [[, signal]] = await Promise.all([once(running, 'exit'), once(running.stdout, 'close')]);
  assert.equal(signal, 'SIGKILL');
  // A number that the kill cut off was not acknowledged.
  return text.split('\n').slice(0, -1).map(Number);
}
