/** Connect: agents over MCP, programs over REST, devices over MQTT, with the real addresses filled in. */
import { useState } from 'preact/hooks';
import { Copy, Field, Form, LoopbackHint, Problem } from './parts.tsx';
import { onceKey, type Session } from './session.ts';
import { useSend } from './use.ts';

export function Connect({ session }: { session: Session }) {
  const [name, setName] = useState('agent');
  const [key, setKey] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  const at = location.origin;
  const shown = key ?? 'YOUR-KEY';
  const headers = { Authorization: `Bearer ${shown}`, 'Project-ID': session.project.id };
  const mcp = { mcpServers: { headframe: { type: 'http', url: `${at}/mcp`, headers } } };
  return (
    <>
      <h1>Connect</h1>
      <LoopbackHint />
      <section class="panel-box">
        <h2>A key of its own</h2>
        <p>Each agent and program gets its own key, so that one can be revoked without the others.</p>
        {key === null ? (
          <Form
            action="Make a key"
            busy={busy}
            onSend={() =>
              send(async () => {
                const input = { name: name.trim(), role: 'agent' as const, project_ids: [session.project.id] };
                const made = await session.client.call('keys_create', input, { idempotency_key: onceKey() });
                setKey(made.secret);
              })
            }
          >
            <Field label="Name of the key" value={name} onValue={setName} required />
            <Problem text={problem} />
          </Form>
        ) : (
          <>
            <Copy label="Shown this once; the snippets below hold it too" text={key} lines={2} />
            <button type="button" onClick={() => setKey(null)}>
              I saved it
            </button>
          </>
        )}
      </section>
      <section class="panel-box">
        <h2>AI agents (MCP)</h2>
        <Copy label="Configuration" text={JSON.stringify(mcp, null, 2)} lines={12} />
        <Copy
          label="Claude Code"
          text={`claude mcp add --transport http headframe ${at}/mcp --header "Authorization: Bearer ${shown}" --header "Project-ID: ${session.project.id}"`}
          lines={3}
        />
      </section>
      <section class="panel-box">
        <h2>Programs (REST)</h2>
        <Copy
          label="Machines of this site"
          text={`curl -s ${at}/api/v1/equipment -H 'Authorization: Bearer ${shown}' -H 'Project-ID: ${session.project.id}'`}
          lines={3}
        />
        <p>
          <a href="/api/v1/openapi.json">OpenAPI document</a> · <a href="/api/v1/operations">All operations</a> ·{' '}
          <a href="/docs/errors">Errors</a>
        </p>
      </section>
    </>
  );
}
