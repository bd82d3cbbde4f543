/** The page of site settings: name, time zone, units, language and shifts. */

import { useState } from 'preact/hooks';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Project, Session } from '#ui/office/base/session.ts';
import { useNow, useSend } from '#ui/office/base/use.ts';
import { LANGUAGES } from '#ui/office/language/language-choice.tsx';
import { ShiftFields, TimeZoneField } from './site-fields.tsx';

const UNITS = [
  ['metric', 'Metric: km/h, litres, degrees Celsius'],
  ['us', 'US: mph, gallons, degrees Fahrenheit'],
] as const satisfies readonly (readonly [string, Word])[];

export function SitePage({ session, onSaved }: { session: Session; onSaved(project: Project): void }) {
  const { project } = session;
  const [name, setName] = useState(project.name);
  const [timezone, setTimezone] = useState(project.timezone);
  const [units, setUnits] = useState(project.units);
  const [language, setLanguage] = useState(project.language);
  const isListed = LANGUAGES.some(([tag]) => tag === language);
  const [shifts, setShifts] = useState<Project['shift_pattern'][number][]>([...project.shift_pattern]);
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
              const input = { id: project.id, name: name.trim(), timezone, units, language, shift_pattern: shifts };
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
