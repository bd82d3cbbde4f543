/** The page of alert rules: create, edit, mute, and switch on or off. */
import { useMemo, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import { duration, moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { Changes, SeeChanges } from '#ui/office/base/changes.tsx';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { readAll, useIdText, useList } from '#ui/office/base/lists.ts';
import { Empty, Problem } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useTabState } from '#ui/office/base/tab-state.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { useDraft } from '#ui/office/base/use-draft.ts';
import { SeverityMark } from '#ui/office/work/alert-card.tsx';
import { SEVERITY_WORDS } from '#ui/office/work/alert-text.ts';
import { useWrite } from '#ui/office/work/write.ts';
import { fieldsOfRule, isKnown, type KnownRule, NEW_RULE, type RuleFields, ruleOf } from './rule-draft.ts';
import { fieldLabel, fieldText } from './rule-fields.ts';
import { RuleForm, type Scopes } from './rule-form.tsx';
import { type Rule, ruleSentence } from './rule-text.ts';
import { TryRule } from './rule-try.tsx';

const HOUR_MS = 3_600_000;
const MUTES = [1, 8, 24] as const;

/** Returns the function that writes a rule. If another person has saved the rule first, `onStale` gets that rule and nothing is stored. */
function useRuleWrite(session: Session, rule: Rule, onRule: (rule: Rule) => void) {
  const { client } = session;
  const { busy, problem, write } = useWrite();
  const change = (input: Partial<KnownRule>, if_match: number, onStale: (now: Rule) => void) =>
    write(async (once) => {
      try {
        onRule(await client.call('alert_rules_update', { id: rule.id, ...input }, { ...once, if_match }));
      } catch (error) {
        if (!(error instanceof ClientError) || error.code !== 'revision_mismatch') throw error;
        onStale(await client.call('alert_rules_get', { id: rule.id }, { signal: once.signal }));
        throw new Error(t('Not saved: another person changed this rule. Look at the changes, then save again.'));
      }
    });
  return { busy, problem, change };
}

const mutedUntil = (rule: Rule, now: number) =>
  rule.mute
    .filter(({ from, until }) => Date.parse(until) > now && (from === null || Date.parse(from) <= now))
    .map(({ until, equipment_id }) => ({ until: Date.parse(until), equipment_id }))
    .sort((a, b) => b.until - a.until);

function Mutes(props: { rule: Rule; session: Session; scopes: Scopes; onRule(rule: Rule): void }) {
  const { rule, session } = props;
  const now = useNow(session.now);
  const { busy, problem, change } = useRuleWrite(session, rule, props.onRule);
  const zone = session.project.timezone;
  const coming = rule.mute.filter(({ until }) => Date.parse(until) > now);
  const send = (mute: Rule['mute']) => change({ mute }, rule.revision, props.onRule);
  return (
    <section class="panel-box">
      <h2>{t('Mute')}</h2>
      <p class="aside">
        {t(
          'A muted rule raises no alerts. If a limit is still exceeded when the mute ends, the gateway raises the alert then.',
        )}
      </p>
      {coming.length > 0 && (
        <ul class="rows">
          {coming.map((one) => (
            <li key={`${one.until} ${one.equipment_id}`} class="row">
              <span>
                {t('{machines} until {time}', {
                  machines: one.equipment_id === null ? t('All machines') : props.scopes.machine(one.equipment_id),
                  time: moment(Date.parse(one.until), now, zone),
                })}
                {one.reason !== null && `: ${one.reason}`}
              </span>
              <button
                type="button"
                disabled={busy}
                onClick={() => send(rule.mute.filter((other) => other !== one && Date.parse(other.until) > now))}
              >
                {t('End mute')}
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="actions">
        {MUTES.map((hours) => (
          <button
            key={hours}
            type="button"
            disabled={busy}
            onClick={() =>
              send([
                ...coming,
                { from: null, until: new Date(now + hours * HOUR_MS).toISOString(), equipment_id: null, reason: null },
              ])
            }
          >
            {t('Mute for {age}', { age: duration(hours * HOUR_MS) })}
          </button>
        ))}
      </div>
      <Problem text={problem} />
    </section>
  );
}

function EditRule(props: { rule: KnownRule; session: Session; scopes: Scopes; onRule(rule: Rule): void }) {
  const { rule, session, scopes } = props;
  const mayEdit = may(session, 'alert_rules_update');
  const draft = useDraft<RuleFields>(`rule ${rule.id}`, { revision: rule.revision, facts: fieldsOfRule(rule) });
  const { busy, problem, change } = useRuleWrite(session, rule, (now) => {
    if (isKnown(now)) draft.acceptSaved({ revision: now.revision, facts: fieldsOfRule(now) });
    props.onRule(now);
  });
  const save = () => {
    const { name, ...asked } = ruleOf(draft.shown, scopes);
    change({ name, ...asked, scope: asked.scope }, draft.revision, (now) => {
      if (isKnown(now)) draft.rebase({ revision: now.revision, facts: fieldsOfRule(now) });
      props.onRule(now);
    });
  };
  return (
    <section class="panel-box">
      <div class="head">
        <h2>{rule.name}</h2>
        <a class="button" href="#alerts/rules">
          {t('Close')}
        </a>
      </div>
      {rule.built_in !== null && (
        <p class="aside">{t('This rule is built in. You can edit it and switch it off, but not delete it.')}</p>
      )}
      <Changes
        changes={draft.changes}
        typed={draft.shown}
        what="rule"
        label={fieldLabel}
        format={(name, value) => fieldText(name, value, scopes)}
        onTakeTheirs={draft.takeTheirs}
        onDismiss={draft.dismiss}
      />
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <fieldset class="plain" disabled={!mayEdit}>
          <RuleForm fields={draft.shown} touch={draft.touch} scopes={scopes} />
        </fieldset>
        <Problem text={problem} />
        {mayEdit && (
          <div class="actions">
            <button type="submit" class="primary" disabled={busy || !draft.isTouched}>
              {t(busy ? 'Saving' : draft.changes.some((one) => one.mine) ? 'Save and replace theirs' : 'Save rule')}
            </button>
            <SeeChanges changes={draft.changes} />
            {draft.isTouched && (
              <button type="button" onClick={draft.discard}>
                {t('Undo changes')}
              </button>
            )}
          </div>
        )}
      </form>
      {may(session, 'alert_rules_test') && <TryRule fields={draft.shown} session={session} />}
    </section>
  );
}

function NewRule({ session, scopes, onMade }: { session: Session; scopes: Scopes; onMade(rule: Rule): void }) {
  const [kept, setKept] = useTabState<RuleFields>(`new rule ${session.project.id}`);
  const fields = kept ?? NEW_RULE;
  const { busy, problem, write } = useWrite();
  return (
    <section class="panel-box">
      <h2>{t('New rule')}</h2>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          write(async (once) => {
            const made = await session.client.call('alert_rules_create', ruleOf(fields, scopes), once);
            setKept(null);
            onMade(made);
          });
        }}
      >
        <RuleForm fields={fields} touch={(name, value) => setKept({ ...fields, [name]: value })} scopes={scopes} />
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="primary" disabled={busy}>
            {t(busy ? 'Sending' : 'Create rule')}
          </button>
          <a class="button" href="#alerts/rules">
            {t('Cancel')}
          </a>
        </div>
      </form>
      {may(session, 'alert_rules_test') && <TryRule fields={fields} session={session} />}
    </section>
  );
}

const mutedText = (equipment_id: string | null, time: string, { machine }: Scopes): string =>
  equipment_id === null
    ? t('Muted until {time}', { time })
    : t('Muted until {time} on {machine}', { time, machine: machine(equipment_id) });

function Row(props: { rule: Rule; session: Session; scopes: Scopes; open: boolean; onRule(rule: Rule): void }) {
  const { rule, session, scopes } = props;
  const now = useNow(session.now);
  const { busy, problem, change } = useRuleWrite(session, rule, props.onRule);
  const mute = mutedUntil(rule, now)[0];
  return (
    <li class="rule" aria-current={props.open || undefined} data-severity={rule.severity}>
      <SeverityMark severity={rule.severity} />
      <div class="said-by">
        <div class="what">
          <span class="severity">{t(SEVERITY_WORDS[rule.severity])}</span>
          <b>{rule.name}</b>
          {!rule.enabled && <span class="badge-word">{t('Switched off')}</span>}
          {mute !== undefined && (
            <span class="badge-word">
              {mutedText(mute.equipment_id, moment(mute.until, now, session.project.timezone), scopes)}
            </span>
          )}
        </div>
        <p>{ruleSentence(rule, scopes)}</p>
        <Problem text={problem} />
      </div>
      <div class="leads">
        <a class="button" href={`#alerts/rules/${rule.id}`}>
          {t(may(session, 'alert_rules_update') ? 'Edit' : 'Show')}
        </a>
        {may(session, 'alert_rules_update') && (
          <button
            type="button"
            disabled={busy}
            onClick={() => change({ enabled: !rule.enabled }, rule.revision, props.onRule)}
          >
            {t(rule.enabled ? 'Switch off' : 'Switch on')}
          </button>
        )}
      </div>
    </li>
  );
}

function useScopes(session: Session): Scopes {
  const machines = useList(session, 'equipment_list');
  const locations = useList(session, 'locations_list');
  const machine = useIdText(machines, (one) => one.unit_number);
  const location = useIdText(locations, (one) => one.name);
  const plans = useList(session, 'maintenance_plans_list');
  const plan = useIdText(plans, (one) => one.name);
  return useMemo(
    () => ({
      machine,
      location,
      plan,
      plans: (plans ?? []).map((one) => [one.id, one.name] as const),
      machines: (machines ?? []).map((one) => [one.id, one.unit_number] as const),
      kinds: [...new Set((machines ?? []).map((one) => one.kind).filter((kind) => kind !== null))].sort(),
      locations: (locations ?? []).map((one) => [one.id, one.name] as const),
      fenced: (locations ?? []).filter((one) => one.geofence !== null).map((one) => [one.id, one.name] as const),
    }),
    [machines, locations, plans],
  );
}

/** The page of alert rules. `at` is the id of the open rule, `new` for the form of a new rule, or empty. */
export function RulesPage({ session, at }: { session: Session; at: string }) {
  return (
    <>
      <div class="head">
        <h1>{t('Alert rules')}</h1>
        <div class="actions">
          {at !== 'new' && may(session, 'alert_rules_create') && (
            <a class="button" href="#alerts/rules/new">
              {t('New rule')}
            </a>
          )}
          <a class="button" href="#alerts">
            {t('Back to alerts')}
          </a>
        </div>
      </div>
      <Rules session={session} at={at} />
    </>
  );
}

function Rules({ session, at }: { session: Session; at: string }) {
  const list = usePolled(
    (signal) => readAll(session, 'alert_rules_list', { order: 'asc' }, signal),
    10_000,
    [session],
    ['alert_rule'],
  );
  const scopes = useScopes(session);
  const [answered, setAnswered] = useState<ReadonlyMap<string, Rule>>(new Map());
  const take = (rule: Rule) => {
    setAnswered((before) => new Map(before).set(rule.id, rule));
    list.reload();
  };
  // When this page has written a rule, the answer contains the new revision of the rule, but the list may still have the old revision. Show
  // the newer revision.
  const rules = (list.data?.items ?? []).map((one) => {
    const own = answered.get(one.id);
    return own !== undefined && own.revision > one.revision ? own : one;
  });
  const open = rules.find((one) => one.id === at);
  return (
    <>
      <LinkState of={list} session={session} />
      <div class="split form-first">
        <div>
          {list.data !== null && rules.length === 0 && (
            <Empty title={t('No rules')}>
              {t('The gateway raises no alerts without a rule. Create one with New rule.')}
            </Empty>
          )}
          {at !== '' && at !== 'new' && list.data !== null && open === undefined && (
            <>
              <Problem text={t('This rule does not exist. It may have been deleted.')} />
              <p>
                <a href="#alerts/rules">{t('Alert rules')}</a>
              </p>
            </>
          )}
          <ul class="rows">
            {rules.map((rule) => (
              <Row key={rule.id} rule={rule} session={session} scopes={scopes} open={rule.id === at} onRule={take} />
            ))}
          </ul>
        </div>
        {at === 'new' && may(session, 'alert_rules_create') && (
          <NewRule
            session={session}
            scopes={scopes}
            onMade={(rule) => {
              take(rule);
              location.hash = `#alerts/rules/${rule.id}`;
            }}
          />
        )}
        {open !== undefined && (
          <div key={open.id}>
            {isKnown(open) ? (
              <EditRule rule={open} session={session} scopes={scopes} onRule={take} />
            ) : (
              <p class="aside">{t('A newer version wrote this rule with a value that this version does not know.')}</p>
            )}
            {may(session, 'alert_rules_update') && (
              <Mutes rule={open} session={session} scopes={scopes} onRule={take} />
            )}
          </div>
        )}
      </div>
    </>
  );
}
