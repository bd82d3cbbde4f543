/** Phrases whose words would raise a doubt, and that say nothing against a machine: `as promised`, `does not start`, `until further notice`. */
import { type Phrases, phrases } from './phrases.ts';

const FINE = phrases<true>([
  // Letters
  [
    true,
    'as promised|following my visit|after my visit|after our visit|según la visita|tras la visita|después de la visita|tras mi visita|após a visita|conforme a visita|suite à ma visite|suite à notre visite|après ma visite|nach dem besuch|nach meinem besuch|bei meinem besuch|as requested|as agreed|as discussed|as you asked|as asked|further to our call|following our call|as per our call|conforme a lo conversado|según lo conversado|según lo acordado|como acordamos|como te dije|como le dije|como quedamos|tal como me pidió|como pediste|conforme combinado|conforme solicitado|conforme pedido|como pedido|como combinado|tel que demandé|comme demandé|comme convenu|comme promis|comme prévu|comme vu ensemble|wie besprochen|wie gewünscht|wie vereinbart|wie versprochen|wie abgesprochen|wie abgemacht|wie angekündigt|when you get a chance|no worries|no problem|sin falta|sem falta|sans faute|sans souci|kein problem',
  ],
  // How often, and how long
  [
    true,
    "chargement clients|chargement des clients|charge les clients|chargent les clients|ventes clients|carga a clientes|carga de clientes|carga clientes|despacho a clientes|atiende a los clientes|atiende clientes|carregamento de clientes|carrega os clientes|atende os clientes|atende clientes|customer loading|loads customers|loads the customers|loading customers|serves customers|serves the customers|lädt kunden|lädt die kunden|beladung der kunden|once a day|once a week|once a month|once a shift|once a year|twice a day|twice a week|twice a shift|until further notice|at the moment|for the moment|for now|una vez al día|una vez a la semana|una vez por semana|una vez al mes|hasta nuevo aviso|por el momento|por ahora|uma vez por semana|uma vez por dia|uma vez ao mês|até nova ordem|até novo aviso|por enquanto|de momento|une fois par jour|une fois par semaine|une fois par mois|jusqu à nouvel ordre|jusqu'à nouvel ordre|pour le moment|pour l'instant|einmal am tag|einmal pro woche|einmal die woche|einmal im monat|bis auf weiteres|im moment",
  ],
  // Broken machines: they are on the site
  [
    true,
    "doesn't start|does not start|won't start|will not start|doesn't run|does not run|isn't running|is not running|not running|doesn't work|does not work|isn't working|is not working|not working|can't move|cannot move|doesn't move|won't go|no arranca|no prende|no anda|no funciona|no camina|no jala|no enciende|não liga|não pega|não anda|não funciona|não arranca|nao liga|nao pega|nao anda|nao funciona|ne démarre pas|ne démarre plus|ne marche pas|ne marche plus|ne tourne pas|ne tourne plus|ne roule pas|ne roule plus|démarre pas|marche pas|springt nicht an|läuft nicht|läuft nicht mehr|fährt nicht|fährt nicht mehr|geht nicht|geht nicht mehr|funktioniert nicht|to be replaced|to be repaired|to be changed|needs replacing|needs fixing|needs repairing|needs a service|due for service|due for a service|due a service|due for inspection|out of service|out of order|fuera de servicio|fora de serviço|hors service|außer betrieb|por cambiar|por reparar|para reparar|para reparación|para reparo|em reparo|a reparar|à remplacer|à réparer|à changer|zu tauschen|zu ersetzen|zu reparieren|muss repariert werden|muss getauscht werden|wird repariert|wird gerade repariert|wird gewartet|being repaired|being serviced|está siendo reparada|está siendo reparado|está sendo reparada|está sendo reparado|en cours de réparation|en cours d'entretien",
  ],
  // Where they come from
  [
    true,
    'was built in|were built in|was bought in|were bought in|was bought new|were bought new|was bought second hand|was bought used|was overhauled|were overhauled|was rebuilt|were rebuilt|was serviced|were serviced|was repaired|was fitted with|were fitted with|was commissioned in|fue comprada en|fue comprado en|fueron comprados en|fueron compradas en|fue fabricada en|fue reparada|fue reparado|foi comprada em|foi comprado em|foi revisada|foi reformada|foi reformado|a été achetée en|a été acheté en|ont été achetés en|a été révisée|a été révisé|a été refait|wurde gekauft|wurde gebaut|wurde überholt|wurde generalüberholt|wurde gewartet|wurde repariert|wurden gekauft|was new in|were new in',
  ],
  // Words that only look like a denial
  [
    true,
    "take turns|takes turns|not only|no more than|shared with nobody|shared with no one|no idea what make it is|no idea what make|no idea of the make|don't know the make|dont know the make|no sólo|no solo|no más|nomás|nada más|não só|pas seulement|non seulement|nicht nur|no matter|sin novedad|sem novidade|rien à signaler|nothing to report|no issues|no faults|sin problema|sin problemas|sem problema|sem problemas|sans problème|ohne probleme|je ne connais pas la marque|marke weiß ich nicht|não sei a marca|no sé la marca|no me sé la marca",
  ],
]);

