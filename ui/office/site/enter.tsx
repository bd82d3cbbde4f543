/** The pages before the office: claim the gateway, sign in with a key, create the first site. */
import { useState } from 'preact/hooks';
import type { Client } from '#contract/client.ts';
import { Copy, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { anonymousClient, newIdempotencyKey, storeKey, storeProject } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { ShiftFields, TimeZoneField, USUAL_SHIFTS } from './site-fields.tsx';

type Props = { onIn(key: string): void };

function KeepChoice(props: { forGood: boolean; onChange(forGood: boolean): void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.forGood}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      Keep me signed in on this computer
    </label>
  );
}

export function ClaimPage({ onIn }: Props) {
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const [forGood, setForGood] = useState(true);
  const { busy, problem, send } = useSend();
  if (secret !== null) {
    return (
      <main class="card">
        <h1>This is your key</h1>
        <p>
          The gateway shows this key only once. It gives full access to the gateway. Store it in a safe place, such as a
          password manager.
        </p>
        <Copy label="Owner key" text={secret} lines={2} />
        <KeepChoice forGood={forGood} onChange={setForGood} />
        <button
          type="button"
          class="primary"
          onClick={() => {
            storeKey(secret, forGood);
            onIn(secret);
          }}
        >
          I saved it
        </button>
      </main>
    );
  }
  return (
    <main class="card">
      <h1>Claim this gateway</h1>
      <p>The gateway printed a claim code when it started. Enter it to prove that you run this gateway.</p>
      <Form
        action="Claim"
        busy={busy}
        onSend={() =>
          send(async () => {
            const made = await anonymousClient.call('claim', {
              code: code.trim(),
              ...(name.trim() && { name: name.trim() }),
            });
            setSecret(made.secret);
          })
        }
      >
        <Field label="Claim code" value={code} onValue={setCode} required autoFocus mono maxLength={32} />
        <Field
          label="Your name"
          value={name}
          onValue={setName}
          hint="The gateway shows this name to other people beside your changes."
        />
        <Problem text={problem} />
      </Form>
      <p class="aside">
        Code expired? Run <code>headframe claim-code</code> on the gateway to get a new one.
      </p>
    </main>
  );
}

export function KeyPage({ onIn, refused }: Props & { refused: boolean }) {
  const [key, setKey] = useState('');
  const [forGood, setForGood] = useState(false);
  return (
    <main class="card">
      <h1>Sign in</h1>
      <p>Paste a key of this gateway.</p>
      <Form
        action="Sign in"
        busy={false}
        onSend={() => {
          storeKey(key.trim(), forGood);
          onIn(key.trim());
        }}
      >
        <Field label="Key" value={key} onValue={setKey} required secret autoFocus maxLength={200} mono />
        <KeepChoice forGood={forGood} onChange={setForGood} />
        <Problem text={refused ? 'This key is unknown, revoked or expired. Check it, or ask for a new one.' : null} />
      </Form>
      <p class="aside">
        No key? Run <code>headframe keys create</code> on the gateway.
      </p>
    </main>
  );
}

export function ProjectPage(props: { client: Client; now_ms: number; onDone(): void }) {
  const [name, setName] = useState('');
  const [timezone, setTimezone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [shifts, setShifts] = useState(USUAL_SHIFTS);
  const { busy, problem, send } = useSend();
  return (
    <main class="card">
      <h1>Create your site</h1>
      <p>
        Machines, people and reports belong to a site. A new site also has boards and a playlist for a TV. You can
        change these settings later on the Site page.
      </p>
      <Form
        action="Create site"
        busy={busy}
        onSend={() =>
          send(async () => {
            const input = { name: name.trim(), timezone, shift_pattern: [...shifts] };
            const made = await props.client.call('projects_create', input, { idempotency_key: newIdempotencyKey() });
            storeProject(made.project.id);
            props.onDone();
          })
        }
      >
        <Field label="Site name" value={name} onValue={setName} required autoFocus />
        <TimeZoneField value={timezone} now_ms={props.now_ms} onValue={setTimezone} />
        <ShiftFields value={shifts} onValue={setShifts} />
        <Problem text={problem} />
      </Form>
    </main>
  );
}
