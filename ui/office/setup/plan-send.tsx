/** The end of the page of a plan: what must be corrected, what is not made, and the button that makes the plan. */
import { t } from '#ui/languages/texts.ts';
import type { PlanProblem } from './plan-checks.ts';
import { countOf, type DraftPlan, openIn, type Row } from './plan-draft.ts';
import { type Edit, wordsOfRow } from './plan-edit.ts';

/** The page names at most this many fields that must be corrected. */
const MOST_NAMED = 5;

/** The fields that must be corrected. A button moves the focus to the field. */
function ToCorrect({ draft, edit, problems }: { draft: DraftPlan; edit: Edit; problems: readonly PlanProblem[] }) {
  const wordsOf = ({ list, key }: PlanProblem): string => {
    const rows = draft.groups.flatMap(({ lists }): readonly Row[] => lists[list]);
    const row = rows.find((one) => one.key === key);
    return row === undefined ? '' : wordsOfRow(draft, row);
  };
  return (
    <section class="problem" aria-label={t('What you must correct')}>
      <p role="status">
        {t('Correct {n} field before the plan can be made.|Correct {n} fields before the plan can be made.', {
          n: problems.length,
        })}
      </p>
      <ul class="plan-list">
        {problems.slice(0, MOST_NAMED).map((one) => (
          <li key={`${one.key} ${one.field}`}>
            <button type="button" class="link" onClick={() => edit.onGo(one.list, one.key, one.field)}>
              {wordsOf(one)}: {one.text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `isClosed`: nothing can be made from the text. */
export function PlanSend(props: {
  draft: DraftPlan;
  edit: Edit;
  problems: readonly PlanProblem[];
  busy: boolean;
  isClosed: boolean;
  onSend(): void;
}) {
  const { draft, edit, problems, busy } = props;
  const count = countOf(draft);
  const open = openIn(draft);
  const [first] = problems;
  return (
    <>
      {open > 0 && (
        <p class="aside">
          {t('{n} not certain and not ticked: it is not made.|{n} not certain and not ticked: they are not made.', {
            n: open,
          })}
        </p>
      )}
      {first !== undefined && <ToCorrect draft={draft} edit={edit} problems={problems} />}
      <button
        type="button"
        class="primary"
        disabled={busy || count === 0 || props.isClosed}
        onClick={() => (first === undefined ? props.onSend() : edit.onGo(first.list, first.key, first.field))}
      >
        {busy
          ? t('Sending')
          : first === undefined
            ? t('Make {n} object|Make {n} objects', { n: count })
            : t('Correct {n} field|Correct {n} fields', { n: problems.length })}
      </button>
    </>
  );
}
