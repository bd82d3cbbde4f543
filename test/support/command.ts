/** The `headframe` command as a child process, as people run it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');

/** How a command ended, and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs the command to its end; `stdin` is what it reads. */
export async function headframe(args: readonly string[], stdin?: Uint8Array): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  // A command that ends without reading closes the pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const [code] = await once(child, 'close');
  return { code, stdout: Buffer.concat(out), stderr };
}
