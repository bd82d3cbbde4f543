/** Writes the generated pages of `docs` from the declaration: `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from './openapi.ts';
import { operationsDoc } from './operations-doc.ts';
import { permissionsDoc } from './permissions-doc.ts';
import { signalsDoc } from './signals-doc.ts';

const docs = join(import.meta.dirname, '..', '..', '..', 'docs');
writeFileSync(join(docs, 'operations.md'), operationsDoc());
writeFileSync(join(docs, 'permissions.md'), permissionsDoc());
writeFileSync(join(docs, 'signals.md'), signalsDoc());
writeFileSync(join(docs, 'openapi.json'), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
