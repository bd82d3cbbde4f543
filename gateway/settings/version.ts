/** The version of Headframe, from package.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The semantic version that `headframe --version` and the health report show. */
export const VERSION: string = (
  JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')) as { version: string }
).version;
