/** The search of the office: one field that finds pages, machines, repairs, devices, people and places, and opens one of them. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { joined } from '#ui/format.ts';
import { inside, language, t, translated, type Word } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import type { NavigationGroup } from '#ui/office/base/navigation.tsx';
import { errorText, may, type Session } from '#ui/office/base/session.ts';
import { type Found, matches } from './matches.ts';

const WORDS: Readonly<Record<Found['kind'], Word>> = {
  page: 'Page',
  machine: 'Machine',
  ticket: 'Repair',
  device: 'Device',
  operator: 'Operator',
  mechanic: 'Mechanic',
  location: 'Place',
};

const DEVICE_WORDS = {
  can_logger: 'CAN logger',
  camera: 'Camera',
  gateway: 'Gateway',
  generic: 'Device',
  unknown: 'Unknown',
} as const satisfies Readonly<Record<string, Word>>;

/** Returns a status or a kind of the gateway, such as `in_progress`, in the language of the page. */
const wordsOf = (name: string): string =>
  inside(translated(name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')));

/** A list of the gateway as things to find. */
interface Source {
  read(session: Session, signal: AbortSignal): Promise<{ items: readonly Found[]; more: boolean }>;
}

type Readable = Parameters<typeof readAll>[1];

/** Returns the source for one list; `found` makes a thing of an item. */
function source<N extends Readable>(
  name: N,
  found: (item: Awaited<ReturnType<typeof readAll<N>>>['items'][number]) => Found,
): Source {
  return {
    async read(session, signal) {
      if (!may(session, name)) return { items: [], more: false };
      const { items, more } = await readAll(session, name, {}, signal);
      return { items: items.map(found), more };
    },
  };
}

const SOURCES: readonly Source[] = [
  source('equipment_list', ({ id, unit_number, name, oem_name, model, serial_number }) => ({
    kind: 'machine',
    id,
    name: unit_number,
    more: joined(name === unit_number ? null : name, oem_name, model, serial_number),
    hash: `machines/${id}`,
  })),
  source('repair_tickets_list', ({ id, number, title, status }) => ({
    kind: 'ticket',
    id,
    name: title,
    more: joined(number, wordsOf(status)),
    hash: `tickets/${id}`,
  })),
  source('devices_list', ({ id, name, serial, kind }) => ({
    kind: 'device',
    id,
    name: name || (serial ?? id),
    more: joined(name === '' ? null : serial, inside(t(DEVICE_WORDS[kind]))),
    hash: `devices/${id}`,
  })),
  source('operators_list', ({ id, name, badge_id, crew }) => ({
    kind: 'operator',
    id,
    name,
    more: joined(badge_id, crew),
    hash: 'people/operators',
  })),
  source('mechanics_list', ({ id, name, employee_number, crew }) => ({
    kind: 'mechanic',
    id,
    name,
    more: joined(employee_number, crew),
    hash: 'people/mechanics',
  })),
  source('locations_list', ({ id, name, kind }) => ({
    kind: 'location',
    id,
    name,
    more: wordsOf(kind),
    hash: 'map',
  })),
];

/** Reads all sources, and again when another project is open. A source that fails leaves its things out, and the text says so. */
function useThings(session: Session) {
  const [things, setThings] = useState<readonly Found[]>([]);
  const [waiting, setWaiting] = useState(SOURCES.length);
  const [notes, setNotes] = useState<readonly string[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    const add = (note: string) => setNotes((before) => (before.includes(note) ? before : [...before, note]));
    for (const one of SOURCES)
      one
        .read(session, stop.signal)
        .then(({ items, more }) => {
          setThings((before) => [...before, ...items]);
          if (more) add(t('Of a list with more than 1,000 entries only the newest 1,000 are searched.'));
        })
        .catch((error: unknown) => {
          if (!stop.signal.aborted) add(`${t('Not all was searched.')} ${errorText(error)}`);
        })
        .finally(() => setWaiting((before) => before - 1));
    return () => stop.abort();
  }, [session]);
  return { things, isReading: waiting > 0, notes };
}

export function SearchDialog(props: { session: Session; groups: readonly NavigationGroup[]; onClose(): void }) {
  const { session, groups, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const { things, isReading, notes } = useThings(session);
  const pages = useMemo(
    () =>
      groups.flatMap(({ title: group, pages }) =>
        pages.map(({ id, title }): Found => ({ kind: 'page', id, name: title, more: group, hash: id })),
      ),
    [groups],
  );
  const { shown, count } = useMemo(() => matches([...pages, ...things], typed), [pages, things, typed]);
  const chosen = Math.min(at, shown.length - 1);
  useEffect(() => {
    const shownDialog = dialog.current;
    shownDialog?.showModal();
    // A click beside the dialog has the dialog itself as its target.
    shownDialog?.addEventListener('click', ({ target }) => target === shownDialog && shownDialog.close());
  }, []);
  const open = (found: Found | undefined) => {
    if (found === undefined) return;
    location.hash = found.hash;
    onClose();
  };
  const move = (by: number) => setAt((chosen + by + shown.length) % Math.max(1, shown.length));
  const words = typed.trim();
  const result =
    words === ''
      ? t('Type a unit number, a name, a serial number or a page.')
      : shown.length === 0
        ? isReading
          ? t('Searching')
          : t('Nothing has "{words}" in its name or number.', { words })
        : [
            count > shown.length
              ? t('{shown} of {all} results', { shown: shown.length, all: count })
              : t('{n} result|{n} results', { n: count }),
            ...(isReading ? [t('still reading')] : []),
          ].join(', ');
  return (
    <dialog ref={dialog} class="search" lang={language().tag} aria-label={t('Search')} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label={t('Search')}
        aria-expanded={shown.length > 0}
        aria-controls="search-results"
        aria-activedescendant={shown.length > 0 ? `found-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') move(1);
          else if (event.key === 'ArrowUp') move(-1);
          else if (event.key === 'Enter') open(shown[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <p class="aside" role="status">
        {result}
      </p>
      <div id="search-results" role="listbox" aria-label={t('Results')}>
        {shown.map((found, i) => (
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the field
          <div
            key={`${found.kind} ${found.id}`}
            id={`found-${i}`}
            role="option"
            aria-selected={i === chosen}
            onClick={() => open(found)}
          >
            <b>{found.name}</b>
            <span>{found.more}</span>
            <small>{t(WORDS[found.kind])}</small>
          </div>
        ))}
      </div>
      {notes.map((note) => (
        <p key={note} class="aside">
          {note}
        </p>
      ))}
    </dialog>
  );
}
