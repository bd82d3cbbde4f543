/** The small words of the five languages: numbers, ranges, negations and the like. */
import { numberRows } from './numbers.ts';
import { type Found, type Phrases, phrases } from './phrases.ts';
import type { Token } from './text.ts';

export type Language = 'en' | 'es' | 'pt' | 'fr' | 'de';
const LANGUAGES: readonly Language[] = ['en', 'es', 'pt', 'fr', 'de'];

/** Frequent words that tell the language. */
const MARKS: Readonly<Record<Language, string>> = {
  en: 'the and is are we of in with our on have has they this unit type make location trucks truck shift shifts crew both at by from site please no',
  es: 'el la los las y de del en con una dos es son tenemos turno noche día mañana camiones excavadora cargadora para hay todos sin nombre tipo marca modelo ubicación año guardia operadores mecánico obra cantera mina al tres cuatro su zona equipo código',
  pt: 'o os as e do da dos das no na com uma dois duas são temos turno noite manhã caminhões escavadeira carregadeira para não todos sem ao em um pedreira mina à equipamento fabricante ano série turma operadores obra três lavra mecânicos cava',
  fr: 'le les la et de des du un une au aux est sont nous avec dans sur pour poste chargeuse pelle tombereaux carrière deux trois pas à en désignation marque modèle année équipe chantier parc engin',
  de: 'der die das und ist sind wir mit im in auf den dem ein eine zwei drei bagger radlader schicht uhr von bis für nicht kein alle am nummer hersteller typ baujahr standort bezeichnung fahrer wird steht stehen ohne mo fr',
};
const MARK_SETS = LANGUAGES.map(
  (language) => [language, new Set(MARKS[language].normalize('NFKD').replace(/\p{M}/gu, '').split(' '))] as const,
);
/** The tokens by which the language is found. */
const LOOKED_AT = 4000;

export function languageOf(tokens: readonly Token[]): Language {
  const votes = new Map<Language, number>();
  for (const { key } of tokens.slice(0, LOOKED_AT))
    for (const [language, words] of MARK_SETS) if (words.has(key)) votes.set(language, (votes.get(language) ?? 0) + 1);
  return LANGUAGES.reduce((best, one) => ((votes.get(one) ?? 0) > (votes.get(best) ?? 0) ? one : best));
}

/** Counts that are no plain number. */
const MORE: Readonly<Record<Language, readonly (readonly [number, string])[]>> = {
  en: [
    [1, 'a single|just the one|only one'],
    [2, 'a couple of|a couple|a pair of|couple of|pair of'],
    [12, 'a dozen|dozen'],
    [24, 'two dozen'],
  ],
  es: [
    [2, 'un par de|par de|una pareja de'],
    [12, 'una docena de|docena de'],
    [24, 'dos docenas de'],
  ],
  pt: [
    [2, 'um par de|par de'],
    [12, 'uma dúzia de|dúzia de'],
    [24, 'duas dúzias de'],
  ],
  fr: [
    [2, 'une paire de|paire de'],
    [12, 'une douzaine exacte de'],
  ],
  de: [
    [2, 'zween'],
    [12, 'ein dutzend|dutzend'],
    [24, 'zwei dutzend'],
  ],
};
/** Articles that also count one machine. */
const ONES: Readonly<Record<Language, string>> = {
  en: 'a an',
  es: 'un una',
  pt: 'um uma',
  fr: 'un une',
  de: 'ein eine einen einem einer nen ne n',
};

const table = <T>(of: (language: Language) => (readonly [T, string])[]): Readonly<Record<Language, Phrases<T>>> => ({
  en: phrases(() => of('en')),
  es: phrases(() => of('es')),
  pt: phrases(() => of('pt')),
  fr: phrases(() => of('fr')),
  de: phrases(() => of('de')),
});

