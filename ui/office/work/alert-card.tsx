/** One alert: machine, value, limit, times, and its actions. */
import { useState } from 'preact/hooks';
import { duration, moment } from '#ui/format.ts';
import { inside, said, t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { TextArea } from '#ui/office/base/picks.tsx';
import { saveFile } from '#ui/office/base/save-file.ts';
import { errorText, may, type Session } from '#ui/office/base/session.ts';
import { AlertMark, Info } from '#ui/tiles/marks.tsx';
import { actionsWords, clearedBecause } from './alert-actions.ts';
import { type Alert, alsoWords, crossed, limitOf, repeatsName, SEVERITY_WORDS } from './alert-text.ts';
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
  /** True for a cleared alert that nobody has marked as read. */
  readonly isNew?: boolean;
  readonly isRemoved?: boolean;
  /** Takes a cleared alert off the list. */
  onRemove?(): void;
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
      {device_id === null
        ? t('No machine')
        : said('No machine, device {device}', { device: <a href={`#devices/${device_id}`}>{device(device_id)}</a> })}
    </span>
  );
}

function Times({ alert, now, session }: Pick<Props, 'alert' | 'now' | 'session'>) {
  const zone = session.project.timezone;
  const when = (at: string) => moment(Date.parse(at), now, zone);
  const { raised_at, observed_at, acknowledged_at, acknowledged_by, cleared_at, cleared_because } = alert;
  return (
    <p class="aside">
      {t('Raised {time}, {age} ago', { time: when(raised_at), age: duration(now - Date.parse(raised_at)) })}
      {observed_at !== null &&
        when(observed_at) !== when(raised_at) &&
        ` · ${t('measured {time}', { time: when(observed_at) })}`}
      {cleared_at !== null &&
        ` · ${t('cleared {time}: {cause}', { time: when(cleared_at), cause: clearedBecause(cleared_because) })}`}
      {acknowledged_at !== null &&
        ` · ${
          acknowledged_by === null
            ? t('acknowledged {time}', { time: when(acknowledged_at) })
            : t('acknowledged {time} by {name}', { time: when(acknowledged_at), name: acknowledged_by })
        }`}
    </p>
  );
}

type Raw = NonNullable<Alert['raw_traffic']>;

/** Returns in words what raw traffic is kept around a critical alert. */
function rawWords({ state, from, to, reason, files }: Raw): string {
  const span = duration(Date.parse(to) - Date.parse(from));
  if (state === 'waiting')
    return t('Raw CAN frames of {span} around the alert will be kept when this time has passed.', { span });
  const frames = files.reduce((sum, one) => sum + one.frames, 0);
  const kept =
    files.length === 0
      ? t('No raw CAN frames are kept.')
      : t('{n} raw CAN frame of {span} around the alert.|{n} raw CAN frames of {span} around the alert.', {
          n: frames,
          span,
        });
  return reason === null ? kept : `${kept} ${reason}`;
}

/** The raw traffic that the gateway keeps around a critical alert, with a button for each file. */
function AlertRaw({ raw, session, device }: { raw: Raw; session: Session; device: (id: string) => string }) {
  const [problem, setProblem] = useState<string | null>(null);
  const save = (file: Raw['files'][number]) => {
    setProblem(null);
    saveFile(session, file.artifact_id, file.name).catch((error: unknown) => setProblem(errorText(error)));
  };
  return (
    <div class="alert-raw">
      <p class="aside">{rawWords(raw)}</p>
      {raw.files.map((file) => (
        <button key={file.artifact_id} type="button" class="quiet" onClick={() => save(file)}>
          {t('Download MF4 of {device}', { device: device(file.device_id) })}
        </button>
      ))}
      <Problem text={problem} />
    </div>
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
      onAcknowledged(t('Acknowledged: {rule}.', { rule: alert.rule_name }));
    });
  return (
    <>
      {note !== null && (
        <TextArea label={t('Note for the log')} value={note} onValue={setNote} rows={2} maxLength={500} />
      )}
      <button type="button" class="primary" disabled={busy} onClick={send}>
        {busy ? t('Sending') : note === null ? t('Acknowledge') : t('Acknowledge with note')}
      </button>
      <button type="button" disabled={busy} onClick={() => setNote(note === null ? '' : null)}>
        {note === null ? t('Add a note') : t('Remove the note')}
      </button>
      <Problem text={problem} />
    </>
  );
}

export function AlertCard(props: Props) {
  const { alert, session, ticket } = props;
  const limit = limitOf(alert);
  const also = alsoWords(alert);
  const actions = actionsWords(alert);
  const seen = alert.acknowledged_at !== null || alert.state === 'cleared';
  return (
    <li class={`alert ${seen ? 'seen' : ''}`} data-severity={alert.severity}>
      <SeverityMark severity={alert.severity} />
      <div class="said-by">
        <div class="what">
          <AlertSource {...props} />
          {!repeatsName(alert) && <b>{alert.rule_name}</b>}
          <span class="severity">{t(SEVERITY_WORDS[alert.severity])}</span>
          {alert.late && <span class="badge-word">{t('Late: old data arrived')}</span>}
          {props.isNew && <span class="badge-word">{t('Not read yet')}</span>}
          {props.isRemoved && <span class="badge-word">{t('Removed from the list')}</span>}
        </div>
        <p class="crossed">
          {crossed(alert)}
          {limit !== null && <span class="aside"> {limit}</span>}
        </p>
        {also !== null && <p class="aside">{also}</p>}
        <Times {...props} />
        {actions !== '' && <p class="aside">{actions}</p>}
        {alert.raw_traffic !== null && (
          <AlertRaw raw={alert.raw_traffic} session={props.session} device={props.device} />
        )}
      </div>
      <div class="leads">
        {may(session, 'alerts_acknowledge') && alert.state === 'active' && alert.acknowledged_at === null && (
          <Acknowledge {...props} />
        )}
        {props.onRemove !== undefined && (
          <button type="button" class="quiet" onClick={props.onRemove}>
            {t('Remove from the list')}
            <span class="hidden"> {alert.rule_name}</span>
          </button>
        )}
        {ticket !== undefined ? (
          <a class="button" href={`#tickets/${ticket.id}`}>
            {ticket.number}, {inside(t(STATUS_WORDS[ticket.status]))}
          </a>
        ) : (
          may(session, 'repair_tickets_create') && (
            <a class="button" href={`#tickets/new/${alert.id}`}>
              {t('Create a ticket')}
            </a>
          )
        )}
      </div>
    </li>
  );
}
