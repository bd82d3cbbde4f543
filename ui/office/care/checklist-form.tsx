/** The form of a checklist: its name, its kind of machines, and its items. */
import { t } from '#ui/languages/texts.ts';
import { kindOf, kindText, MACHINE_KINDS } from '#ui/office/base/machine-kinds.ts';
import { Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { TextArea } from '#ui/office/base/picks.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useTabState } from '#ui/office/base/tab-state.ts';
import { useWrite } from '#ui/office/work/write.ts';
import type { Checklist } from './use-inspection.ts';

interface Typed {
  readonly name: string;
  readonly kind: string;
  readonly items: string;
}

type Item = Checklist['items'][number];

/** Writes items as text, one a line: `! text | hint`, where `!` marks a critical item. */
function itemsText(items: readonly Item[]): string {
  return items
    .map(({ text, hint, critical }) => `${critical ? '! ' : ''}${text}${hint === '' ? '' : ` | ${hint}`}`)
    .join('\n');
}

/** Reads the items of `itemsText`. An item with the text of an earlier item keeps the id of that item. */
function itemsOf(typed: string, before: readonly Item[]): Item[] {
  const ids = new Map(before.map(({ id, text }) => [text, id]));
  return typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [first = '', ...hint] = line.replace(/^!\s*/, '').split('|');
      const text = first.trim();
      const id = ids.get(text);
      ids.delete(text);
      return { ...(id === undefined ? {} : { id }), text, hint: hint.join('|').trim(), critical: line.startsWith('!') };
    });
}

/** The form. The tab keeps what a person typed until the gateway has stored it. */
export function ChecklistForm(props: { session: Session; list: Checklist | null; onDone(): void }) {
  const { list } = props;
  const { client } = props.session;
  const [kept, setKept] = useTabState<Typed>(`checklist ${list?.id ?? 'new'}`);
  const { busy, problem, write } = useWrite();
  const typed =
    kept ??
    (list === null
      ? { name: '', kind: '', items: '' }
      : { name: list.name, kind: list.kind === null ? '' : kindText(list.kind), items: itemsText(list.items) });
  const touch = (name: keyof Typed) => (value: string) => setKept({ ...typed, [name]: value });
  const done = () => {
    setKept(null);
    props.onDone();
  };
  const send = () =>
    write(async (once) => {
      const kind = kindOf(typed.kind);
      const fields = {
        name: typed.name,
        kind: kind === '' ? null : kind,
        items: itemsOf(typed.items, list?.items ?? []),
      };
      if (list === null) await client.call('inspection_checklists_create', fields, once);
      else
        await client.call(
          'inspection_checklists_update',
          { id: list.id, ...fields },
          { ...once, if_match: list.revision },
        );
      done();
    });
  const remove = () =>
    write(async (once) => {
      if (list === null) return;
      await client.call('inspection_checklists_delete', { id: list.id }, { ...once, if_match: list.revision });
      done();
    });
  return (
    <section class="panel-box">
      <h2>{list === null ? t('New checklist') : list.name}</h2>
      <Form action={t('Save')} busy={busy} onSend={send}>
        <Field label={t('Name')} value={typed.name} onValue={touch('name')} required />
        <Field
          label={t('Kind')}
          value={typed.kind}
          onValue={touch('kind')}
          offers={MACHINE_KINDS.map(kindText)}
          hint={t('Empty: for all machines')}
        />
        <TextArea
          label={t('Items')}
          value={typed.items}
          onValue={touch('items')}
          rows={14}
          maxLength={30_000}
          hint={t('One item a line. Begin a critical item with ! and write a hint after {mark}', { mark: '|' })}
        />
        <Problem text={problem} />
      </Form>
      <div class="actions">
        <button type="button" onClick={done}>
          {t('Cancel')}
        </button>
        {list !== null && (
          <button type="button" class="danger" disabled={busy} onClick={remove}>
            {t('Delete')}
          </button>
        )}
      </div>
    </section>
  );
}
