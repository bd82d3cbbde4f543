/** Machines in trouble: what is wrong, since when, who is on it, and why a machine comes first. */
import { useState } from 'preact/hooks';
import type { MachineRow } from '#contract/site/project-live.ts';
import type { Attention } from '#contract/work/attention.ts';
import { fill } from '#contract/work/attention-words.ts';
import { duration, moment } from '#ui/format.ts';
import { officeReason } from '#ui/languages/office.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { Kept, later } from '#ui/office/outbox/later.ts';
import { useWrite } from '#ui/office/work/write.ts';
import { markOf } from '#ui/tiles/machine-drawing.ts';
import { AlertMark } from '#ui/tiles/marks.tsx';
import { PROBABLY } from '#ui/tiles/trouble-words.ts';
import { ownerTexts, reasonTexts } from '#ui/words.ts';
import { GRADE_WORDS, placeWords, scoreWords } from './trouble-words.ts';

type Trouble = NonNullable<MachineRow['trouble']>;

/** Returns the machines in trouble, the most urgent first, as on every screen. */
export function inTrouble(machines: readonly MachineRow[]): (MachineRow & { readonly trouble: Trouble })[] {
  return machines
    .flatMap((one) => (one.trouble === undefined ? [] : [{ ...one, trouble: one.trouble }]))
    .sort((a, b) => a.trouble.place - b.trouble.place);
}

/** Returns the machines with those in trouble first, in the order of the ranking. The others keep their order. */
export function byTrouble(machines: readonly MachineRow[]): readonly MachineRow[] {
  const place = ({ trouble }: MachineRow) => trouble?.place ?? Number.MAX_SAFE_INTEGER;
  return [...machines].sort((a, b) => place(a) - place(b));
}

/** What a machine needs, and who is on it, in one line; nothing for a machine that needs nobody. */
export function Needs({ machine: { trouble } }: { machine: MachineRow }) {
  if (trouble === undefined) return null;
  const { reason } = trouble;
  return (
    <p class="needs">
      <AlertMark mark={markOf(reason)} />
      <span>
        {reasonTexts(officeReason(reason))[0]}. {ownerTexts(reason)[0]}.
      </span>
    </p>
  );
}

interface Part {
  readonly session: Session;
  readonly machine: MachineRow & { readonly trouble: Trouble };
  readonly now: number;
  onDone(): void;
}

/** One tap with which a person takes a machine; afterwards the same place undoes it. */
function Take({ session, machine, onDone }: Omit<Part, 'now'>) {
  const { busy, problem, write } = useWrite();
  const { id, taken, trouble } = machine;
  const mine = taken != null && taken.by === session.me.name && trouble.reason.owner === taken.by;
  const operation = mine ? 'equipment_release' : 'equipment_take';
  if (!may(session, operation)) return null;
  const send = () =>
    write(async (once) => {
      const title = `${machine.unit_number}: ${mine ? t('undo "I take it"') : t('I take it')}`;
      const was = taken?.by ?? '';
      const fact = { label: t('Who is on it'), field: 'taken.by', was, mine: mine ? '' : session.me.name };
      const about = { id: once.idempotency_key, subject: id, title, facts: [fact], read: `/api/v1/equipment/${id}` };
      await later(session, operation, { id }, about);
      onDone();
    });
  return (
    <>
      <button type="button" class={mine ? '' : 'primary'} disabled={busy} onClick={send}>
        {busy ? t('Sending') : mine ? t('Undo "I take it"') : t('I take it')}
      </button>
      <Problem text={problem} />
      <Kept subject={id} />
    </>
  );
}

function Owner({ reason }: Pick<Trouble, 'reason'>) {
  return <span class={reason.owner === undefined ? 'owner nobody' : 'owner'}>{ownerTexts(reason)[0]}</span>;
}

function since({ since_ms }: Trouble['reason'], now: number, zone: string): string {
  return since_ms === null
    ? ''
    : t('For {age}, since {time}', { age: duration(now - since_ms), time: moment(since_ms, now, zone) });
}

