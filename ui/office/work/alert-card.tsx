/** One alert: machine, value, limit, times, and its actions. */
import { useState } from 'preact/hooks';
import { duration, moment } from '#ui/format.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { TextArea } from '#ui/office/base/picks.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { AlertMark, Info } from '#ui/tiles/marks.tsx';
import { AlertRaw } from './alert-raw.tsx';
import { type Alert, actionsWords, alsoWords, clearedBecause, crossed, limitOf, SEVERITY_WORDS } from './alert-text.ts';
import { STATUS_WORDS, type Ticket } from './ticket-text.ts';
import { useWrite } from './write.ts';

/** Shows the severity of an alert as a shape. One that only a newer version knows has the shape of critical. */
export function SeverityMark({ severity }: { severity: Alert['severity'] }) {
  return severity === 'info' ? <Info /> : <AlertMark mark={severity === 'unknown' ? 'critical' : severity} />;
}

interface Props {
  readonly alert: Alert;
  readonly session: Session;
  readonly now: number;
  readonly machine: (id: string) => string;
  readonly device: (id: string) => string;
  /** The ticket that was created from this alert. */
  readonly ticket: Ticket | undefined;
  /** Called after a person has acknowledged the alert. Screen readers then read `text` aloud. */
  onAcknowledged(text: string): void;
}

/** Shows the machine of an alert, or the device if the device is linked to no machine. */
function AlertSource({ alert, machine, device }: Pick<Props, 'alert' | 'machine' | 'device'>) {
  const { machine_id, device_id } = alert;
  if (machine_id !== null)
    return (
      <a class="who" href={`#machines/${machine_id}`}>
        {machine(machine_id)}
      </a>
    );
  return (
    <span class="who nobody">
      No machine
      {device_id !== null && (
        <>
          {', device '}
          <a href={`#devices/${device_id}`}>{device(device_id)}</a>
        </>
      )}
    </span>
  );
}

function Times({ alert, now, session }: Pick<Props, 'alert' | 'now' | 'session'>) {
  const zone = session.project.timezone;
  const when = (at: string) => moment(Date.parse(at), now, zone);
  const { raised_at, observed_at, acknowledged_at, acknowledged_by, cleared_at, cleared_because } = alert;
  return (
    <p class="aside">
      Raised {when(raised_at)}, {duration(now - Date.parse(raised_at))} ago
      {observed_at !== null && when(observed_at) !== when(raised_at) && ` · measured ${when(observed_at)}`}
      {cleared_at !== null && ` · cleared ${when(cleared_at)}: ${clearedBecause(cleared_because)}`}
      {acknowledged_at !== null &&
        ` · acknowledged ${when(acknowledged_at)}${acknowledged_by === null ? '' : ` by ${acknowledged_by}`}`}
    </p>
  );
}

/** The buttons with which a person acknowledges an alert. The person may add a note. */
function Acknowledge({ alert, session, onAcknowledged }: Pick<Props, 'alert' | 'session' | 'onAcknowledged'>) {
  const [note, setNote] = useState<string | null>(null);
  const { busy, problem, write } = useWrite();
  const send = () =>
    write(async (once) => {
      const words = note?.trim() ?? '';
      await session.client.call('alerts_acknowledge', { id: alert.id, ...(words !== '' && { note: words }) }, once);
      onAcknowledged(`Acknowledged: ${alert.rule_name}.`);
    });
  return (
    <>
      {note !== null && <TextArea label="Note for the log" value={note} onValue={setNote} rows={2} maxLength={500} />}
      <button type="button" class="primary" disabled={busy} onClick={send}>
        {busy ? 'Sending' : note === null ? 'Acknowledge' : 'Acknowledge with note'}
      </button>
      <button type="button" disabled={busy} onClick={() => setNote(note === null ? '' : null)}>
        {note === null ? 'Add a note' : 'Remove the note'}
      </button>
      <Problem text={problem} />
    </>
  );
}

export function AlertCard(props: Props) {
  const { alert, session, ticket } = props;
  const limit = limitOf(alert);
  const also = alsoWords(alert);
  const seen = alert.acknowledged_at !== null || alert.state === 'cleared';
  return (
    <li class={`alert ${seen ? 'seen' : ''}`} data-severity={alert.severity}>
      <SeverityMark severity={alert.severity} />
      <div class="said-by">
        <div class="what">
          <AlertSource {...props} />
          <b>{alert.rule_name}</b>
          <span class="severity">{SEVERITY_WORDS[alert.severity]}</span>
          {alert.late && <span class="badge-word">Late: old data arrived</span>}
        </div>
        <p class="crossed">
          {crossed(alert)}
          {limit !== null && <span class="aside"> {limit}</span>}
        </p>
        {also !== null && <p class="aside">{also}</p>}
        {alert.actions.length > 0 && <p class="aside">{actionsWords(alert)}</p>}
        <Times {...props} />
        {alert.raw_traffic !== null && (
          <AlertRaw raw={alert.raw_traffic} session={props.session} device={props.device} />
        )}
      </div>
      <div class="leads">
        {may(session, 'alerts_acknowledge') && alert.state === 'active' && alert.acknowledged_at === null && (
          <Acknowledge {...props} />
        )}
        {ticket !== undefined ? (
          <a class="button" href={`#tickets/${ticket.id}`}>
            {ticket.number}, {STATUS_WORDS[ticket.status].toLowerCase()}
          </a>
        ) : (
          may(session, 'repair_tickets_create') && (
            <a class="button" href={`#tickets/new/${alert.id}`}>
              Create a ticket
            </a>
          )
        )}
      </div>
    </li>
  );
}
