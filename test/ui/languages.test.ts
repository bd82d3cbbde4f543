/** The languages and units of pages. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { DAY_WORDS } from '#contract/work/day.ts';
import { composeTickets } from '#domain/board/work.ts';
import { planSite } from '#domain/planner/plan.ts';
import { duration, moment, shortDuration } from '#ui/format.ts';
import { DAY_DE } from '#ui/languages/day-de.ts';
import { DAY_ES } from '#ui/languages/day-es.ts';
import { DAY_FR } from '#ui/languages/day-fr.ts';
import { DAY_PT } from '#ui/languages/day-pt.ts';
import { dayText } from '#ui/languages/day-text.ts';
import { OFFICE_DE } from '#ui/languages/de/office.ts';
import { OFFICE_ES } from '#ui/languages/es/office.ts';
import { OFFICE_FR } from '#ui/languages/fr/office.ts';
import { TEMPLATES } from '#ui/languages/keys.ts';
import { languageOf } from '#ui/languages/made.ts';
import { PHONE_DE } from '#ui/languages/phone-de.ts';
import { PHONE_ES } from '#ui/languages/phone-es.ts';
import { PHONE_FR } from '#ui/languages/phone-fr.ts';
import { PHONE_PT } from '#ui/languages/phone-pt.ts';
import { OFFICE_PT } from '#ui/languages/pt/office.ts';
import { shownBoards, shownDay, shownReason } from '#ui/languages/shown.ts';
import { ENGLISH, said, setLanguage, t } from '#ui/languages/texts.ts';
import { shownNumber, shownQuantity } from '#ui/languages/units.ts';
import { WALL_DE } from '#ui/languages/wall-de.ts';
import { WALL_ES } from '#ui/languages/wall-es.ts';
import { WALL_FR } from '#ui/languages/wall-fr.ts';
import { WALL_PT } from '#ui/languages/wall-pt.ts';
import { kindInside, kindOf, kindText, MACHINE_KINDS } from '#ui/office/base/machine-kinds.ts';
import { parseNumber, typedNumber } from '#ui/office/base/numbers.ts';
import { errorText } from '#ui/office/base/session.ts';
import { COLUMNS, readTable } from '#ui/office/people/people-parse.ts';
import { EXAMPLE } from '#ui/office/setup/kind-words.ts';
import { NotKept } from '#ui/outbox/item.ts';
import { textWidth } from '#ui/text/measure.ts';
import { withUnit } from '#ui/tiles/machine-drawing.ts';
import { reasonTexts } from '#ui/words.ts';
import { board, NOW, reason, value } from './kit.ts';

const WALLS = { de: WALL_DE, es: WALL_ES, fr: WALL_FR, pt: WALL_PT };
const DAYS = { de: DAY_DE, es: DAY_ES, fr: DAY_FR, pt: DAY_PT };
const PHONES = { de: PHONE_DE, es: PHONE_ES, fr: PHONE_FR, pt: PHONE_PT };
const OFFICES = { de: OFFICE_DE, es: OFFICE_ES, fr: OFFICE_FR, pt: OFFICE_PT };
const speak = (tag: keyof typeof WALLS, us = false) => setLanguage(languageOf(tag, WALLS[tag], us));

afterEach(() => setLanguage(ENGLISH));

const namesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();

test('[U280] each translation has the parameters and the forms of its English text, and says something', () => {
  const all: Readonly<Record<string, Readonly<Record<string, string>>>>[] = [WALLS, DAYS, PHONES, OFFICES];
  for (const languages of all)
    for (const [tag, texts] of Object.entries(languages))
      for (const [english, text] of Object.entries<string>(texts)) {
        assert.deepEqual(namesIn(text), namesIn(english), `${tag}: ${english}`);
        assert.equal(text.split('|').length, english.split('|').length, `${tag}: ${english}`);
        assert.ok(text.trim() !== '', `${tag}: ${english}`);
      }
});

/** All sources that may hold an English text. */
function sources(folder: URL): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      if (entry.isDirectory())
        return /dist|languages/.test(entry.name) ? '' : sources(new URL(`${entry.name}/`, folder));
      return /\.tsx?$/.test(entry.name) ? readFileSync(new URL(entry.name, folder), 'utf8') : '';
    })
    .join('\n');
}

