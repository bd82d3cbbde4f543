/** A row of the page of screens: a board or playlist, who shows it, its preview and its link, and how a person renames, copies and deletes it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { Preview } from '#ui/office/screens/previews/preview.tsx';
import type { Shown } from '#ui/office/screens/previews/shown.ts';
import { SharePanel } from './share-panel.tsx';

/** What a person may do with a board or playlist; absent if the person may not. */
export interface RowActions {
  rename?(name: string): Promise<void>;
  copy?(): Promise<void>;
  /** Reads before the deletion who shows the board or playlist, and says it. */
  warning?(): Promise<string>;
  delete?(): Promise<void>;
}

type Open = 'preview' | 'link' | 'rename' | 'delete' | null;

function Rename(props: { name: string; onName(name: string): Promise<void> }) {
  const [name, setName] = useState(props.name);
  const { busy, problem, send } = useSend();
  return (
    <Form action={t('Save the name')} busy={busy} onSend={() => send(() => props.onName(name.trim()))}>
      <Field label={t('Name')} value={name} onValue={setName} required autoFocus />
      <Problem text={problem} />
    </Form>
  );
}

/** Asks a person before a board or playlist is deleted, and names the playlists and links that show it. */
function AskDelete(props: { name: string; actions: RowActions; onCancel(): void }) {
  const { name, actions } = props;
  const [warning, setWarning] = useState<string | null>(null);
  const reading = useSend();
  const { busy, problem, send } = useSend();
  useEffect(() => reading.send(async () => setWarning((await actions.warning?.()) ?? null)), []);
  return (
    <div class="ask" role="alert">
      <p>{warning ?? (reading.problem === null ? t('Loading') : t('The page could not read who shows it.'))}</p>
      <Problem text={problem ?? reading.problem} />
      <div class="buttons">
        <button type="button" disabled={busy || reading.busy} onClick={() => send(async () => actions.delete?.())}>
          {t('Delete {name}', { name })}
        </button>
        <button type="button" onClick={props.onCancel}>
          {t('Cancel')}
        </button>
      </div>
    </div>
  );
}

export function ScreenRow(props: {
  session: Session;
  one: Shown;
  /** The page on which a person edits it. */
  href: string;
  sketch?: ComponentChildren;
  details: readonly string[];
  actions: RowActions;
  onChanged(): void;
}) {
  const { session, one, actions } = props;
  const [open, setOpen] = useState<Open>(null);
  const { busy, problem, send } = useSend();
  const toggle = (next: Open) => setOpen(open === next ? null : next);
  const opens = (what: Open) => ({
    type: 'button' as const,
    'aria-expanded': open === what,
    onClick: () => toggle(what),
  });
  return (
    <li class="screen-row">
      <div class="row">
        {props.sketch}
        <div class="screen-facts">
          <a href={props.href}>
            <b>{one.name}</b>
          </a>
          {props.details.map((text) => (
            <small key={text}>{text}</small>
          ))}
        </div>
        <div class="buttons">
          <a class="button" href={props.href}>
            {t('Edit')} <span class="hidden">{one.name}</span>
          </a>
          <button {...opens('preview')}>{open === 'preview' ? t('Close preview') : t('Preview')}</button>
          <button {...opens('link')}>{t('Open on a TV')}</button>
          {actions.rename && <button {...opens('rename')}>{t('Rename')}</button>}
          {actions.copy && (
            <button type="button" disabled={busy} onClick={() => send(async () => actions.copy?.())}>
              {t('Duplicate')}
            </button>
          )}
          {actions.delete && <button {...opens('delete')}>{t('Delete')}</button>}
        </div>
      </div>
      <Problem text={problem} />
      {open === 'link' && <SharePanel session={session} one={one} onChanged={props.onChanged} />}
      {open === 'preview' && <Preview session={session} kind={one.kind} id={one.id} />}
      {open === 'rename' && (
        <Rename
          name={one.name}
          onName={async (name) => {
            await actions.rename?.(name);
            setOpen(null);
          }}
        />
      )}
      {open === 'delete' && <AskDelete name={one.name} actions={actions} onCancel={() => setOpen(null)} />}
    </li>
  );
}
