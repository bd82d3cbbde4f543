/** The limits of runs of the agent and of undos. */
import type { Limit } from './history-limits.ts';

export const AGENT_LIMITS = {
  agent_runs_waiting: {
    value: 1_000,
    unit: 'runs of a project',
    what: 'Prompts and custom actions that wait for the model',
    beyond: '409 `limit_reached`',
  },
  undo_items: {
    value: 1_000,
    unit: 'objects of an undo',
    what: 'Objects in the plan of an undo',
    beyond: 'the answer has their number in `more`; they are taken back by a second undo',
  },
  undo_bytes: {
    value: 1_000_000,
    unit: 'bytes of an undo',
    what: 'The plan of an undo as JSON',
    beyond: 'the answer has the number of the other objects in `more`',
  },
  planned_calls: {
    value: 640,
    unit: 'calls of a run that only plans',
    what: 'Calls in `output.details.planned`',
    beyond: '`output.details.planned_more` has the number of the other calls',
  },
  planned_bytes: {
    value: 256_000,
    unit: 'bytes of a run that only plans',
    what: '`output.details.planned` as JSON',
    beyond: '`output.details.planned_more` has the number of the other calls',
  },
} as const satisfies Record<string, Limit>;
