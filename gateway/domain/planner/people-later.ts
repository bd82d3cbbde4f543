/** Words for people without their names: `the names follow`, `Los choferes se los mando después`. */
import type { Item, Text } from '#domain/sentences/items.ts';
import { phrases } from '#domain/words/phrases.ts';
import { CREW_WORDS, ROLE_WORDS } from '#domain/words/shift-words.ts';
import { fold, type Sentence } from '#domain/words/text.ts';

/** Headings of lists of people of several roles. */
export const STAFF = phrases<true>([
  [
    true,
    'personnel|staff|people|roster|lads|guys|boys|team|personal|gente|plantilla|equipo humano|muchachos|pessoal|efetivo|efectivo|equipe|rapaziada|effectif|effectifs|gars|leute|jungs|mitarbeiter|mannschaft|besetzung|belegschaft',
  ],
]);
/** Lists of people who were at a meeting, or who get a copy: they may work elsewhere. */
const ATTENDED = phrases<true>([
  [
    true,
    'present|attendees|attending|attended|in attendance|apologies|participants|cc|copy to|distribution|presentes|presente|asistentes|asistieron|participantes|participaron|copia|con copia|participaram|présents|présent|excusés|excusé|participants|diffusion|copie|teilnehmer|teilnehmende|anwesend|anwesende|entschuldigt|verteiler|kopie',
  ],
]);
export const isAttendance = ({ tokens }: Text, { from, to }: Sentence): boolean => {
  const found = ATTENDED.at(tokens, from, to);
  return found !== null && (tokens[found.to]?.key === ':' || found.to === to);
};

/** Words that say that something comes later or is not known. */
const LATER =
  /\b(later|tomorrow|tomoz|to follow|follows|will (send|follow|come|be (sent|named|confirmed))|(i|we)?'?ll (send|get|give)|send (you|u|ya|it|them)|tb[acd]|to be (confirmed|named|hired|advised)|not (sure|known|decided|yet)|don'?t (have|know)|despues|luego|mas adelante|mando|mandare|enviare|enviaremos|paso (manana|luego|despues)|pendientes?|por (confirmar|definir|asignar)|no (se|sabemos|tengo)|depois|mais tarde|a (definir|confirmar|designar)|enviamos|envio|nao (sei|tenho|sabemos)|ainda nao|plus tard|a (venir|confirmer|designer)|enverr\w+|transmett\w+|communiqu\w+|comunicar\w+|pas encore|sais pas|connais pas|spater|folgt|folgen|nachgereicht|nachreichen|reiche|noch (nicht|offen|keine)|unbekannt|weiss (ich )?nicht|kenne)\b/;
const PEOPLE_WORDS = new Set(
  'names nombres nomes noms namen rosters relevos relevo personas pessoas personnes personen drivers fahrer namensliste dienstplan roster escala effectifs'.split(
    ' ',
  ),
);

/** True for a sentence that speaks of people and says that they are named later. */
export function namesLater({ raw, tokens }: Text, { from, to }: Sentence): boolean {
  if (!LATER.test(fold(raw.slice(tokens[from]?.start, tokens[to - 1]?.end)))) return false;
  return tokens.slice(from, to).some(({ key }, i) => {
    const role = ROLE_WORDS.at(tokens, from + i, to)?.value;
    return (
      (role !== undefined && role !== 'other') ||
      STAFF.at(tokens, from + i, to) !== null ||
      CREW_WORDS.at(tokens, from + i, to) !== null ||
      PEOPLE_WORDS.has(key)
    );
  });
}

/** The words behind a role that say that the name is not known: `motorista nao sei`. */
const UNKNOWN =
  /nao sei|no se |don't know|not sure|weiss (ich )?nicht|ne sais pas|sais pas|to follow|kommen noch|kommen spater|a confirmar|tbc/;
export const isNamedLater = ({ raw, tokens }: Text, from: number, to: number): boolean =>
  UNKNOWN.test(fold(raw.slice(tokens[from - 1]?.end, tokens[to - 1]?.end)));

/** `a Cat 992 loader, operator Ana Ruiz`: the number of a model or a machine counts nobody. */
export const isNumberOf = (items: readonly Item[], at: number): boolean =>
  items.some(
    ({ type, from, to }) => ['model', 'make', 'units', 'noise', 'times'].includes(type) && from <= at && at < to,
  );
