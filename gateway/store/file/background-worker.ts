/** The thread that `background.ts` starts. It runs one task, such as a backup, and posts one answer. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { inspectBackup } from './assemble.ts';
import type { BackgroundAnswer, BackgroundTask } from './background.ts';
import { UnsoundCopy } from './copy-database.ts';
import { inspectFile } from './inspect.ts';
import { makeBackup } from './make-backup.ts';

// The priority is lowered only on Linux, where each thread has its own priority. On other systems this call would slow down the whole
// process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);

function answer(task: BackgroundTask): BackgroundAnswer {
  try {
    if (task.kind === 'backup') return { done: makeBackup(task) };
    return { done: (task.isBackup ? inspectBackup : inspectFile)(task.file, task.quick) };
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    return { failed, unsound: error instanceof UnsoundCopy };
  }
}

parentPort?.postMessage(answer(workerData as BackgroundTask));
