/**
 * The conformance suite of MCP against the HTTP server of the gateway, with its credentials and limits. The suite sends no key, so a proxy
 * adds it. The fixtures of the suite are added by this program alone.
 *
 * Run: npm install --prefix FOLDER --ignore-scripts @modelcontextprotocol/conformance@0.1.16
 *      node test/suites/mcp-conformance.ts FOLDER
 * Prints a row for each scenario. Exit code 1 if a scenario fails that is not in `NOT_OFFERED`, or if one of these passes.
 */
import { execFile } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startRig } from '#test/servers/rig.ts';
import { FIXTURES } from './mcp-fixtures.ts';

const NO_SESSION = 'needs a session, and the gateway keeps none: each request is complete in itself';
const NO_CLIENT_CALL = 'the gateway never asks the model or the person of a client; it does nothing that needs them';

/** The scenarios of features that the gateway does not offer, with the reason. */
const NOT_OFFERED: Readonly<Record<string, string>> = {
  'tools-call-sampling': NO_CLIENT_CALL,
  'tools-call-elicitation': NO_CLIENT_CALL,
  'elicitation-sep1034-defaults': NO_CLIENT_CALL,
  'elicitation-sep1330-enums': NO_CLIENT_CALL,
  'resources-subscribe': NO_SESSION,
  'resources-unsubscribe': NO_SESSION,
  'server-sse-polling': NO_SESSION,
  'server-sse-multiple-streams': NO_SESSION,
};

const [folder = '.'] = process.argv.slice(2);
const suite = join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const run = promisify(execFile);

await using rig = await startRig({ http: { mcpExtras: FIXTURES } });
const proxy = createServer((incoming, answer) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${rig.key}`, 'project-id': rig.project };
  const outgoing = request(`${rig.base}${incoming.url}`, { method: incoming.method ?? 'POST', headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  outgoing.on('error', (error) => answer.writeHead(502).end(error.message));
  incoming.pipe(outgoing);
});
await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;

const { stdout } = await run(process.execPath, [suite, 'list', '--server']);
const scenarios = [...stdout.matchAll(/^\s+- ([\w-]+)/gm)].map(([, name = '']) => name);
let wrong = scenarios.length === 0 ? 1 : 0;
for (const name of scenarios) {
  const { passed, output } = await outcome(name);
  const reason = NOT_OFFERED[name];
  if (passed !== (reason === undefined)) wrong++;
  process.stdout.write(`${name}: ${passed ? 'passes' : (reason ?? 'FAILS')}\n`);
  if (!passed && reason === undefined) process.stdout.write(`${output}\n`);
}
process.stdout.write(`${scenarios.length} scenarios, ${wrong} not as expected\n`);
proxy.close();
process.exitCode = wrong === 0 ? 0 : 1;

/** A scenario passes if at least one of its checks succeeds and none fails. */
async function outcome(name: string): Promise<{ passed: boolean; output: string }> {
  const args = [suite, 'server', '--url', url, '--scenario', name];
  const { stdout: output, failed } = await run(process.execPath, args, { timeout: 60_000 }).then(
    (done) => ({ ...done, failed: false }),
    (error: { stdout?: string; message: string }) => ({ stdout: error.stdout ?? error.message, failed: true }),
  );
  const [, good = '0'] = /(\d+)\/\d+/.exec(output) ?? [];
  return { passed: !failed && Number(good) > 0, output };
}
