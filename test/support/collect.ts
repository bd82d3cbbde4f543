/** The collector on demand, for tests that count memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage before it returns. */
export const collect = runInNewContext('gc') as () => void;
