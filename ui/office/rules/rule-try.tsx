/** Tries the rule in the form on recorded values, and shows when it would have raised alerts. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { duration, moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { failureText } from '#ui/office/work/write.ts';
import { type RuleFields, ruleOf } from './rule-draft.ts';
import { alertWords, notJudgedWords, type RuleText, trialWords } from './rule-text.ts';

type Trial = Output<'alert_rules_test'>;
type Machine = Trial['machines'][number];

const DAYS = 7;
const DAY_MS = 86_400_000;
/** A trial of many machines reads millions of values. After this many milliseconds the page gives up. */
const PATIENCE_MS = 120_000;
/** Number of alerts that the page lists for each machine. */
const MOST_SHOWN = 8;
/** Width and height of the picture of a machine. */
const WIDTH = 700;
const HEIGHT = 28;
/** An alert is drawn at least this wide, so that a person sees also the shortest one. */
const LEAST_WIDTH = 3;

const alertCount = (n: number) => (n === 0 ? t('no alert') : t('{n} alert|{n} alerts', { n }));

/** The picture of one machine: grey where there were values, and a bar for each alert. */
function Timeline({ machine, from, to }: { machine: Machine; from: number; to: number }) {
  const x = (at: string | null) => (((at === null ? to : Date.parse(at)) - from) / (to - from)) * WIDTH;
  return (
    <svg
      class="trial-line"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${machine.unit_number}: ${alertCount(machine.alerts_total)}`}
    >
      <rect class="known" x={0} y={6} width={WIDTH} height={HEIGHT - 12} />
      {machine.gaps.map((gap) => (
        <rect
          key={gap.from}
          class="unknown"
          x={x(gap.from)}
          y={6}
          width={x(gap.to) - x(gap.from)}
          height={HEIGHT - 12}
        />
      ))}
      {machine.alerts.map((one) => (
        <rect
          key={one.raised_at}
          class="raised"
          x={Math.min(x(one.raised_at), WIDTH - LEAST_WIDTH)}
          y={0}
          width={Math.max(LEAST_WIDTH, x(one.cleared_at) - x(one.raised_at))}
          height={HEIGHT}
        />
      ))}
    </svg>
  );
}

function foundText({ raised_at, cleared_at }: Machine['alerts'][number], time: string, what: string): string {
  if (cleared_at === null) return t('{time}, still raised at the end: {what}', { time, what });
  const age = duration(Date.parse(cleared_at) - Date.parse(raised_at));
  return t('{time}, for {age}: {what}', { time, age, what });
}

function MachineTrial(props: { machine: Machine; trial: Trial; rule: RuleText; zone: string }) {
  const { machine, trial, rule, zone } = props;
  const [from, to] = [Date.parse(trial.from), Date.parse(trial.to)];
  const more = machine.alerts_total - MOST_SHOWN;
  return (
    <li class="trial">
      <p>
        <b>{machine.unit_number}</b> {alertCount(machine.alerts_total)}
        <span class="aside"> {trialWords(machine)}</span>
      </p>
      <Timeline machine={machine} from={from} to={to} />
      {machine.alerts_total > 0 && (
        <ul class="trial-alerts">
          {machine.alerts.slice(0, MOST_SHOWN).map((one) => (
            <li key={one.raised_at}>
              {foundText(one, moment(Date.parse(one.raised_at), to, zone), alertWords(rule, one))}
            </li>
          ))}
          {more > 0 && <li class="aside">{t('and {count} more', { count: more })}</li>}
        </ul>
      )}
    </li>
  );
}

/** The result of a trial, in sentences and pictures. */
function Result({ trial, rule, zone }: { trial: Trial; rule: RuleText; zone: string }) {
  const raised = trial.machines.reduce((sum, one) => sum + one.alerts_total, 0);
  const on = trial.machines.filter((one) => one.alerts_total > 0).length;
  const [from, to] = [Date.parse(trial.from), Date.parse(trial.to)];
  const machines = [...trial.machines].sort((a, b) => b.alerts_total - a.alerts_total);
  return (
    <div class="trial-result" role="status">
      {trial.machines.length > 0 && (
        <p class="sentence">
          {raised === 0
            ? t(
                'The rule would have raised no alert on {n} machine.|The rule would have raised no alert on {n} machines.',
                { n: machines.length },
              )
            : t(
                'The rule would have raised {n} alert on {some} of {all} machines.|The rule would have raised {n} alerts on {some} of {all} machines.',
                { n: raised, some: on, all: machines.length },
              )}
        </p>
      )}
      {trial.not_judged.map((one) => (
        <p key={one.text} class={one.code === 'not_tried' ? 'sentence' : 'aside'}>
          {notJudgedWords(one)}
        </p>
      ))}
      {machines.length > 0 && (
        <>
          <p class="aside">
            {t(
              '{from} to {to}. Dark: values were received. Light: no values. Bars: the alert would have been raised.',
              { from: moment(from, to, zone), to: moment(to, to, zone) },
            )}
          </p>
          <ul class="trials">
            {machines.map((machine) => (
              <MachineTrial key={machine.equipment_id} machine={machine} trial={trial} rule={rule} zone={zone} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** The button that tries the rule as it is in the form, also before it is saved. */
export function TryRule({ fields, session }: { fields: RuleFields; session: Session }) {
  const [state, setState] = useState<{ busy: boolean; problem: string | null; done: [Trial, RuleText] | null }>({
    busy: false,
    problem: null,
    done: null,
  });
  const run = async () => {
    setState({ busy: true, problem: null, done: null });
    try {
      const rule = ruleOf(fields);
      const { name: _n, severity: _s, actions: _a, enabled: _e, ...condition } = rule;
      const from = new Date(session.now() - DAYS * DAY_MS).toISOString();
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const trial = await session.client.call('alert_rules_test', { rule: condition, from }, { signal });
      setState({ busy: false, problem: null, done: [trial, rule] });
    } catch (error) {
      setState({ busy: false, problem: failureText(error), done: null });
    }
  };
  return (
    <section class="try-rule">
      <button type="button" disabled={state.busy} onClick={run}>
        {state.busy ? t('Reading history') : t('Try this rule on the last {n} days', { n: DAYS })}
      </button>
      <Problem text={state.problem} />
      {state.done !== null && <Result trial={state.done[0]} rule={state.done[1]} zone={session.project.timezone} />}
    </section>
  );
}
