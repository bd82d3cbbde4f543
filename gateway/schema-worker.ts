/** Checks a JSON document against a JSON schema, apart from everything else: see `logger-tools.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Schema, Validator } from '@cfworker/json-schema';

const MOST_PROBLEMS = 20;

const { schema, config } = workerData as { schema: string; config: string };
// The makers' schemas name no draft and use `dependencies`: draft 7 and before.
const { errors } = new Validator(JSON.parse(schema) as Schema, '7', false).validate(JSON.parse(config));
// Those that say no more than that something inside is wrong come first; who has to mend it wants the innermost.
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
