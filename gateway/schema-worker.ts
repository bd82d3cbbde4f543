/** Worker thread: checks a JSON document against a JSON schema. `logger-tools.ts` starts it, and ends it when it takes too long. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Schema, Validator } from '@cfworker/json-schema';

const MOST_PROBLEMS = 20;

const { schema, config } = workerData as { schema: string; config: string };
// Use draft 7 of JSON Schema. The schemas of logger makers name no draft, and use `dependencies`, which later drafts do not have.
const { errors } = new Validator(JSON.parse(schema) as Schema, '7', false).validate(JSON.parse(config));
// Keeps only the innermost errors. For a wrong value the validator also reports every object that contains the value, which does not help a
// person.
const inner = errors.filter(
  ({ instanceLocation }) => !errors.some((other) => other.instanceLocation.startsWith(`${instanceLocation}/`)),
);
const problems = new Map(
  inner.map(({ instanceLocation, error }) => {
    const path = instanceLocation.replace(/^#/, '') || '/';
    return [`${path}\n${error}`, { path, message: error }];
  }),
);
parentPort?.postMessage([...problems.values()].slice(0, MOST_PROBLEMS));
