/**
 * The state of an inspection that a person fills in. The tab keeps each answer until the outbox of this browser or the gateway has stored the
 * inspection, so that a lost link or a reload loses nothing. The id of the write is kept too, so that the gateway stores only one inspection.
 */
import { useRef } from 'preact/hooks';
import type { Input, Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { setTabState, useTabState } from '#ui/office/base/tab-state.ts';
import { later } from '#ui/office/outbox/later.ts';
import { isAnswered, useWrite } from '#ui/office/work/write.ts';
import { keptPhoto } from '#ui/outbox/item.ts';

export type Checklist = Output<'inspection_checklists_list'>['data'][number];
export type Inspection = Output<'inspections_get'>;
export type Answer = Input<'inspections_create'>['answers'][number]['answer'];

interface Filled {
  /** The record in the outbox: the inspection and its photos. */
  readonly key: string;
  /** The id of the write, if it is not the key: the person sent another inspection with the key. */
  readonly write_id?: string;
  readonly started_at: string;
  readonly answers: Readonly<Record<string, Answer>>;
  readonly notes: Readonly<Record<string, string>>;
  /** The artifact ids of the photos of each item, or the places of photos that this browser keeps. Absent in answers that an earlier build kept. */
  readonly photos?: Readonly<Record<string, readonly string[]>>;
  readonly done_by: string;
  readonly hours: string;
}

/** Returns the answers so far, and the functions that change and send them. */
export function useInspection(props: {
  session: Session;
  equipment_id: string;
  unit: string;
  list: Checklist;
  /** Null: this browser keeps the inspection and sends it later. */
  onSent(inspection: Inspection | null): void;
}) {
  const { session, equipment_id, list } = props;
  const name = `inspection ${equipment_id} ${list.id}`;
  const [kept, setKept] = useTabState<Filled>(name);
  const { busy, problem, write } = useWrite();
  const now = () => new Date(session.now()).toISOString();
  const filled = kept ?? {
    key: newIdempotencyKey(),
    started_at: now(),
    answers: {},
    notes: {},
    done_by: session.me.user?.name ?? '',
    hours: '',
  };
  // A photo arrives later than the call that sends it, so a change applies to the newest answers and not to those of its own render.
  const newest = useRef(filled);
  newest.current = filled;
  const change = (part: Partial<Filled>) => {
    newest.current = { ...newest.current, ...part };
    setKept(newest.current);
  };
  const items = list.items.map((item) => ({ ...item, id: item.id ?? '' }));
  const send = () =>
    write(async () => {
      const { started_at, done_by, hours, key } = filled;
      const input = {
        equipment_id,
        checklist_id: list.id,
        started_at,
        answers: items.map(({ id }) => {
          const answer = filled.answers[id] ?? 'not_applicable';
          const media = [...(filled.photos?.[id] ?? [])];
          return { item_id: id, answer, note: answer === 'not_ok' ? (filled.notes[id] ?? '') : '', media };
        }),
        ...(done_by.trim() === '' ? {} : { done_by }),
        ...(hours.trim() === '' ? {} : { hours: Number(hours.replaceAll(/[\s,]/g, '')) }),
      };
      const failed = input.answers.filter(({ answer }) => answer === 'not_ok').length;
      const sent = await later(session, 'inspections_create', input, {
        id: filled.write_id ?? key,
        onStored: () => setTabState(name, null),
        subject: key,
        title: `${t('{checklist} of {unit}', { checklist: list.name, unit: props.unit })}: ${failed === 0 ? t('no defects') : t('{n} not ok', { n: failed })}`,
        photos: input.answers.flatMap(({ media }) => media.flatMap((id) => keptPhoto(id) ?? [])),
      }).catch((error: unknown) => {
        // A refused inspection is not kept, so its answers stay here, and the next try is another write.
        change(isAnswered(error) ? { write_id: newIdempotencyKey() } : {});
        throw error;
      });
      setKept(null);
      props.onSent(sent);
    });
  return {
    items,
    filled,
    busy,
    problem,
    send,
    done: items.filter(({ id }) => filled.answers[id] !== undefined).length,
    answer: (id: string, answer: Answer) => change({ answers: { ...filled.answers, [id]: answer } }),
    note: (id: string, note: string) => change({ notes: { ...filled.notes, [id]: note } }),
    photos: (id: string, next: (photos: readonly string[]) => readonly string[]) =>
      change({ photos: { ...newest.current.photos, [id]: next(newest.current.photos?.[id] ?? []) } }),
    touch: (name: 'done_by' | 'hours', value: string) => change({ [name]: value }),
    discard: () => setKept(null),
  };
}
