/** A new board: a person chooses a template, or an empty board. */
import { useState } from 'preact/hooks';
import { BOARD_TEMPLATES } from '#contract/board-templates.ts';
import type { DashboardData } from '#contract/site/board.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Field, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { BoardSketch } from './board-sketch.tsx';
import { freeName } from './make-again.ts';

type Template = Pick<DashboardData, 'name' | 'description' | 'widgets'>;

/** Returns a template with its name and purpose in the language of the person. Screens translate the English titles of its tiles. */
function spoken({ name, description, widgets }: Template): Template {
  return {
    name: translated(name),
    description: translated(description),
    widgets,
  };
}

export function NewBoard({ session }: { session: Session }) {
  const [name, setName] = useState('');
  const { busy, problem, send } = useSend();
  const templates: readonly Template[] = [
    { name: t('Empty board'), description: t('No tiles. You add each of them.'), widgets: [] },
    ...BOARD_TEMPLATES.map(spoken),
  ];
  const make = (template: Template) =>
    send(async () => {
      const { items } = await readAll(session, 'dashboards_list', {}, AbortSignal.timeout(15_000));
      const wanted = name.trim() === '' ? template.name : name.trim();
      const made = await session.client.call('dashboards_create', {
        name: freeName(
          wanted,
          items.map((one) => one.name),
        ),
        description: template.widgets.length === 0 ? '' : template.description,
        widgets: [...template.widgets],
      });
      location.hash = `screens/boards/${made.id}`;
    });
  return (
    <>
      <p>
        <a href="#screens">{t('Screens')}</a>
      </p>
      <h1>{t('New board')}</h1>
      <div class="form">
        <Field
          label={t('Name')}
          value={name}
          onValue={setName}
          hint={t('Empty: the name of the template.')}
          autoFocus
        />
      </div>
      <Problem text={problem} />
      <h2>{t('Start from')}</h2>
      <ul class="templates">
        {templates.map((one) => (
          <li key={one.name}>
            <button type="button" disabled={busy} onClick={() => make(one)}>
              <BoardSketch places={one.widgets.map(({ position }) => position)} />
              <b>{one.name}</b>
              <span>{one.description}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
