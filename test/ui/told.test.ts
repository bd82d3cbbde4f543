/** Texts of the gateway in the language of a page: refusals, findings, problems and notes. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { errorBody, OperationError } from '#contract/base/errors.ts';
import { part, say, textOf } from '#contract/base/told.ts';
import { ClientError } from '#contract/client.ts';
import { languageOf } from '#ui/languages/made.ts';
import { PHONE_ES } from '#ui/languages/phone-es.ts';
import { ENGLISH, setLanguage } from '#ui/languages/texts.ts';
import { TOLD_DE } from '#ui/languages/told/de.ts';
import { TOLD_ES } from '#ui/languages/told/es.ts';
import { TOLD_FR } from '#ui/languages/told/fr.ts';
import { TOLD_PT } from '#ui/languages/told/pt.ts';
import { toldText } from '#ui/languages/told.ts';
import { toldTable } from '#ui/languages/told-stored.ts';
import { errorText } from '#ui/office/base/session.ts';

const TOLD = { de: TOLD_DE, es: TOLD_ES, fr: TOLD_FR, pt: TOLD_PT };
const speak = (tag: keyof typeof TOLD) => setLanguage({ ...languageOf(tag, {}, false), told: toldTable(TOLD[tag]) });

afterEach(() => setLanguage(ENGLISH));

test('[U380] an error has its English text and the template with its parameters; only pages get the template', () => {
  const words = say('A project can have at most {most_rules} alert rules.', { most_rules: 500 });
  const error = new OperationError('limit_reached', words);
  assert.equal(error.message, 'A project can have at most 500 alert rules.');
  assert.deepEqual(errorBody(error, 'r', true).error.words, [words]);
  assert.equal(errorBody(error, 'r').error.words, undefined);
  assert.equal(errorBody(new OperationError('not_found', 'There is no such user.'), 'r', true).error.words, undefined);
});

test('[U380] a text without parameters stays as it is: bars and braces belong to it', () => {
  const plain = 'The tag {id} of `a|b` must match ^[0-9a-z]{26}$.';
  assert.equal(new OperationError('parameter_invalid', plain).message, plain);
  assert.equal(
    textOf([{ text: plain }, { text: 'Say {what} or {constructor}: a|b.', params: { what: 'x|{y}' } }]),
    `${plain} Say x|{y} or {constructor}: a|b.`,
  );
});

test('[U380] a text of the gateway is put into the language from its template; numbers choose the form, and parts are translated', () => {
  speak('de');
  const wait = part('{n} hour|{n} hours', { n: 2 });
  const two = [
    say('This PIN is wrong.'),
    say('{n} more try before a wait.|{n} more tries before a wait.', { n: 1 }),
    say(
      'Too many wrong PINs of {name} today, on all tablets together. Wait {wait}, or ask an admin to reset the PIN.',
      {
        name: 'Olga {n}',
        wait,
      },
    ),
  ];
  assert.equal(
    toldText(textOf(two), two),
    'Diese PIN ist falsch. Noch 1 Versuch vor einer Wartezeit. Zu viele falsche PINs von Olga {n} heute, an allen Tablets zusammen. Warten Sie 2 Stunden, oder bitten Sie einen Administrator, die PIN zurückzusetzen.',
  );
  assert.equal(toldText('The disk is full.'), 'Der Datenträger ist voll.');
  // A sentence without a translation leaves the whole text in English.
  assert.equal(toldText('This PIN is wrong. Go.', [say('This PIN is wrong.'), say('Go.')]), null);
  setLanguage(ENGLISH);
  assert.equal(toldText('The disk is full.'), 'The disk is full.');
});

test('[U380] the text of a failed call is in the language of the page, and in English if nobody translated it', () => {
  speak('fr');
  const { error } = errorBody(new OperationError('parameter_invalid', 'The current passphrase is wrong.'), 'r', true);
  assert.equal(errorText(new ClientError(error.message, 400, error)), 'Le mot de passe actuel est faux.');
  assert.equal(errorText(new ClientError('Something new.', 400, null)), 'Something new.');
});

test('[U381] a stored text finds its template; a text of people does not', () => {
  speak('es');
  assert.equal(toldText('Used equipment_update.'), 'Usó equipment_update.');
  assert.equal(
    toldText('The text does not say what kind of machine HT-9 (x) is.'),
    'El texto no dice qué tipo de máquina es HT-9 (x).',
  );
  assert.equal(
    toldText('Olga wrote this. It is sent when Olga signs in here.'),
    'Olga escribió esto. Se envía cuando Olga entra aquí.',
  );
  assert.equal(
    toldText('Left Nota 3: Entries of a log stay.\nRestored HT-07 (status).'),
    'Quedó Nota 3: Las entradas de un registro se quedan.\nRestauró HT-07 (Estado).',
  );
  assert.equal(
    toldText('Made 2 machines, 1 operator. 1 gap needs a person.'),
    'Creó 2 máquinas, 1 operador. 1 hueco necesita a una persona.',
  );
  for (const text of ['HT-07 on fire.', 'Pump (old)', 'Brakes, rear axle', 'north pit, HT-01'])
    assert.equal(toldText(text), null, text);
});

test('[U382] each translation of a text of the gateway has its parameters and its forms, and says something', () => {
  const namesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
  for (const [tag, texts] of Object.entries(TOLD))
    for (const [english, text] of Object.entries<string>(texts)) {
      assert.deepEqual(namesIn(text), namesIn(english), `${tag}: ${english}`);
      assert.equal(text.split('|').length, english.split('|').length, `${tag}: ${english}`);
      assert.ok(text.trim() !== '', `${tag}: ${english}`);
    }
});

const STRING = `(?:'((?:[^'\\\\\\n]|\\\\.)*)'|"((?:[^"\\\\\\n]|\\\\.)*)")`;
/** Parts of the gateway to which only programs talk: loggers, tus, AEMP, MCP, streams and the other end. */
const NO_PAGE =
  /servers\/(aemp|mcp)|servers\/http\/(tus|frames|routes|byte-routes|mqtt-upgrades|origin-check|service-routes|operation-routes|http|lite-pages|live|mcp-route)\.ts|commands\/|agent\/(?!rule)|json-scan|simulator|zones|attention|lineage|sync\/(head-files|head-office|brought-projects|contacts|hints\/hints)\.ts|reading\/|store\/s3/;
