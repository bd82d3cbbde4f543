/** The version of this product, from package.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Semantic version, as `headframe --version` and the health report say it. */
export const VERSION: string = (
  JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')) as { version: string }
).version;