test('[U280] no text is translated that no page shows', () => {
  const root = new URL('../../', import.meta.url);
  const all = ['ui/', 'gateway/contract/', 'gateway/domain/', 'gateway/handlers/']
    .map((folder) => sources(new URL(folder, root)))
    .join('\n');
  // The gateway makes these from parts, or stores them in snake case.
  const made = /^(Haul truck|Excavator|Wheel loader|Dozer|Grader|Drill|Water truck|Crusher|Generator|Light vehicle)$/;
  const unused = [
    ...Object.keys(WALL_DE),
    ...Object.keys(DAY_DE),
    ...Object.keys(PHONE_DE),
    ...Object.keys(OFFICE_DE),
  ].filter(
    (text) =>
      !made.test(text) &&
      !(TEMPLATES as readonly string[]).includes(text) &&
      !all.includes(`'${text}'`) &&
      !all.includes(`; ${text}`),
  );
  assert.deepEqual(unused, []);
});

test('[U405] the summary of a day has the marks and the forms of the language, and fuel in the unit of the page', () => {
  const day = {
    from_ms: 0,
    to_ms: 1,
    working_percent: null,
    unknown_percent: 0,
    sentences: [
      { text: DAY_WORDS.fuel, params: { fuel: 1234, unit: 'L', some: 2, all: 12 }, page: 'machines' },
      { text: DAY_WORDS.time, params: { working: 61.3, known: 100, percent: 61.3, unknown: 1440 }, page: 'shifts' },
      { text: DAY_WORDS.oldest, params: { ticket: 'R-7', machine: 'LD-2', n: 1 }, page: 'tickets/tkt_1' },
      { text: DAY_WORDS.oldest, params: { ticket: 'R-7', machine: 'LD-2', n: 1200 }, page: 'tickets/tkt_1' },
    ],
  };
  const texts = () => shownDay(day).sentences.map(dayText);
  assert.deepEqual(texts().slice(0, 2), [
    'Machines used at least 1,234 L of fuel, by the meters of 2 of 12 machines.',
    'Machines worked 61.3 of 100 h (61.3 %). Not known: 1,440 h.',
  ]);
  setLanguage(languageOf('de', { ...WALL_DE, ...DAY_DE }, true));
  assert.deepEqual(texts(), [
    'Maschinen verbrauchten mindestens 325 gal Kraftstoff, nach den Zählern von 2 von 12 Maschinen.',
    'Maschinen arbeiteten 61,3 von 100 h (61,3 %). Nicht bekannt: 1.440 h.',
    'Älteste offene Reparatur: R-7 an LD-2, 1 Tag alt.',
    'Älteste offene Reparatur: R-7 an LD-2, 1.200 Tage alt.',
  ]);
});

test('[U293] a kind of machine is stored as in English, in every language', () => {
  for (const [tag, texts] of Object.entries(WALLS)) {
    setLanguage(languageOf(tag, texts, false));
    for (const kind of MACHINE_KINDS)
      assert.equal(kindOf(` ${kindText(kind).toUpperCase()} `), kind, `${tag}: ${kind}`);
    assert.equal(kindOf('Grúa torre'), 'grúa_torre');
  }
  speak('es');
  assert.equal(kindText('haul_truck'), 'Camión minero');
  assert.equal(kindOf('Haul truck'), 'haul_truck');
});

test('[U298] a kind that a person typed is neither translated nor changed by a form, also if the word has a translation', () => {
  setLanguage(languageOf('es', { ...WALL_ES, ...OFFICE_ES }, false));
  assert.equal(t('Other'), 'Otro');
  for (const kind of ['other', 'service', 'grúa_torre']) assert.equal(kindOf(kindText(kind)), kind);
  assert.equal(kindText('other'), 'Other');
  assert.deepEqual(['haul_truck', 'Pala Norte'].map(kindInside), ['camión minero', 'Pala Norte']);
});