export const NUMBER_WORDS = table<number>((language) => [...numberRows(language), ...MORE[language]]);
export const ONE_WORDS = table<1>((language) => ONES[language].split(' ').map((word): [1, string] => [1, word]));
/** Definite articles. */
export const THE_WORDS = table<true>((language) => [
  [
    true,
    {
      en: 'the|these|those',
      es: 'el|la|los|las',
      pt: 'o|a|os|as',
      fr: "le|la|les|l'",
      de: 'der|die|das|den|dem|des',
    }[language],
  ],
]);

export const RANGE_WORDS = table<true>((language) => [
  [
    true,
    {
      en: 'to|through|thru|till|until|up to|-|...|..|to and including',
      es: 'a|al|a la|hasta|hasta el|hasta la|-|...|a el',
      pt: 'a|ao|à|até|até o|até a|ate ao|-|...',
      fr: "à|au|a la|jusqu'à|jusqu'au|-|...",
      de: 'bis|bis einschließlich|bis inklusive|bis zu|-|...',
    }[language],
  ],
]);
/** Words between a kind and its numbers: `camiones del 01 al 12`. */
export const FROM_WORDS = table<true>((language) => [
  [
    true,
    {
      en: 'from|the|number|are|is',
      es: 'del|de la|desde|desde el|de los|de las|el|la|los|las|que van del|de|número',
      pt: 'do|da|de|dos|das|o|a|os|as',
      fr: 'du|de la|de|la|le|les',
      de: 'von|der|die|den|mit',
    }[language],
  ],
]);

export type Clue =
  | 'and'
  | 'except'
  | 'all'
  | 'rest'
  | 'unnumbered'
  | 'numbers'
  | 'called'
  | 'gone'
  | 'none'
  | 'not'
  | 'theirs'
  | 'stays'
  | 'vague'
  | 'figure'
  | 'is'
  | 'aside'
  | 'every';

