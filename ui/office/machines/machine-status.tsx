/** What people say of a machine: the moves that are allowed, taking it out of use with a question, and the way back. */
import { useState } from 'preact/hooks';
import { EQUIPMENT_STATUS, type EquipmentStatus } from '#contract/fleet/equipment.ts';
import type { Output } from '#contract/operations.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';

type Equipment = Output<'equipment_get'>;

/** The status of a machine in words. */
export const SAID: Readonly<Record<EquipmentStatus, string>> = {
  available: 'Available',
  in_use: 'In use',
  maintenance: 'Service',
  down: 'Down',
  decommissioned: 'Retired',
};

const IN_SERVICE = EQUIPMENT_STATUS.filter((one) => one !== 'decommissioned');

interface Part {
  readonly session: Session;
  readonly machine: Equipment;
  onDone(): void;
}

function useStatus({ session, machine, onDone }: Part) {
  const sending = useSend();
  const change = (status: EquipmentStatus, reason = '') =>
    sending.send(async () => {
      const input = { id: machine.id, status, ...(reason.trim() && { reason: reason.trim() }) };
      await session.client.call('equipment_update', input, { if_match: machine.revision });
      onDone();
    });
  return { ...sending, change };
}

function Retire(props: Part & { onCancel(): void }) {
  const { machine } = props;
  const [reason, setReason] = useState('');
  const { busy, problem, change } = useStatus(props);
  return (
    <section class="nested" role="alertdialog" aria-label={`Retire ${machine.unit_number}?`}>
      <h3>Retire {machine.unit_number}?</h3>
      <p>
        It leaves every board and TV at once, its alert rules stop, and it takes no new device. Its history, tickets and
        log stay. Only an admin brings it back, as available and with a reason.
      </p>
      <Field label="Reason for the log" value={reason} onValue={setReason} maxLength={500} />
      <Problem text={problem} />
      <div class="actions">
        <button type="button" class="danger" disabled={busy} onClick={() => change('decommissioned', reason)}>
          Retire {machine.unit_number}
        </button>
        <button type="button" onClick={props.onCancel}>
          Keep it
        </button>
      </div>
    </section>
  );
}

function BringBack(props: Part) {
  const { machine } = props;
  const [reason, setReason] = useState('');
  const { busy, problem, change } = useStatus(props);
  return (
    <section class="nested" aria-label={`Bring ${machine.unit_number} back`}>
      <p>{machine.unit_number} is retired: it is on no board, and takes no device. It comes back as available.</p>
      <Form action={`Bring ${machine.unit_number} back`} busy={busy} onSend={() => change('available', reason)}>
        <Field
          label="Why it comes back"
          value={reason}
          onValue={setReason}
          required
          maxLength={500}
          hint="Kept in its log; an owner or admin may do this"
        />
        <Problem text={problem} />
      </Form>
    </section>
  );
}

/** The moves that a machine has from where it is. */
export function MachineStatus(props: Part) {
  const { machine } = props;
  const [asking, setAsking] = useState(false);
  const { busy, problem, change } = useStatus(props);
  if (machine.status === 'decommissioned') return <BringBack {...props} />;
  if (asking)
    return (
      <Retire
        {...props}
        onDone={() => {
          setAsking(false);
          props.onDone();
        }}
        onCancel={() => setAsking(false)}
      />
    );
  return (
    <>
      <div class="status-row">
        <Choice
          label="People say"
          value={machine.status}
          disabled={busy}
          options={IN_SERVICE.map((one) => [one, SAID[one]] as const)}
          onValue={(value) => {
            const status = IN_SERVICE.find((one) => one === value);
            if (status !== undefined) change(status);
          }}
        />
        <button type="button" class="quiet" onClick={() => setAsking(true)}>
          Retire
        </button>
      </div>
      <Problem text={problem} />
    </>
  );
}