/** The list of the machines in trouble; nothing if there are none. */
export function TroubleList(props: {
  session: Session;
  machines: readonly MachineRow[];
  now: number;
  onChoose(id: string): void;
  onDone(): void;
}) {
  const { session, now } = props;
  const troubled = inTrouble(props.machines);
  if (troubled.length === 0) return null;
  return (
    <section class="troubles" aria-label={t('Machines in trouble')}>
      <h2>{t('In trouble: {n}', { n: troubled.length })}</h2>
      <ol>
        {troubled.map((machine) => {
          const { reason } = machine.trouble;
          const [text = ''] = reasonTexts(officeReason(reason));
          return (
            <li key={machine.id} class="machine-trouble" data-grade={reason.grade} data-cause={reason.cause}>
              <AlertMark mark={markOf(reason)} />
              <div class="says">
                <p>
                  <button type="button" class="link" onClick={() => props.onChoose(machine.id)}>
                    {machine.unit_number}
                  </button>{' '}
                  <b>{text}</b>
                </p>
                <p class="aside">
                  {t(GRADE_WORDS[reason.grade])}. {since(reason, now, session.project.timezone)}{' '}
                  <Owner reason={reason} />
                </p>
              </div>
              <div class="leads">
                <Take session={session} machine={machine} onDone={props.onDone} />
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** The answer to "Why first?": the points of the score, and the further reasons. */
function Why({ session, id, place }: { session: Session; id: string; place: number }) {
  const [found, setFound] = useState<Attention | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const read = () => {
    session.client.call('equipment_get', { id, include: 'attention' }).then(
      ({ attention }) => {
        setProblem(null);
        setFound(attention ?? null);
      },
      () => setProblem(t('The gateway does not answer. Try again.')),
    );
  };
  return (
    <div class="why">
      <button
        type="button"
        class="link not-on-paper"
        aria-expanded={found !== null}
        onClick={() => (found === null ? read() : setFound(null))}
      >
        {place === 1 ? t('Why first?') : t('Why not first?')}
      </button>
      <Problem text={problem} />
      {found !== null && (
        <>
          <p>
            {found.place !== null && `${placeWords(found.place, found.in_trouble)}. `}
            {scoreWords(found).join(', ')} = <b>{found.score}</b>
          </p>
          {found.reasons.length > 1 && (
            <p class="aside">
              {t('Also: {reasons}', {
                reasons: found.reasons
                  .slice(1)
                  .map((reason) => reasonTexts(officeReason({ says: reason.says }))[0])
                  .join('; '),
              })}
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** The trouble of one machine, at the head of its panel. On the page of the machine, its number and what it is are part of it. */
export function MachineTrouble(props: Part & { about: string | null }) {
  const { session, machine, now, about } = props;
  const { reason } = machine.trouble;
  const [text = ''] = reasonTexts(officeReason(reason));
  return (
    <section
      class="machine-trouble head-trouble"
      data-grade={reason.grade}
      data-cause={reason.cause}
      aria-label={t('Trouble')}
    >
      <AlertMark mark={markOf(reason)} />
      {about !== null && <h1>{machine.unit_number}</h1>}
      <div class="says">
        <p class="what">
          <b>{text}</b>
        </p>
        {reason.probably !== undefined && (
          <p>{fill(translated(PROBABLY[reason.probably.code]), officeReason(reason).probably?.params ?? {})}</p>
        )}
        <p>
          {since(reason, now, session.project.timezone)}
          {about !== null && about !== '' && `. ${about}`} <Owner reason={reason} />
        </p>
        <Why session={session} id={machine.id} place={machine.trouble.place} />
      </div>
      <div class="leads">
        <Take session={session} machine={machine} onDone={props.onDone} />
        {about !== null && may(session, 'repair_tickets_create') && (
          <a class="button" href={`#tickets/new/${machine.id}`}>
            {t('Open a repair')}
          </a>
        )}
      </div>
    </section>
  );
}
