/** The thread that `background.ts` starts. It runs one task, such as a copy of the database, and posts one answer. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { BackgroundAnswer, BackgroundTask } from './background.ts';
import { copyDatabase, UnsoundCopy } from './copy-database.ts';
import { inspectFile } from './inspect.ts';

// The priority is lowered only on Linux, where each thread has its own priority. On other systems this call would slow down the whole
// process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);

async function answer(task: BackgroundTask): Promise<BackgroundAnswer> {
  try {
    if (task.kind === 'inspect') return { done: inspectFile(task.file, task.quick) };
    return { done: await copyDatabase(task.source, task.target) };
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    return { failed, unsound: error instanceof UnsoundCopy };
  }
}

parentPort?.postMessage(await answer(workerData as BackgroundTask));
