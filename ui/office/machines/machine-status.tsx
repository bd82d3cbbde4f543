/** The status that people report for a machine. A person can change the status, retire the machine, or bring a retired machine back. */
import { useState } from 'preact/hooks';
import { EQUIPMENT_STATUS, type EquipmentStatus } from '#contract/fleet/equipment.ts';
import type { ShownStatus } from '#contract/fleet/shown-status.ts';
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { lazyPage } from '#ui/office/base/lazy-page.tsx';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { may, maySet, type Session } from '#ui/office/base/session.ts';
import { STATUS_TEXT } from '#ui/office/base/status-words.ts';
import { useSend } from '#ui/office/base/use.ts';

type Equipment = Output<'equipment_list'>['data'][number];

const IN_SERVICE = EQUIPMENT_STATUS.filter((one) => one !== 'decommissioned');

/** Not a part of the first page, so that trouble shows sooner. */
const StatusSince = lazyPage(() => import('#ui/office/care/status-since.tsx').then((one) => one.StatusSince), 'quiet');

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
    <section class="nested" role="alertdialog" aria-label={t('Retire {unit}?', { unit: machine.unit_number })}>
      <h3>{t('Retire {unit}?', { unit: machine.unit_number })}</h3>
      <p>
        {t(
          'The machine disappears from all boards and TVs, its alert rules stop, and no device can be linked to it. Its history, tickets and log stay. An admin can bring it back.',
        )}
      </p>
      <Field label={t('Reason')} value={reason} onValue={setReason} maxLength={500} />
      <Problem text={problem} />
      <div class="actions">
        <button type="button" class="danger" disabled={busy} onClick={() => change('decommissioned', reason)}>
          {t('Retire {unit}', { unit: machine.unit_number })}
        </button>
        <button type="button" onClick={props.onCancel}>
          {t('Cancel')}
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
    <section class="nested" aria-label={t('Bring {unit} back', { unit: machine.unit_number })}>
      <p>
        {t(
          '{unit} is retired. No board shows it, and no device can be linked to it. An owner or admin can bring it back as available.',
          { unit: machine.unit_number },
        )}
      </p>
      <Form
        action={t('Bring {unit} back', { unit: machine.unit_number })}
        busy={busy}
        onSend={() => change('available', reason)}
      >
        <Field
          label={t('Reason')}
          value={reason}
          onValue={setReason}
          required
          maxLength={500}
          hint={t('The gateway writes the reason to the log')}
        />
        <Problem text={problem} />
      </Form>
    </section>
  );
}

/** Shows the reported status of a machine, and buttons for the changes that its present status allows. */
export function MachineStatus(props: Part) {
  const { machine, session } = props;
  const [asking, setAsking] = useState(false);
  const { busy, problem, change } = useStatus(props);
  const isAllowed = (status: EquipmentStatus) => maySet(session, 'equipment_update', 'status', status);
  const allowed = IN_SERVICE.filter((one) => one === machine.status || isAllowed(one));
  // A newer version at the other end gave a status that this version does not know. It is kept until a person chooses another one.
  const options: readonly ShownStatus[] = machine.status === 'unknown' ? ['unknown', ...allowed] : allowed;
  // Only the roles that may restore the machine see the form.
  if (machine.status === 'decommissioned')
    return may(session, 'projects_update') ? (
      <BringBack {...props} />
    ) : (
      <p class="aside">{t('This machine is retired.')}</p>
    );
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
          label={t('Reported status')}
          value={machine.status}
          disabled={busy || options.length === 1}
          options={options.map((one) => [one, t(STATUS_TEXT[one])] as const)}
          onValue={(value) => {
            const status = IN_SERVICE.find((one) => one === value);
            if (status !== undefined) change(status);
          }}
        />
        {isAllowed('decommissioned') && (
          <button type="button" class="quiet" onClick={() => setAsking(true)}>
            {t('Retire')}
          </button>
        )}
      </div>
      <Problem text={problem} />
      <StatusSince {...props} />
    </>
  );
}
