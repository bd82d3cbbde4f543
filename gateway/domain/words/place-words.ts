/** The words for places in the five languages, the rooms in which screens hang, and the words that stand in names of places. */
import type { LocationKind } from '#contract/fleet/location.ts';
import { phrases } from './phrases.ts';

export type PlaceKind = LocationKind;

export interface PlaceWord {
  readonly kind: PlaceKind;
  /** True if the word alone is a name: `the workshop`. Others need a name: `Cutting 1`. */
  readonly alone: boolean;
}

const NAMED: readonly (readonly [PlaceKind, string])[] = [
  [
    'site',
    'aggregates|opencast site|opencast|opencast mine|mining|quarry|mine|mine site|colliery|gravel works|sand and gravel|aggregates site|operation|project|cantera|mina|mina subterránea|unidad minera|minera|compañía minera|faena|gravera|obra|explotación|yacimiento|arenera|proyecto|cooperativa minera|complejo minero|mina a cielo abierto|pedreira|mineração|mina subterrânea|empreitada|obra da|areal|areeiro|canteiro|canteiro de obras|canteiro da|unidade|complexo|garimpo|jazida|carrière|gravière|sablière|mine souterraine|chantier|exploitation|ardoisière|site de|steinbruch|kieswerk|kiesgrube|sandgrube|tagebau|grube|bergwerk|kalkwerk|schotterwerk|baustelle|tongrube|lehmgrube|zementwerk|basaltwerk|granitwerk|sandwerk|hartsteinwerk|großbaustelle|bauvorhaben|bv|diabaswerk|quarries|open cut mine|underground mine|mine de|gypsum mine|salt mine|banco de materiales|banco de material|slate quarry|limestone quarry|granite quarry|gravel pit|sand pit|sandpit|clay pit|kaolin pit|borrow pit',
  ],
  [
    'pit',
    'pit|open pit|a tajo abierto|tajo abierto|a cielo abierto|open cut coal|opencut|open cut|cutback|tajo|tajo abierto|rajo|corta|open pit|fosa|cava|cava a céu aberto|fosse|bruch|*bruch|tagebaufeld|excavation|cielo abierto',
  ],
  [
    'zone',
    "segment|segmento|zone|area|section|sector|level|bench|block|cutting|embankment|damm|einschnitt|face|phase|plot|lot|panel|stope|decline|cell|stage|frente|zona|sector|parcela|tramo|banco|nivel|bloque|fase|área|galería|desmonte|terraplén|frente de trabajo|frente de lavra|setor|banco|bancada|nível|bloco|trecho|lote|aterro|corte|talhão|galeria|front|secteur|gradin|niveau|panneau|déblai|remblai|bloc|tronçon|étage|lot|galerie|zone d'extraction|front de taille|palier|sohle|etage|abschnitt|bauabschnitt|baufeld|strosse|feld|block|abbauzone|abbaubereich|*zone|*seite|abraumseite|kohleseite|auffüllung|*abschnitt|*sohle|revier|abbauabschnitt|baulos|los|ramp area|section de|laydown area|zone de|area de|embarcadero|ebene|abbau|*feld|chamber|cámara|câmara|chambre|heading|tunnel|túnel|pond|lagoon|compound|bassin|bacia|balsa|station|estación|portal|bridge|abutment|cuddy|crosscut|shaft|basin|dam|culvert|pier|querschlag|achse|widerlager|pfeiler|strecke|stollen|schacht|becken|teich|graben|baugrube|brücke|*fläche|*graben|*becken|troço|encontro|viaduto|ponte|vala|barragem|lagoa|poço|chaminé|pozo|crucero|chimenea|bocamina|tranque|laguna|zanja|puente|estribo|viaducto|pont|culée|tranchée|talus|travers-banc|recoupe|descenderie|puits|ouvrage|viaduc",
  ],
  [
    'stockpile',
    'stockpile|stock pile|rom pad|waste dump|dump|tip|spoil heap|overburden dump|tailings|botadero|escombrera|acopio|stock|pila|pilas|stock rom|depósito de estériles|vertedero|pilha|pilha de estéril|pde|bota fora|bota-fora|depósito de estéril|pátio de estoque|pátio de estocagem|pátio rom|halde|halde à stériles|verse|terril|stock|plateforme stock|plateforme de stockage|aire de stockage|zone de stockage|dépôt|décharge|kippe|abraumkippe|abraumhalde|halde|*halde|*kippe|haldenplatz|lagerplatz|leach pad|heap leach|pad de lixiviación|stocks|waste rock dump|spoil tip|surge pile|rehandle|crib pad|pad',
  ],
];

