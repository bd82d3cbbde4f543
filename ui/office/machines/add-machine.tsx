/** The form that adds a machine. */
import { useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { kindOf, kindText, MACHINE_KINDS } from '#ui/office/base/machine-kinds.ts';
import { Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';

export function AddMachine({ session, onDone }: { session: Session; onDone(id: string): void }) {
  const [unit, setUnit] = useState('');
  const [name, setName] = useState('');
  const [kind, setKind] = useState('');
  const { busy, problem, send } = useSend();
  return (
    <Form
      action={t('Save machine')}
      busy={busy}
      onSend={() =>
        send(async () => {
          const input = {
            unit_number: unit.trim(),
            ...(name.trim() && { name: name.trim() }),
            ...(kindOf(kind) && { kind: kindOf(kind) }),
          };
          const made = await session.client.call('equipment_create', input, { idempotency_key: newIdempotencyKey() });
          onDone(made.id);
        })
      }
    >
      <Field
        label={t('Unit number')}
        value={unit}
        onValue={setUnit}
        required
        autoFocus
        maxLength={40}
        hint={t('The name that the crew uses, such as HT-03')}
      />
      <Field label={t('Name')} value={name} onValue={setName} hint={t('Optional, such as the model')} />
      <Field
        label={t('Kind')}
        value={kind}
        onValue={setKind}
        maxLength={60}
        offers={MACHINE_KINDS.map(kindText)}
        hint={t('Select a kind or type another one')}
      />
      <Problem text={problem} />
    </Form>
  );
}
