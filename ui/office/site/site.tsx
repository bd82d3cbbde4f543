/** The page of site settings: name, time zone, units, language and shifts. */

import { useState } from 'preact/hooks';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { parseInteger } from '#ui/office/base/numbers.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { NumberField } from '#ui/office/base/picks.tsx';
import type { Project, Session } from '#ui/office/base/session.ts';
import { useNow, useSend } from '#ui/office/base/use.ts';
import { LANGUAGES } from '#ui/office/language/language-choice.tsx';
import { ShiftFields, TimeZoneField } from './site-fields.tsx';

const UNITS = [
  ['metric', 'Metric: km/h, litres, degrees Celsius'],
  ['us', 'US: mph, gallons, degrees Fahrenheit'],
] as const satisfies readonly (readonly [string, Word])[];

/** Returns the target that a person typed; null for none. Throws if it is no whole number of percent. */
function targetOf(text: string): number | null {
  const target = parseInteger(text, 100, t('The target'));
  if (target === 0) throw new Error(t('The target is from 1 to 100 %.'));
  return target;
}

export function SitePage({ session, onSaved }: { session: Session; onSaved(project: Project): void }) {
  const { project } = session;
  const [name, setName] = useState(project.name);
  const [timezone, setTimezone] = useState(project.timezone);
  const [units, setUnits] = useState(project.units);
  const [language, setLanguage] = useState(project.language);
  const isListed = LANGUAGES.some(([tag]) => tag === language);
  const [shifts, setShifts] = useState<Project['shift_pattern'][number][]>([...project.shift_pattern]);
  const [target, setTarget] = useState(project.working_target_percent?.toString() ?? '');
  const [saved, setSaved] = useState(false);
  const { busy, problem, send } = useSend();
  const now_ms = useNow(session.now);
  return (
    <>
      <h1>{t('Site')}</h1>
      <section class="panel-box">
        <Form
          action={t('Save')}
          busy={busy}
          onSend={() =>
            send(async () => {
              setSaved(false);
              const working_target_percent = targetOf(target);
              const site = { name: name.trim(), timezone, units, language, shift_pattern: shifts };
              const input = { id: project.id, ...site, working_target_percent };
              onSaved(await session.client.call('projects_update', input, { if_match: project.revision }));
              setSaved(true);
            })
          }
        >
          <Field label={t('Site name')} value={name} onValue={setName} required />
          <TimeZoneField value={timezone} now_ms={now_ms} onValue={setTimezone} />
          <Choice
            label={t('Units')}
            value={units}
            options={UNITS.map(([value, text]) => [value, t(text)] as const)}
            onValue={(value) => setUnits(value === 'us' ? 'us' : 'metric')}
          />
          <Choice
            label={t('Language of screens and reports')}
            value={language}
            options={isListed ? LANGUAGES : [...LANGUAGES, [language, language]]}
            onValue={setLanguage}
          />
          <ShiftFields value={shifts} onValue={(value) => setShifts([...value])} />
          <NumberField
            label={t('Target: share of the shift in which machines work')}
            value={target}
            onValue={setTarget}
            unit="%"
            hint={t('Of the known time. Boards and the page of shifts compare with it. Empty: no target.')}
          />
          <Problem text={problem} />
        </Form>
        <p role="status" class="arrived">
          {saved ? t('Saved. TVs show the change within a few seconds.') : ''}
        </p>
        <p class="aside">
          {said('{link}: it adds what is missing and changes nothing else.', {
            link: <a href="#setup">{t('Set up the site from a description')}</a>,
          })}
        </p>
      </section>
    </>
  );
}
