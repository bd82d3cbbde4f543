/** The unit number and the name of a machine. A person renames it; boards and lists show the new name. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';

export function MachineName(props: {
  session: Session;
  machine: Output<'equipment_list'>['data'][number];
  onDone(): void;
}) {
  const { session, machine, onDone } = props;
  const [open, setOpen] = useState(false);
  const [unit, setUnit] = useState(machine.unit_number);
  const [name, setName] = useState(machine.name);
  const { busy, problem, send } = useSend();
  const toggle = () => {
    setUnit(machine.unit_number);
    setName(machine.name);
    setOpen(!open);
  };
  return (
    <>
      <button type="button" aria-expanded={open} onClick={toggle}>
        {open ? t('Close') : t('Rename')}
      </button>
      {open && (
        <div class="nested">
          <Form
            action={t('Save the name')}
            busy={busy}
            onSend={() =>
              send(async () => {
                const input = { id: machine.id, unit_number: unit.trim(), name: name.trim() || unit.trim() };
                await session.client.call('equipment_update', input, { if_match: machine.revision });
                setOpen(false);
                onDone();
              })
            }
          >
            <Field label={t('Unit number')} value={unit} onValue={setUnit} required maxLength={40} autoFocus />
            <Field label={t('Name')} value={name} onValue={setName} />
            <Problem text={problem} />
          </Form>
        </div>
      )}
    </>
  );
}
