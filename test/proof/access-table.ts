/**
 * Writes docs/access.md: what was tried with each credential, role and state, and what the gateway refused: `npm run proof:access`. Exits with
 * 1 if an answer differs from the permission table. `--check` writes nothing.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isGuarded, ROWS, startAll, sweepAccess } from '#test/servers/http/access-sweep.ts';
import { startPeople } from '#test/servers/people.ts';

await using rig = await startAll(startPeople);
const lines = await sweepAccess(rig);
const differences = lines.flatMap((line) => line.differences);
const sum = (of: (line: (typeof lines)[number]) => number) => lines.reduce((total, line) => total + of(line), 0);
const rows = lines.map(({ credential, role, state, tried, admitted, refused, differences: wrong }) =>
  [
    credential,
    role,
    state,
    tried,
    admitted,
    ...[401, 403, 404].map((status) => refused.get(status) ?? 0),
    wrong.length,
  ].join(' | '),
);
const text = `# What was tried, and what was refused

Written by \`npm run proof:access\`. It asks each of the ${ROWS.filter(isGuarded).length} operations that need a credential (except two) with each role and each state of a credential, and compares each answer with the declared roles, scopes, projects and fields ([permissions.md](permissions.md)). A credential is a key of a program, or the session of a person. The lines "fields" send each field of the operations with field limits, with each allowed value and with values that are not allowed. "Answered" means that the caller was let in, whatever the operation answered then.

In all: ${sum(({ tried }) => tried).toLocaleString('en')} requests, ${sum(({ admitted }) => admitted).toLocaleString('en')} answered, ${(sum(({ tried }) => tried) - sum(({ admitted }) => admitted)).toLocaleString('en')} refused, ${differences.length} differences. The test \`[K34]\` asks the same on each run.

| credential | role | state | tried | answered | 401 | 403 | 404 | differences |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.map((row) => `| ${row} |`).join('\n')}
`;
if (!process.argv.includes('--check')) writeFileSync(join(import.meta.dirname, '..', '..', 'docs', 'access.md'), text);
process.stdout.write(`${text}\n${differences.join('\n')}\n`);
process.exitCode = differences.length === 0 ? 0 : 1;
