/** The page that connects AI agents (MCP) and programs (REST, AEMP), with the addresses filled in. */
import { useState } from 'preact/hooks';
import { said, t } from '#ui/languages/texts.ts';
import { Copy, Field, Form, LoopbackHint, Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';

export function Connect({ session }: { session: Session }) {
  const [name, setName] = useState('agent');
  const [key, setKey] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  const at = location.origin;
  const shown = key ?? t('YOUR-KEY');
  const headers = { Authorization: `Bearer ${shown}`, 'Project-ID': session.project.id };
  const stdio = {
    mcpServers: {
      headframe: {
        command: 'npx',
        args: ['headframe', 'mcp', '--url', at, '--project', session.project.id],
        env: { HEADFRAME_API_KEY: shown },
      },
    },
  };
  const mcp = { mcpServers: { headframe: { type: 'http', url: `${at}/mcp`, headers } } };
  return (
    <>
      <h1>{t('Connect')}</h1>
      <LoopbackHint />
      <section class="panel-box">
        <h2>{t('API key')}</h2>
        <p>{t('Create a separate key for each agent and program, so that you can revoke one without the others.')}</p>
        {key === null ? (
          <Form
            action={t('Create key')}
            busy={busy}
            onSend={() =>
              send(async () => {
                const input = { name: name.trim(), role: 'agent' as const, project_ids: [session.project.id] };
                const made = await session.client.call('keys_create', input, { idempotency_key: newIdempotencyKey() });
                setKey(made.secret);
              })
            }
          >
            <Field label={t('Key name')} value={name} onValue={setName} required />
            <Problem text={problem} />
          </Form>
        ) : (
          <>
            <Copy label={t('New key, shown only once; the examples below contain it')} text={key} lines={2} />
            <button type="button" onClick={() => setKey(null)}>
              {t('I saved it')}
            </button>
          </>
        )}
      </section>
      <section class="panel-box">
        <h2>{t('AI agents (MCP)')}</h2>
        <Copy label={t('Configuration')} text={JSON.stringify(mcp, null, 2)} lines={12} />
        <Copy
          label="Claude Code"
          text={`claude mcp add --transport http headframe ${at}/mcp --header "Authorization: Bearer ${shown}" --header "Project-ID: ${session.project.id}"`}
          lines={3}
        />
        <Copy
          label={t('Clients that start a command (needs a Headframe checkout on that computer)')}
          text={JSON.stringify(stdio, null, 2)}
          lines={12}
        />
      </section>
      <section class="panel-box">
        <h2>{t('Programs (REST)')}</h2>
        <Copy
          label={t('Machines of this site')}
          text={`curl -s ${at}/api/v1/equipment -H 'Authorization: Bearer ${shown}' -H 'Project-ID: ${session.project.id}'`}
          lines={3}
        />
        <p>
          <a href="/docs">{t('API reference')}</a> · <a href="/api/v1/openapi.json">{t('OpenAPI document')}</a> ·{' '}
          <a href="/docs/errors">{t('Errors')}</a> · <a href="/docs/limits">{t('Limits')}</a>
        </p>
        <p>{said('To get a list as CSV, send the header {header}.', { header: <code>Accept: text/csv</code> })}</p>
      </section>
      <section class="panel-box">
        <h2>{t('Fleet software (ISO 15143-3, AEMP 2.0)')}</h2>
        <p>{t('User name: any. Password: a key for this site only.')}</p>
        <Copy label={t('Address')} text={`${at}/aemp/v2/Fleet`} lines={1} />
      </section>
    </>
  );
}