/** The end of such a phrase that begins at this token; the token itself if none begins there. */
export const fineEnd = (tokens: Parameters<Phrases<true>['at']>[0], at: number, to: number): number =>
  FINE.at(tokens, at, to)?.to ?? at;

/** `we wait for a gearbox`, `HT-2 needs a new track`: with a part of a machine behind them, these say that the machine is broken. */
const WAITING = new Set(
  'waiting waits wait awaiting awaits await needs need requires espera esperan esperando esperamos necesita precisa requiere aguarda aguardam aguardando aguardamos requer attend attends attendons attendent nécessite necessite besoin wartet warten braucht brauchen bräuchte brauchte benötigt benotigt'.split(
    ' ',
  ),
);
export const isWaiting = (key: string): boolean => WAITING.has(key);

/** Parts of machines that are ordered, and people who are called: `Monteur ist bestellt`. */
const PARTS = new Set(
  'wheel wheels axles buckets blades rueda ruedas cucharas ejes roda rodas caçambas cacambas eixos roue roues godets lames essieux rad räder rader achse achsen part parts engine motor gearbox transmission bucket blade tyre tyres tire tires track tracks pump seal seals hose hoses filter filters cylinder ram radiator turbo injector injectors battery batteries windscreen clutch axle diff swing slew bearing bearings pin pins teeth liner liners jaw belt screen-mesh mesh technician pieza piezas repuesto repuestos caja balde cuchara hoja llanta llantas neumático neumáticos neumatico neumaticos oruga orugas cadena cadenas bomba sello sellos manguera mangueras filtro filtros cilindro radiador turbo inyector batería bateria baterías vidrio embrague eje rodamiento pernos dientes técnico tecnico peça pecas peças câmbio cambio caçamba concha lâmina lamina pneu pneus esteira esteiras vedação mangueira mangueiras injetor vidro embreagem rolamento pino dentes pièce pièces piece pieces moteur boîte boite godet lame pneumatique pneumatiques chenille chenilles pompe joint joints flexible flexibles filtre filtres vérin verin radiateur injecteur batterie batteries vitre embrayage roulement dents technicien teil teile ersatzteil ersatzteile getriebe schaufel löffel loffel schild reifen kette ketten pumpe dichtung schlauch schläuche schlauche zylinder kühler kuhler einspritzdüse scheibe kupplung lager bolzen zähne zahne monteur techniker servicetechniker'.split(
    ' ',
  ),
);
export const isPartWord = (key: string): boolean => PARTS.has(key);
/** `bestellt`, `on order`: words that say of a part that it comes later. */
const ORDERED =
  /^(bestellt|ordered|on order|pedido|pedida|pedidos|pedidas|encargado|encargada|encomendado|encomendada|encomendados|encomendadas|commandé|commandée|commandés|commandées|en commande|ist bestellt|está pedida|en pedido)$/;
export const isOrdered = (words: string): boolean => ORDERED.test(words);

/** Words that begin the next thing that somebody tells: `Después dos palas`, `Then three trucks`. */
const NEXT = new Set('después despues luego depois ensuite then dann danach puis entonces'.split(' '));
export const isNextWord = (key: string): boolean => NEXT.has(key);