const ALONE: readonly (readonly [PlaceKind, string])[] = [
  [
    'pit',
    '*bruch|main pit|pit|open pit|quarry face|tajo|rajo|corta|open pit|cava|fosse|fosse principale|cava principal|tajo principal|main quarry',
  ],
  [
    'crusher',
    'primary crusher|secondary crusher|crusher|crushing plant|crusher plant|the plant|processing plant|planta de trituración|planta de chancado|chancado primario|chancadora primaria|chancado|chancadora|trituradora primaria|trituración|machacadora primaria|planta de machaqueo|machaqueo|planta de áridos|britador|britador primário|britagem|britagem primária|central de britagem|planta de britagem|instalação de britagem|concasseur primaire|concasseur|concasseur secondaire|poste de concassage|station de concassage|installation de concassage|concassage|vorbrecher|brecher|brecheranlage|primärbrecher|brechwerk|nachbrecher|aufbereitung|brechanlage|crusher hopper|rom bin|tolva primaria|chancador|chancador primario|moega|trémie',
  ],
  [
    'workshop',
    'workshop|maintenance workshop|maintenance shed|shop|maintenance shop|garage|taller|taller mecánico|taller de mantenimiento|oficina mecânica|oficina de manutenção|oficina|atelier|garage|atelier mécanique|werkstatt|werkhalle|werkstatthalle|truck shop|truckshop|taller central',
  ],
  [
    'fuel_bay',
    'fuel bay|fuel station|fuel farm|fuel point|refuelling bay|refueling bay|estación de combustible|surtidor|grifo|gasolinera|punto de combustible|posto de combustível|posto de abastecimento|station de carburant|poste de carburant|station-service|cuve à carburant|tankstelle|betriebstankstelle|dieseltankstelle|posto',
  ],
  [
    'haul_road',
    "haul road|haulroad|main ramp|haul ramp|ramp|main decline|decline|camino de acarreo|rampa principal|rampa|vía de acarreo|camino de extracción|estrada de transporte|via de acesso|acesso principal|rampe|rampe principale|piste|piste principale|rampe d'accès|fahrweg|hauptrampe|rampe|förderstraße|transportstraße|fahrstraße|pista|pista de transporte",
  ],
  [
    'stockpile',
    'stockpile|rom pad|waste dump|spoil heap|acopio|botadero|escombrera|stock|pátio de estoque|pilha de estéril|bota-fora|plateforme de stockage|plateforme stock|aire de stockage|verse|halde|kippe|abraumkippe|lagerplatz|stock rom|acopios|halde à stériles|depósito|rom stockpile|product stockpile|stockyard|stock yard|blending yard',
  ],
  [
    'zone',
    "abbauzone|auffüllung|zone d'extraction|abraumseite|kohleseite|extraction|zona de extracción|zona de extração|zone de chargement|loading area|zona de carga|frente|front de taille|frente de lavra|*zone|*seite|washing plant|wash plant|planta de lavado|lavaderia|asphalt plant|concrete plant|planta de asfalto|planta de hormigón|aufschluss|weighbridge area|verladung|tunnel|túnel|laydown yard|estaleiro|nordfeld|südfeld|ostfeld|westfeld|nordwand|südwand|ostwand|westwand|nordseite|südseite|nordsohle|südsohle",
  ],
];

const rows =
  (alone: boolean) =>
  ([kind, list]: readonly [PlaceKind, string]): [PlaceWord, string] => [{ kind, alone }, list];
export const PLACE_WORDS = phrases<PlaceWord>(NAMED.map(rows(false)));
export const ALONE_WORDS = phrases<PlaceWord>(ALONE.map(rows(true)));

/** Adjectives of position that belong to a name: `North Pit`, `fosse Sud`, `Bruch Nord`, `rampa principal`. */
export const POSITIONS = phrases<true>([
  [
    true,
    'bottom|top|north|south|east|west|northern|southern|eastern|western|main|upper|lower|central|old|new|north east|north west|south east|south west|norte|sur|este|oeste|noreste|noroeste|sureste|suroeste|central|principal|superior|inferior|alto|bajo|nuevo|nueva|viejo|vieja|sul|leste|nordeste|sudeste|nascente|poente|nova|novo|velha|velho|nord|sud|est|ouest|principale|central|centrale|supérieur|inférieur|supérieure|inférieure|haut|bas|süd|ost|west|mitte|nordost|nordwest|südost|südwest|oben|unten|primary|secondary|primario|primaria|primário|primária|primaire|secondaire|poniente|oriente|levante',
  ],
]);
/** Small words inside names: `Lac-aux-Loups`, `Vale do Formoso`. */
export const LINKS = new Set(
  'de del do da dos das du des la las los le les el of the d l aux am an der den im zum von bei san'.split(' '),
);

/** Rooms and other places in which a screen hangs. */
export const ROOM_WORDS = phrases<true>([
  [
    true,
    'canteen|laydown yard|yard|trailer|office trailer|garage|the dry|dry house|répartition|salle de répartition|contentor|contentor da fiscalização|estaleiro|mess room|mess|break room|crib room|cribroom|lunch room|lunchroom|control room|dispatch|dispatch office|dispatch room|office|site office|pit office|workshop|maintenance shop|shop|muster room|line up room|lineup room|meeting room|reception|gatehouse|gate house|weighbridge|locker room|changing room|training room|warehouse|lobby|entrance|gate|cabin|welfare|welfare cabin|manager office|crusher cabin|crusher control room|comedor|casino|taller|oficina|oficina técnica|oficinas|báscula|sala de control|sala de despacho|despacho|sala de reuniones|vestuario|vestuarios|caseta|garita|entrada|recepción|almacén|pañol|cantina|casa de cambio|sala de guardia|refeitório|cozinha|sala de controle|sala de controlo|oficina|escritório|balança|vestiário|portaria|almoxarifado|sala de reunião|sala de reuniões|sala de despacho|guarita|contêiner|sala do encarregado|cantine|réfectoire|salle de contrôle|salle de commande|salle de pause|salle de repos|salle de réunion|atelier|vestiaire|vestiaires|bureau|bureaux|bascule|pont-bascule|accueil|entrée|magasin|local de pause|base vie|base-vie|bungalow|cabane de chantier|dispatch|pausenraum|kantine|leitstand|werkstatt|büro|waage|umkleide|umkleideraum|aufenthaltsraum|besprechungsraum|besprechungszimmer|eingang|pforte|empfang|lager|baucontainer|bürocontainer|container|steuerstand|leitwarte|polierbüro|meisterbüro|dispo|disposition|waschkaue|kaue|foyer|flur|schichtraum|mannschaftsraum|meeting container|tool box room|toolbox room|briefing room|prestart room|pre-start room|crew room|crew hut|smoko room',
  ],
]);