const CLUES: readonly (readonly [Clue, string])[] = [
  [
    'and',
    'and|y|e|et|und|&|+|plus|sowie|as well as|así como|ainsi que|bem como|asi como|n|oder|mas a|beziehungsweise|e a|e o',
  ],
  [
    'except',
    "except|except for|excepting|excluding|minus|but not|bar|apart from|menos|excepto|salvo|exceto|exceptuando|sauf|hormis|excepté|à l exception de|à l'exception de|à l'exception du|außer|ausser|ausgenommen|bis auf|con excepción de|con excepción del|a excepción de|a excepción del|com exceção do|com exceção da|à exceção do|à exceção da|mit ausnahme von|mit ausnahme des|mit ausnahme der|with the exception of|com exceção de|à exceção de|fora o|fora a|skip|skipping|missing|less",
  ],
  [
    'all',
    'all|both|each|todos|todas|ambos|ambas|tous|toutes|tous les deux|alle|alles|beide|jeweils|allesamt|all of which|sämtlich|sämtliche|todo',
  ],
  [
    'rest',
    'the rest|rest|the others|others|the remaining|the remainder|el resto|resto|los demás|las demás|los otros|las otras|o resto|os demais|as demais|demais|os outros|as outras|le reste|reste des|les autres|der rest|die übrigen|die anderen|die restlichen|übrige|restliche|den rest|the other ones',
  ],
  [
    'unnumbered',
    "neither has a number|neither of them has a number|none has a number|none of them has a number|don't know the numbers|don't know the number|dont know the number|dont know the numbers|no lleva número|no lleva numero|ninguna lleva número|ninguno lleva número|no me sé los números|no me sé el número|no sé los números|no sé el número|aún sin código|aún sin número|todavía sin número|todavía sin código|não sei o número|não sei os números|nao sei o numero|nenhum tem número|nenhuma tem número|aucun n'a de numéro|aucune n'a de numéro|je ne connais pas les numéros|je n'ai pas les numéros|keiner hat eine nummer|keine hat eine nummer|weiß die nummer nicht|weiß die nummern nicht|weiss die nummern nicht|nummer weiß ich nicht|nummern weiß ich nicht|non repéré|non repérés|non repérée|non repérées|non numéroté|non numérotés|non numérotée|non numérotées|nicht nummeriert|unnummeriert|não numerado|não numerados|não numerada|não numeradas|keine inv.-nr.|keine inventarnummer|keine inventarnummern|no traen economico|no trae economico|sin economico|no traen número|no trae número|no numbers|no fleet numbers|no fleet number|no fleet no|no number|no unit number|no numbers yet|no id|no ids|without number|without numbers|without a number|without fleet number|unnumbered|not numbered|have no numbers|has no number|no number yet|not numbered yet|sin número|sin numerar|sin número económico|sin numeración|sin código|sin matrícula|sin placa|sin identificar|no tiene número|no tienen número|no llevan número|sem número|sem numeração|sem identificação|sem tag|sem placa|sem prefixo|sem matrícula|não tem número|não têm número|ainda sem número|sans numéro|sans n°|sans no|sans numéro de parc|pas de numéro|n'a pas de numéro|n'ont pas de numéro|ont pas de numéro|a pas de numéro|pas encore de numéro|pas numéroté|ohne nummer|ohne gerätenummer|ohne nr|ohne nummern|noch ohne nummer|keine nummer|keine nummern|noch keine nummern|noch keine nummer|ohne kennzeichnung|ohne interne nummer|hat keine nummer|haben keine nummern|no plate",
  ],
  [
    'numbers',
    'nro|nros|nro.|nros.|inv.|inv.-nr|inventar-nr|n.os|n.ºs|n.º|n.o|repéré|repérée|repérés|repérées|immatriculé|immatriculée|immatriculés|immatriculées|call sign|plaqué|no.|nos|nos.|number|numbers|numbered|numbered as|fleet no|fleet nos|fleet number|fleet numbers|unit|units|unit number|unit numbers|unit no|id|ids|plant no|plant nos|#|nr|nr.|nrn|nrn.|nummer|nummern|gerätenummer|gerätenummern|geräte-nr|interne nummer|betriebsnummer|betriebsnummern|inventarnummer|inventarnummern|n°|nº|num|núm|número|números|numerado|numerados|numeradas|numeradas del|numerados del|número económico|número interno|números internos|código|códigos|identificados como|identificadas como|prefixo|prefixos|tag|tags|tagueadas são|de número|de números|matrículas|numéro|numéros|numéro de parc|numéros de parc|n° de parc|portant le numéro|portant les numéros|numéroté|numérotés|numérotée|numérotées|numéroté de|numérotés de|numérotées de|die haben die nummern|mit den nummern|mit der nummer|with numbers|called|económico|económicos|no. eco|eco|units numbered|internal number|internal numbers|they are numbered|named|identificado como|identificada como|portant les n°|portant le n°',
  ],
  [
    'called',
    "goes by|answers to|dubbed|christened|everybody calls it|everyone calls it|we named it|que todos llaman|que llaman|bautizada|bautizado|trata por|tratamos por|tratam por|que todos chamam de|batizada de|batizado de|que tout le monde appelle|qu'on appelle|baptisée|baptisé|die alle nennen|den alle nennen|getauft auf|namens|we call it|we call her|we call him|call it|called|known as|nicknamed|le decimos|la llamamos|lo llamamos|le llamamos|se llama|apodada|apodado|conocida como|conocido como|que llamamos|le dicen|a gente chama de|chamamos de|apelidada de|apelidado de|conhecida como|chamada de|chamada|a que chamamos|on l'appelle|on la surnomme|on le surnomme|surnommée|surnommé|dite|appelée|dem sagen wir|der sagen wir|wir nennen ihn|wir nennen sie|genannt|heißt bei uns|heisst bei uns|nennen wir|der heißt|die heißt|sagen wir",
  ],
  [
    'gone',
    "se necesitarán|se necesitará|necesitaremos|hará falta|harán falta|pendiente de pedir|por alquilar|vamos a alquilar|vamos a comprar|will need|we'll need|expected|are expected|to be hired|to be ordered|to order|will be hired|precisaremos|vamos precisar|serão necessários|serão necessárias|será necessário|será necessária|serão mobilizados|serão mobilizadas|será mobilizado|será mobilizada|à prévoir|il faudra|faudra|étant retourné|étant retournée|étant retournés|est retourné|est retournée|sont retournés|sont retournées|retourné au|retournée au|retourné chez|retournée chez|repartie chez|reparti chez|wird benötigt|werden benötigt|brauchen wir noch|wird erwartet|werden erwartet|zurück beim|zurück zum|geht zurück|gehen zurück|going back|gone back|sent back|already left|off site|se devolvieron|se regresó|se regresaron|dados de alta en|foi devolvida|foi devolvido|foram devolvidos|kommen noch|kommt noch|kommen dazu|kommen hinzu|kommt dazu|kommt hinzu|ab januar kommen|ab januar kommt|ab februar kommen|ab februar kommt|ab märz kommen|ab märz kommt|ab april kommen|ab april kommt|ab mai kommen|ab mai kommt|ab juni kommen|ab juni kommt|ab juli kommen|ab juli kommt|ab august kommen|ab august kommt|ab september kommen|ab september kommt|ab oktober kommen|ab oktober kommt|ab november kommen|ab november kommt|ab dezember kommen|ab dezember kommt|demobilised|demobilized|demobbed|off-loaned|on loan to|lent to|hired out|left site|desmobilizado|desmobilizada|desmobilizados|desmobilizadas|desmovilizado|desmovilizada|desmovilizados|desmovilizadas|prestamos|prestado a|prestada a|prestados a|prestadas a|no la pongas|no lo pongas|emprestado|emprestada|emprestados|emprestadas|emprestamos|prêté|prêtée|prêtés|prêtées|démobilisé|démobilisée|démobilisés|partie hier|parti hier|verliehen|ausgeliehen|abgezogen|sold|sold off|scrapped|written off|decommissioned|retired|disposed of|gone|went back|went to|returned|off hired|off-hired|stolen|burnt out|burned out|on order|ordered|not delivered|not delivered yet|not arrived|not here yet|will arrive|will come|arrives in|arriving in|arriving|coming in|due in|due next|to be delivered|is coming|are coming|gets delivered|not bought yet|will be delivered|at the other site|at another site|moved to another site|transferred to|no longer|any more|anymore|we never replaced|never replaced|got rid of|vendimos|vendí|vendió|se vendió|vendida|vendido|vendidas|vendidos|se vendieron|achatarrado|achatarrada|achatarrados|achatarradas|chatarra|desguace|desguazada|desguazado|dada de baja|dado de baja|dadas de baja|dados de baja|de baja definitiva|devuelta|devuelto|devolvimos|devueltas|devueltos|se devolvió|se fue|se fueron|ya no está|ya no están|ya no tenemos|ya no|llegará|llegarán|llega en|llegan en|por llegar|pedido|pedida|encargado|encargada|está pedida|en pedido|aún no ha llegado|todavía no ha llegado|todavía no llega|robaron|robada|vendemos|vendeu|vendeu-se|foi vendido|foi vendida|foram vendidos|foram vendidas|vendida|vendido|sucateado|sucateada|sucateados|sucateadas|sucata|virou sucata|abatido|abatida|abatidos|devolvido|devolvida|devolvemos|devolvidos|baixado|baixada|desativado|desativada|vai chegar|vão chegar|chega em|chegam em|chega no|chegará|encomendado|encomendada|encomendados|encomendadas|ainda não chegou|já não temos|não temos mais|não está mais|saiu da frota|saíram da frota|foi embora|roubado|roubada|vendu|vendue|vendus|vendues|a été vendu|a été vendue|réformé|réformée|réformés|parti à la casse|partie à la casse|à la casse|à la ferraille|ferraillé|ferraillée|mis au rebut|mise au rebut|rendu|rendue|rendus|rendues|restitué|restituée|n'a plus|n'avons plus|on n'a plus|plus là|n'est plus là|commandé|commandée|commandés|commandées|en commande|doit arriver|doivent arriver|arrivera|arriveront|arrive en|sera livré|sera livrée|seront livrés|seront livrées|livré en|livrée en|pas encore livré|pas encore livrée|pas encore arrivé|pas encore arrivée|volé|volée|verkauft|verschrottet|abgemeldet|ausgemustert|stillgelegt|zurückgegeben|ging zurück|abgegeben|bestellt|ist bestellt|noch nicht da|noch nicht geliefert|wird geliefert|geliefert|werden geliefert|kommt erst|kommt im|kommen erst|kommen im|kommt nächste|nicht mehr|gestohlen|weg ist|ist weg|abgestoßen|schrott|auf dem schrott|wurde verkauft|lieferung im|stood down|parked up for good",
  ],
  [
    'none',
    "no existe|no existen|não existe|não existem|nao existe|n'existe pas|existe pas|does not exist|doesn't exist|existiert nicht|não|nicht|no|none|nil|n/a|not any|without|zero|sin|ningún|ninguna|ninguno|ninguna|no hay|não há|nenhum|nenhuma|sem|pas de|pas d'|aucun|aucune|néant|sans|ni|kein|keine|keinen|keinem|keiner|keins|ohne|entfällt|nem",
  ],
  [
    'not',
    "don't have|do not have|don't want|do not want|don't need|we have no|have no|haven't got|hasn't got|never had|has no|do not run|don't run|don't work|do not work|won't|not needed|not wanted|isn't|no tenemos|no queremos|no necesitamos|nunca hemos tenido|no trabajamos|no se trabaja|no usamos|no contamos con|no hace falta|no disponemos|não temos|não queremos|não precisamos|não há|não tem|não rodamos|não trabalhamos|não se trabalha|não possuímos|nunca tivemos|não usamos|n'avons pas|n'a pas|on n'a pas|on a pas|n'est pas|nous ne voulons pas|ne voulons pas|ne travaille pas|ne travaille ni|ne travaillons pas|n'y a pas|pas besoin|n'avons ni|n'y a ni|n'avons jamais eu|haben wir nicht|gibt es nicht|gibt's nicht|haben nicht|brauchen wir nicht|wollen wir nicht|nicht gewünscht|wird nicht|ausgeschlossen|interdite|interdit|there is no|there's no|there are no|we do not own",
  ],
  [
    'theirs',
    "competitor|competitors|not ours|isn't ours|aren't ours|belongs to|belong to|belonging to|owned by|subcontractor|subcontractors|contractor's|the contractor's|leave it out|leave them out|leave out|don't add|do not add|don't count|do not count|don't include|do not include|doesn't count|don't enter|do not enter|ignore it|ignore them|not part of|run no machines|law firm|no es nuestro|no es nuestra|no son nuestros|no son nuestras|del cliente|competencia|competidor|pertenece a|pertenecen a|es de la subcontrata|son de la subcontrata|de la subcontrata|subcontratista|no los metas|no las metas|no la metas|no lo metas|no registrarlas|no registrarlos|no registrar|no lo anotes|no la anotes|no los anotes|no las anotes|no lo apuntes|no la apuntes|don't bother with|dont bother with|leave it off|leave them off|leave that off|not for you|la mets pas|le mets pas|les mets pas|mets pas|ne vous concernent pas|ne vous concerne pas|ne te concerne pas|wird nicht mehr geführt|nicht führen|não põe|não coloca|não lança|nao lança|no los metáis|no la metáis|no lo metáis|no las metáis|no contar|no lo cuente|no la cuente|no los cuente|no incluir|no incluyan|no los incluya|no la incluya|no lo incluya|no cargar|no metas|não é nosso|não é nossa|não são nossos|não são nossas|concorrente|concorrência|do cliente|pertence a|pertence ao|pertence à|pertencem|terceirizada|terceirizado|da empreiteira|subempreiteiro|do subempreiteiro|não entram|não entra|não incluir|não cadastrar|não contar|não conta|não inclua|não cadastre|appartient|appartiennent|sous-traitant|sous-traitants|concurrent|pas à nous|n'est pas à nous|ne sont pas à nous|ne pas la compter|ne pas le compter|ne pas les compter|ne pas compter|ne comptez pas|ne pas l'inclure|ne pas inclure|ne pas saisir|gehört dem|gehört der|gehören dem|gehören der|gehört nicht|gehören nicht|gehört einer|gehört einem|gehört uns nicht|subunternehmer|subunternehmers|nachunternehmer|nachunternehmers|fremdfirma|mitbewerber|konkurrenz|zählt nicht|zählen nicht|nicht eintragen|nicht aufnehmen|nicht erfassen|nicht anlegen|nicht mitzählen|weglassen|bitte weglassen|lassen sie weg|not in our fleet|of another company",
  ],
  [
    'stays',
    'stays|stay|still here|remain|remains|still|but|keep|siguen|sigue|quedan|queda|permanecen|pero|sino|ficam|fica|permanecem|continuam|restent|reste|mais|bleiben|bleibt|weiterhin|aber|instead|now have|tenemos|temos|wir haben|we have|we run|we operate|we have got|nous avons|hay|há|sondern|toujours',
  ],
  [
    'vague',
    'some|a few|few|several|various|many|lots of|a lot of|a number of|a bunch of|a handful of|about|around|roughly|approx|approximately|circa|nearly|almost|or so|algunos|algunas|algún que otro|varios|varias|muchos|muchas|unos|unas|unos cuantos|unas cuantas|cerca de|alrededor de|aproximadamente|más o menos|como unos|casi|una decena de|alguns|algumas|vários|várias|muitos|muitas|uns|umas|mais ou menos|aproximadamente|uma dezena de|quelques|plusieurs|une dizaine de|une dizaine|une douzaine de|une vingtaine de|une vingtaine|une quinzaine de|une trentaine de|environ|à peu près|des tas de|pas mal de|beaucoup de|einige|ein paar|mehrere|etliche|viele|etwa|ungefähr|circa|ca|rund|diverse|verschiedene|divers|divers|diversos|diversas|a couple or three|two or three|dos o tres|duas ou três|deux ou trois|zwei oder drei|zwei bis drei|a good few',
  ],
  [
    'figure',
    'a thousand|thousands of|hundreds of|a hundred|a million|mil|miles de|milhares de|des milliers de|tausend|tausende|hunderte',
  ],
  ['is', "c'est|cest|is|are|es|son|são|é|sont|est|sind|ist|=|to be"],
  [
    'every',
    'ambos grupos|both groups|all of these|all of them|todos ellos|todas ellas|todos eles|todas elas|all these machines|tous ces engins|alle diese',
  ],
  ['aside', 'capacity|capacidad|capacidade|capacité|inhalt'],
];
/** The first of two rows with the same phrase counts; `numbers` and `unnumbered` go before `none`. */
const CLUE_WORDS = phrases<Clue>(CLUES);

/** A small word with a meaning. `no` is `in the` in Portuguese, `n` is an article in German. */
export function clueAt(
  { tokens, language }: { readonly tokens: readonly Token[]; readonly language: Language },
  at: number,
  to: number,
): Found<Clue> | null {
  // `pás de rodas` are loaders in Portuguese.
  if (language === 'pt' && tokens[at]?.key === 'pas') return null;
  const found = CLUE_WORDS.at(tokens, at, to);
  if (found === null || found.to > at + 1) return found;
  const key = tokens[at]?.key;
  if (language === 'pt' && (key === 'no' || key === 'nos')) return null;
  if ((key === 'n' || key === 'bar') && language !== 'en') return null;
  return found;
}