test('[U299] each text with which the outbox refuses to keep a write has a translation in the office', () => {
  const code = ['decisions', 'drafts', 'item']
    .map((name) => readFileSync(new URL(`../../ui/outbox/${name}.ts`, import.meta.url), 'utf8'))
    .join('\n');
  const thrown = [...code.matchAll(/(?:NotKept\(|NO_PASS =|CHANGED =|items:|photos:)\s*'([A-Z][^'\n]+)'/g)];
  const said = thrown.map(([, text = '']) => text);
  assert.equal(said.length, 9, said.join('\n'));
  for (const [tag, texts] of Object.entries(OFFICES)) {
    setLanguage(languageOf(tag, texts, false));
    for (const text of said) assert.notEqual(errorText(new NotKept(text)), text, `${tag}: ${text}`);
  }
});

test('[U300] a number that is read in two ways is refused', () => {
  for (const text of ['12.345', '1,250', '-3.500'])
    assert.throws(() => parseNumber(text, 'The reading'), /^Error: The reading can be read in two ways/);
  assert.throws(
    () => parseNumber('12.345', 'The reading'),
    /For a whole number write 12345, for decimals write 12.3450/,
  );
  assert.throws(() => parseNumber('1.234.567', 'The reading'), /is not a number/);
  const read = ['12345', '12.3450', '12,35', '0.125', '1234.567', '12\u2009345', '1 234 567'].map((text) =>
    parseNumber(text, 'The reading'),
  );
  for (const value of [98.125, 160.934, -1.5, 12, 0.125, 12_345])
    assert.equal(parseNumber(typedNumber(value), 'The value'), value, 'a stored value that nobody changed');
  assert.deepEqual(read, [12_345, 12.345, 12.35, 0.125, 1_234.567, 12_345, 1_234_567]);
});

test('[U301] a pasted table of people has headers in the language of the page or in English', () => {
  const columnsOf = (text: string) => readTable(text).columns;
  for (const [tag, texts] of Object.entries(OFFICES)) {
    setLanguage(languageOf(tag, texts, false));
    const columns = ['name', 'employee_number', 'phone', 'crew', 'certifications'] as const;
    const heads = columns.map((one) => t(COLUMNS[one][0]).toUpperCase()).join(';');
    const table = readTable(`${heads}\nAna;7;;A;Crane`);
    assert.deepEqual([table.hasHead, table.columns], [true, columns], `${tag}: ${heads}`);
    assert.deepEqual(columnsOf('Name;Employee No.;Crew\nAna;7;A'), ['name', 'employee_number', 'crew'], tag);
  }
});

test('[U312] the example of a description is in the language of the page, and the planner reads all of it', () => {
  const read = (text: string) => {
    const { language, equipment, locations, operators, shifts, boards, gaps } = planSite(text);
    const inPit = locations.find(({ kind }) => kind === 'pit')?.name;
    return {
      language,
      machines: equipment.map(({ unit_number, kind, location }) => [unit_number, kind, location === inPit]),
      operators: operators.map(({ machine }) => machine),
      shifts: shifts.map(({ starts, ends }) => [starts, ends]),
      shows: boards.map(({ shows }) => shows),
      gaps,
    };
  };
  const english = read(EXAMPLE);
  assert.equal(english.machines.filter(([, , inPit]) => inPit).length, 6);
  for (const [tag, texts] of Object.entries(OFFICES)) {
    setLanguage(languageOf(tag, texts, false));
    assert.deepEqual(read(t(EXAMPLE)), { ...english, language: tag });
  }
});

test('[U290] a sentence with parts of the page has them where the language puts them', () => {
  const link = { href: '#setup' };
  const english = said('Or {link}, and the gateway plans its machines, places, people and screens.', { link });
  assert.deepEqual(english, ['Or ', link, ', and the gateway plans its machines, places, people and screens.']);
  setLanguage(languageOf('de', { ...WALL_DE, ...OFFICE_DE }, false));
  const german = said('{done} of {all}', { done: 1, all: link });
  assert.deepEqual(german, ['', 1, ' von ', link, '']);
});

test('[U281] numbers, plurals and dates follow the language', () => {
  assert.equal(t('{n} machine|{n} machines', { n: 1 }), '1 machine');
  assert.equal(t('{n} machine|{n} machines', { n: 0 }), '0 machines');
  speak('fr');
  assert.equal(t('{n} machine|{n} machines', { n: 0 }), '0 engin');
  assert.equal(t('{n} machine|{n} machines', { n: 2 }), '2 engins');
  speak('de');
  assert.equal(t('{age} ago', { age: duration(360_000) }), 'vor 6 min');
  assert.equal(moment(NOW - 30 * 86_400_000, NOW, 'UTC'), '4. Apr. 12:00');
  assert.equal(shownNumber('1\u2009234.5', 'h'), '1\u2009234,5');
});

test('[U281] a reason is one sentence in the language; what a person wrote stays as it is', () => {
  const hot = reason({
    says: { code: 'value_over', params: { label: 'Coolant', value: '108.5', unit: '°C', limit: '105' } },
    trend: 'still_rising',
  });
  const report = reason({ says: { code: 'report', params: { title: 'No data' } }, runs: 'running' });
  speak('de');
  assert.equal(reasonTexts(shownReason(hot))[0], 'Kühlmittel 108,5 °C, steigt weiter');
  assert.equal(reasonTexts(shownReason(report))[0], 'No data, noch in Betrieb');
  speak('es');
  assert.equal(reasonTexts(shownReason(hot))[0], 'Refrigerante 108,5 °C, sigue subiendo');
});

test('[U282] US units: values, limits and changes are converted; the unit says which', () => {
  setLanguage(languageOf('en', {}, true));
  assert.deepEqual(
    ['110 °C', '\u221240 °C', '50 km/h', '1\u2009000 L', '41.2 L/h', '300 kPa', '80 %', '1 500 rpm'].map((text) =>
      shownQuantity(text),
    ),
    ['230 °F', '\u221240 °F', '31.1 mph', '264.2 gal', '10.88 gal/h', '43.5 psi', '80 %', '1 500 rpm'],
  );
  assert.equal(shownQuantity('10 °C', true), '18 °F');
  const change = reason({
    says: { code: 'value_change', params: { label: 'Coolant', up: '10', unit: '°C', seconds: '40' } },
  });
  assert.equal(reasonTexts(shownReason(change))[0], 'Coolant up 18 °F in 40 s');
  const driving = reason({ says: { code: 'report', params: { title: 'x', speed: '40' } } });
  assert.deepEqual(shownReason(driving).says.params, { title: 'x', speed: '24.9', speed_unit: 'mph' });
  // A value over its limit is never the same text as the limit.
  for (const unit of ['kPa', 'L', 'L/h', 'km/h', 'km', '°C', 'm']) {
    const texts = Array.from({ length: 200 }, (_, n) => shownNumber(String(n), unit));
    assert.equal(new Set(texts).size, 200, unit);
  }
});

test('[U281] ages are in the language', () => {
  const day = 86_400_000;
  assert.deepEqual([duration(3 * day), duration(76 * 3_600_000), duration(800 * day)], ['3 d', '3 d 4 h', '2 y']);
  speak('fr');
  assert.deepEqual(
    [duration(3 * day), duration(76 * 3_600_000), duration(400 * day), duration(800 * day), shortDuration(3 * day)],
    ['3 j', '3 j 4 h', '1 an', '2 ans', '3j'],
  );
});

test('[U281] a change of a value does not read as the value itself', () => {
  const params = { label: 'Coolant', down: '20', unit: '°C', seconds: '40' };
  const change = reason({ says: { code: 'value_change', params } });
  const expected = {
    de: 'Kühlmittel um 20 °C in 40 s gefallen',
    es: 'Refrigerante bajó 20 °C en 40 s',
    fr: 'Refroidissement : baisse de 20 °C en 40 s',
    pt: 'Arrefecimento caiu 20 °C em 40 s',
  };
  for (const tag of ['de', 'es', 'fr', 'pt'] as const) {
    speak(tag);
    assert.equal(reasonTexts(shownReason(change))[0], expected[tag]);
  }
});

test('[U284] from right to left, a number with its unit keeps its order, and marks of the direction have no width', () => {
  setLanguage(languageOf('ar', {}, false));
  const hot = reason({
    says: { code: 'value_over', params: { label: 'x', value: '110', unit: '°C', limit: '105' } },
    trend: 'still_rising',
  });
  assert.equal(reasonTexts(shownReason(hot))[0], '\u2068x\u2069 \u2068110 °C\u2069, \u2068still rising\u2069');
  assert.equal(withUnit(value()), '\u206841.2 L/h\u2069');
  assert.equal(duration(6_000), '\u20686 s\u2069');
  assert.equal(textWidth('\u2068110 °C\u2069', 4, 600), textWidth('110 °C', 4, 600));
});

test('[U281] what the gateway puts into words is in the language, and an unchanged board is the same object', () => {
  speak('de', true);
  const kpi = { value: value(), note: '2 of 3 reporting', min: 0, max: 150, thresholds: [] };
  const boards = [board({ type: 'kpi', kpi }, { subtitle: '3 machines' })];
  const [shown] = shownBoards(boards);
  const [widget] = shown?.widgets ?? [];
  assert.equal(shown?.subtitle, '3 Maschinen');
  assert.ok(widget?.data.type === 'kpi');
  const { label, text, unit } = widget.data.kpi.value;
  assert.deepEqual([label, text, unit, widget.data.kpi.note], ['Verbrauch', '10,88', 'gal/h', '2 von 3 melden sich']);
  assert.equal(shownBoards(boards)[0], shown);
  const rows = [
    ['Coolant 110 °C', 'Kühlmittel 230 °F'],
    ['Fuel rate: no data for 5 min', 'Verbrauch: keine Daten seit 5 min'],
    ['Coolant up 10 °C in 40 s', 'Kühlmittel um 18 °F in 40 s gestiegen'],
    ['Engine oil pressure 1: far too low, 2 more codes', 'Engine oil pressure 1: viel zu niedrig, 2 weitere Codes'],
    ['No trouble code', 'Kein Fehlercode'],
    [
      'Engine oil is due at 1500 h: engine hours 1501.2 h (from the control unit), 1.2 h past',
      'Engine oil fällig bei 1500 h: Betriebsstunden 1501,2 h (vom Steuergerät), 1,2 h überfällig',
    ],
    ['Inspection is due on 2026-05-01, 3 days left', 'Inspection fällig am 2026-05-01, noch 3 Tage'],
    ['Inspection is due on 2026-05-01, 1 day left', 'Inspection fällig am 2026-05-01, noch 1 Tag'],
    ['Inspection is due on 2026-05-01, 5.5 days past', 'Inspection fällig am 2026-05-01, 5,5 Tage überfällig'],
    ['Inspection is due on 2026-05-01, today', 'Inspection fällig am 2026-05-01, heute'],
    [
      'Belt is due at 100 of an unknown unit: meter 99.5 of an unknown unit (entered by a person), 0.5 of an unknown unit left',
      'Belt fällig bei 100 unbekannter Einheit: Zähler 99,5 unbekannter Einheit (von einer Person eingegeben), noch 0,5 unbekannter Einheit',
    ],
  ] as const;
  for (const [detail, expected] of rows) {
    const row = { detail, severity: 'critical', rule_name: 'No data' } as never;
    const alerts = { rows: [row], row_count: 1, total: 1, unacknowledged: 1 };
    const data = shownBoards([board({ type: 'alert_feed', alerts })])[0]?.widgets[0]?.data;
    assert.ok(data?.type === 'alert_feed');
    assert.equal(data.alerts.rows[0]?.detail, expected);
    assert.equal(data.alerts.rows[0]?.rule_name, 'No data');
  }
  const columns = composeTickets([], []);
  const [tickets] = shownBoards([board({ type: 'ticket_board', columns })]);
  const data = tickets?.widgets[0]?.data;
  assert.ok(data?.type === 'ticket_board');
  assert.deepEqual(
    data.columns.map((column) => column.label),
    ['Gemeldet', 'In Arbeit', 'Wartet', 'Behoben'],
  );
});
