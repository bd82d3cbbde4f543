/** Computes the contract hash, which changes with every change of the declared operations. `npm run docs` stores it in contract-hash.ts. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { ERRORS } from '#contract/base/errors.ts';
import { RUN_ERRORS } from '#contract/work/run-errors.ts';
import { schemaOf, TABLE } from './json-schemas.ts';

/** Returns `sha256:` and the hash of the whole declaration as canonical JSON, including schemas and error table. */
export function hashContract(): string {
  const operations = [...TABLE].map(([name, row]) => ({
    ...row,
    name,
    input: schemaOf(name, 'input'),
    output: schemaOf(name, 'output'),
  }));
  const declaration = canonicalJson({ errors: ERRORS, operations, run_errors: RUN_ERRORS });
  return `sha256:${createHash('sha256').update(declaration).digest('hex')}`;
}