/** What a page never does, because its code decides it: the form of a request, ids of parts, workers of devices, and skills. */
const NO_PERSON =
  /`|Idempotency|Content-Encoding|of the body|The body|share an id|worker|skill|Project-ID|device key|POST \/api|SHA-256 of|with a pass|no handler|its answer contained a secret|A step of|A task of the kind|local sign-in is only made|This action is disabled|this device must wait/;

test('[U382] each sentence and each refusal of the gateway that a person may meet has a translation', () => {
  const root = new URL('../../', import.meta.url);
  const missing: string[] = [];
  let found = 0;
  for (const file of globSync('gateway/**/*.ts', { cwd: root })) {
    if (NO_PAGE.test(file)) continue;
    const source = readFileSync(new URL(file, root), 'utf8').replace(/^\s*(\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm, '');
    for (const start of ['\\b(?:say|part)\\(\\s*', "new OperationError\\(\\s*'\\w+',\\s*"])
      for (const [, single, double] of source.matchAll(new RegExp(`${start}${STRING}`, 'g'))) {
        const text = (single ?? double ?? '').replace(/\\(.)/g, '$1');
        if (NO_PERSON.test(text)) continue;
        found++;
        // The words for a value that does not fit follow the name of the field.
        const has = [text, `\`{param}\`: ${text}.`].some((one) => Object.hasOwn({ ...PHONE_ES, ...TOLD_ES }, one));
        if (!has) missing.push(`${file}: ${text}`);
      }
  }
  assert.ok(found > 400, `${found} texts`);
  assert.deepEqual([...new Set(missing)], []);
});
