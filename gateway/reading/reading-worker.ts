/** The thread that reads one file, or plans one long text; see `setup-reader.ts`. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type ReadingJob, Unreadable } from './reading-types.ts';

// On Linux each thread has its own priority; elsewhere this call would change the whole process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);

const job = workerData as ReadingJob;
try {
  const done =
    'plan' in job
      ? (await import('#domain/planner/plan.ts')).planSite(job.plan)
      : await (await import('./read-file.ts')).readFile(job.read);
  parentPort?.postMessage({ done });
} catch (error) {
  if (!(error instanceof Unreadable)) throw error;
  parentPort?.postMessage({ gap: error.gap });
}
