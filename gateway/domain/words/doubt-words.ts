/**
 * Words that may mean that a machine is not on the site now, or not a machine of the site. The planner does not try to understand such a
 * sentence: a person confirms its machines. Each language has its own table, because `was` is no past in German.
 */
import type { Language } from './grammar.ts';
import { type Phrases, phrases } from './phrases.ts';

/** `opening` is a doubt about shifts only. `another`, `sometimes` and `compared` are no doubt about a machine with a number: `EX-1 and the other one, EX-2`. */
export type DoubtWord = 'past' | 'future' | 'unsure' | 'others' | 'another' | 'sometimes' | 'compared' | 'opening';

const DOUBTS: Readonly<Record<Language, readonly (readonly [DoubtWord, string])[]>> = {
  en: [
    ['another', 'or'],
    ['opening', 'open|opens|opening|opening hours|closes|closed|visiting hours|deliveries|gate hours|weighbridge'],
    [
      'past',
      'off fleet|off-fleet|off hire|off-hired|disposals|leavers|old list|old fleet|former fleet|wish list|wishlist|previous list|was|were|had|used to|did|formerly|former|previously|once|ago|until|till last|last year|last month|last week|last summer|last winter|yesterday|back in|in the past|history|historic|historically|began|started with|originally|in those days|left|lost|burnt|burned|caught fire|destroyed|wrecked|rolled over|drowned|swapped|exchanged|traded|traded in|transferred|moved to|relocated|dismantled|removed|cannibalised|cannibalized|stripped|auction|auctioned|finished|ended|ceased|took|taken|sent|got stuck|replaced|replaces|replace|replacement|retired|sold|scrapped|gone|broke up|wrote off',
    ],
    [
      'future',
      "will|won't|shall|going to|gonna|next year|next month|next week|next season|tomorrow|soon|later|planned|plans|plan to|planning|intend|intends|intended|expect|expected|expecting|order|ordered|on order|arrive|arrives|arriving|delivery|deliver|delivered|budget|budgeted|quote|quoted|quotation|offer|tender|procurement|purchase|purchasing|buy|buying|want|wants|wanted|wish|wishes|need|needs|needed|looking for|would like|in future|upcoming|from january|from february|from march|from april|from may|from june|from july|from august|from september|from october|from november|from december|mobilise|mobilize|to be|due|forecast|target|commission|commissioned|commissioning|by the end of|demo",
    ],
    [
      'unsure',
      "maybe|perhaps|probably|possibly|might|may|could|would|should|if|unless|whether|either|think|believe|guess|suppose|supposedly|apparently|not sure|unsure|i reckon|reckon|don't know|no idea|say|let's say|except|excluding|apart from|nor|neither|never|not|no|none|nothing|without|isn't|aren't|don't|doesn't|hasn't|haven't|cannot|can't|stop|zero|instead|rather",
    ],
    [
      'others',
      "for sale|up for sale|head office|headquarters|scrapyard|scrap yard|breaker's yard|docks|dock|port|harbour|harbor|customs|showroom|factory|depot|auctioneer|auctioneers|mainland|abroad|elsewhere|neighbour|neighbours|neighbor|neighbors|neighbouring|neighboring|next door|contractor|contractors|contractor's|subcontractor|subcontractors|subcontractor's|subbie|subbies|client|client's|customer|customers|customer's|dealer|dealer's|supplier|suppliers|company's|competitor|friend|friend's|council|borrow|borrowed|borrowing|lend|lends|lent|loan|loaned|on loan|visitor|visiting|visit|belongs|belong|owner|sister|their|theirs|somebody|someone|shared|share|shares|sharing|pool|show|exhibition|museum|magazine|brochure|video|picture|photo|toy|model railway|insurance|court|village|town|school|public|haulier|hauliers|deliver|freight|third party",
    ],
    [
      'sometimes',
      'short|short of|depending|depends|sometimes|occasionally|from time to time|as required|when required|if required|on request|on call|optional',
    ],
    ['another', 'other|others|another|else'],
    [
      'compared',
      'than|like|similar|same as|compare|compared|comparison|versus|vs|example|for example|e.g|such as|equivalent|enough for|capable|up to|at least|at most|minimum|maximum|per hour|per day|per shift|an hour|a day|a shift|each day|loads of|trips|equal to|rated|worth',
    ],
  ],
  es: [
    ['another', 'o|u'],
    ['opening', 'abre|abierto|abierta|abren|cierra|horario de atención|atención|visitas|báscula|recepción'],
    [
      'past',
      'baja|bajas|salidas|lista vieja|lista antigua|era|eran|fue|fueron|tenía|tenían|teníamos|tuvo|tuvimos|tuvieron|había|habían|hubo|estaba|estaban|antes|antiguamente|anteriormente|antiguo|antigua|antiguos|antiguas|el año pasado|la semana pasada|el mes pasado|ayer|hace años|hace un año|hace meses|hasta|historia|empezó|empezamos|comenzó|originalmente|vendió|vendido|vendida|vendimos|vendieron|llevó|llevaron|quemó|quemada|quemado|incendio|destruida|destruido|volcó|permuta|permutó|cambió|cambiamos|trasladó|trasladada|trasladado|traslado|desmantelado|desmantelada|retiró|retirado|retirada|retirados|retiradas|subasta|subastó|terminó|acabó|reemplazó|reemplaza|reemplazo|sustituye|sustituyó|sustituida|devolvió|devuelta|devuelto|robaron|embargó|banco se',
    ],
    [
      'future',
      'será|serán|tendrá|tendremos|tendrán|habrá|va a|van a|vamos a|el próximo|la próxima|próximo|próxima|próximos|próximas|mañana viene|mañana llega|pronto|luego|después|más adelante|plan|planes|planea|planeamos|planificado|prevé|previsto|prevista|previstos|previstas|pensamos|espera recibir|esperamos|pedido|pedida|pedir|encargado|encargada|llega|llegan|llegará|llegarán|llegue|lleguen|entrega|entregan|presupuesto|cotización|cotizar|oferta|licitación|compra|comprar|compraremos|comprará|adquirir|adquisición|queremos|quiero|quieren|quiere|necesita|necesitamos|necesitan|necesitará|necesitarán|falta|faltan|hará falta|gustaría|en el futuro|futuro|futura|a partir de enero|a partir de febrero|a partir de marzo|a partir de abril|a partir de mayo|a partir de junio|a partir de julio|a partir de agosto|a partir de septiembre|a partir de octubre|a partir de noviembre|a partir de diciembre|aportará|inversión|incorporará|incorporarán|demo|demostración',
    ],
    [
      'unsure',
      'quizá|quizás|tal vez|a lo mejor|posiblemente|probablemente|puede|pueden|podría|podrían|debe|deben|debería|si|salvo|excepto|menos|o bien|creo|creemos|supongo|supuestamente|parece|al parecer|no sé|no estoy|digamos|ni|nunca|jamás|no|ningún|ninguna|ninguno|nada|sin|tampoco|en lugar|en vez|cero',
    ],
    [
      'others',
      'en venta|a la venta|para vender|para la venta|por vender|por comprar|para comprar|desguace|desguaces|chatarrería|puerto|aduana|fábrica|sede|remate|extranjero|otra parte|vecino|vecina|vecinos|contratista|contratistas|subcontrata|subcontratista|cliente|clientes|concesionario|proveedor|proveedores|distribuidor|competencia|amigo|municipio|municipalidad|alcaldía|ayuntamiento|prestado|prestada|prestados|prestadas|préstamo|presta|prestan|prestamos|visita|pertenece|pertenecen|dueño|hermano|hermanos|tercero|terceros|ajeno|ajena|ajenos|compartida|compartido|compartimos|feria|museo|revista|catálogo|vídeo|video|foto|juguete|seguro|juzgado|pueblo|escuela|transportista|transportistas|externo|externa|externos|externas|aquellos',
    ],
    [
      'sometimes',
      'depende|dependiendo|a veces|ocasionalmente|de vez en cuando|según necesidad|cuando se necesita|opcional',
    ],
    ['another', 'otro|otra|otros|otras'],
    [
      'compared',
      'mayor|menor|parecido|parecida|similar|similares|igual que|comparado|comparación|ejemplo|por ejemplo|equivalente|capacidad para|suficiente|al menos|mínimo|máximo|por hora|por día|por turno|al día|a la hora|viajes|hasta',
    ],
  ],
  pt: [
    ['another', 'ou'],
    ['opening', 'abre|aberto|aberta|fecha|atendimento|visitas|balança|expediente'],
    [
      'past',
      'baixas|saídas|lista velha|lista antiga|era|eram|foi|foram|tinha|tinham|tínhamos|teve|tivemos|havia|houve|estava|estavam|antes|antigamente|anteriormente|antiga|antigos|antigas|ano passado|semana passada|mês passado|ontem|há anos|há um ano|há meses|atrás|até|história|começou|começamos|originalmente|vendeu|vendido|vendida|vendemos|vendidos|levou|levaram|queimou|queimada|queimado|incêndio|destruída|destruído|tombou|trocou|trocada|trocado|trocamos|transferiu|transferida|transferido|transferidos|transferência|desmontado|desmontada|retirado|retirada|retirados|retiradas|leilão|leiloado|leiloada|terminou|acabou|substituiu|substitui|substituída|substituto|devolveu|devolvida|devolvido|roubaram|roubada|subiu|saiu|saíram',
    ],
    [
      'future',
      'será|serão|terá|teremos|terão|haverá|vai chegar|vai vir|vão chegar|vamos comprar|vamos alugar|vamos receber|deve chegar|devem|deve|deverá|deverão|entrar|próximo|próxima|próximos|próximas|amanhã|em breve|depois|mais tarde|plano|planos|planeja|planejado|planejamos|previsto|prevista|previstos|previstas|previsão|pensamos|esperamos|pedido|pedida|encomendado|encomendada|encomenda|chega|chegam|chegará|chegarão|chegar|cheguem|entrega|entregam|orçamento|cotação|oferta|licitação|compra|comprar|compraremos|adquirir|aquisição|queremos|quero|quer|precisa|precisamos|precisam|precisará|falta|faltam|gostaria|gostaríamos|no futuro|futuro|futura|a partir de janeiro|a partir de fevereiro|a partir de março|a partir de abril|a partir de maio|a partir de junho|a partir de julho|a partir de agosto|a partir de setembro|a partir de outubro|a partir de novembro|a partir de dezembro|demonstração|demo|investimento',
    ],
    [
      'unsure',
      'talvez|quem sabe|possivelmente|provavelmente|pode|podem|poderia|poderiam|deveria|se|salvo|exceto|menos|ou então|acho|achamos|creio|suponho|supostamente|parece|pelo visto|não sei|digamos|nem|nunca|jamais|não|nenhum|nenhuma|nada|sem|tampouco|em vez|ao invés|zero',
    ],
    [
      'others',
      'à venda|para vender|para venda|por comprar|para comprar|ferro-velho|ferro velho|porto|alfândega|fábrica|sede|exterior|estrangeiro|outra parte|vizinho|vizinha|vizinhos|empreiteira|empreiteiro|subempreiteiro|subempreitada|terceirizada|terceirizado|terceiro|terceiros|contratada|cliente|clientes|concessionária|fornecedor|fornecedores|revendedor|concorrente|concorrência|amigo|prefeitura|câmara municipal|emprestado|emprestada|emprestados|empréstimo|empresta|emprestam|visita|pertence|pertencem|dono|irmão|alheio|alheia|compartilhada|compartilhado|partilhada|feira|museu|revista|catálogo|vídeo|foto|brinquedo|seguro|seguradora|banco|aldeia|escola|transportadora|transportador|externo|externa|externos|externas',
    ],
    [
      'sometimes',
      'depende|dependendo|às vezes|ocasionalmente|de vez em quando|conforme necessidade|quando precisa|quando necessário|opcional',
    ],
    ['another', 'outro|outra|outros|outras'],
    [
      'compared',
      'maior|menor|parecido|parecida|semelhante|igual|comparado|comparação|exemplo|por exemplo|equivalente|suficiente|pelo menos|no mínimo|no máximo|mínimo|máximo|por hora|por dia|por turno|ao dia|à hora|viagens|capacidade',
    ],
  ],
  fr: [
    ['another', 'ou'],
    ['opening', 'ouvert|ouverte|ouverture|ouvre|ferme|fermé|fermeture|visites|bascule|accueil|réception'],
    [
      'past',
      "sortis|sorties|réformes|ancienne liste|vieille liste|était|étaient|fut|furent|avait|avaient|avions|eu|avant|autrefois|anciennement|auparavant|ancien|ancienne|anciens|anciennes|l'an dernier|l'année dernière|la semaine dernière|le mois dernier|hier|il y a un an|il y a deux ans|jusqu'en|jusqu'à|histoire|commencé|a débuté|à l'origine|vendu|vendue|vendus|vendues|avons vendu|emporté|emmené|parti|partie|partis|parties|brûlé|brûlée|incendie|détruit|détruite|renversé|échangé|échangée|transféré|transférée|transférés|transfert|démonté|démontée|retiré|retirée|enchères|terminé|fini|remplacé|remplacée|remplace|remplacement|rendu|rendue|rendus|rendues|restitué|volé|volée|repris|reprise|déplacé|déplacée|cédé|cédée",
    ],
    [
      'future',
      "sera|seront|aura|aurons|auront|va arriver|va venir|va être|allons|vont arriver|prochain|prochaine|prochains|prochaines|demain|bientôt|plus tard|ensuite|plan|prévu|prévue|prévus|prévues|prévoit|prévoyons|pense|pensons|espérons|attendons|attend|attendu|attendue|attendus|commande|commandé|commandée|commander|arrive|arrivent|arrivera|arrivée|livraison|livré|livrée|livrer|budget|devis|offre|appel d'offres|achat|acheter|achètera|acquérir|acquisition|voulons|veux|veut|voudrait|voudrions|souhaite|souhaitons|faut|faudra|faudrait|besoin|manque|manquent|aimerait|à l'avenir|futur|future|futurs|à partir de janvier|à partir de février|à partir de mars|à partir d'avril|à partir de mai|à partir de juin|à partir de juillet|à partir d'août|à partir de septembre|à partir d'octobre|à partir de novembre|à partir de décembre|affectera|mettra|démonstration|démo|essai|investissement|quand|tiendra",
    ],
    [
      'unsure',
      'peut-être|peut|peuvent|pourrait|pourraient|probablement|possiblement|sans doute|doit|doivent|devrait|devraient|si|sauf|hormis|soit|crois|croyons|pense|suppose|paraît|apparemment|sais pas|disons|ni|jamais|pas|aucun|aucune|rien|sans|non|ne|au lieu|plutôt|zéro|plus que',
    ],
    [
      'others',
      'à vendre|en vente|à acheter|casse|ferrailleur|port|douane|douanes|siège|étranger|dépôt de la société|autre part|ailleurs|voisin|voisine|voisins|sous-traitant|sous-traitants|entrepreneur|client|clients|concessionnaire|fournisseur|fournisseurs|vendeur|concurrent|concurrence|ami|commune|mairie|emprunté|empruntée|empruntons|prêt|prêté|prêtée|prête|prêtons|visite|appartient|appartiennent|propriétaire|frère|tiers|partagé|partagée|partageons|salon|musée|revue|catalogue|vidéo|photo|jouet|assurance|banque|village|école|transporteur|transporteurs|externe|externes|intérim|intérimaire|mutualisé|mutualisée|extérieur|extérieure|extérieurs',
    ],
    ['sometimes', 'dépend|selon|parfois|occasionnellement|de temps en temps|au besoin|à la demande|optionnel'],
    ['another', 'autre|autres'],
    [
      'compared',
      'supérieur|inférieur|comme|pareil|similaire|semblable|comparé|comparaison|exemple|par exemple|équivalent|suffisant|au moins|au minimum|au maximum|minimum|maximum|par heure|par jour|par poste|voyages|rotations|capacité|capable',
    ],
  ],
  de: [
    ['another', 'oder'],
    ['opening', 'geöffnet|öffnungszeiten|offen|geschlossen|besuchszeiten|waage|anlieferung|annahme'],
    [
      'past',
      'ausgeschieden|abgang|abgänge|ausgesondert|verliehen|alte liste|alten liste|war|waren|hatte|hatten|wurde|wurden|gab|früher|ehemals|ehemalige|ehemaliger|ehemaligen|vorher|einst|damals|letztes jahr|letzten|letzte|letzter|voriges|vorigen|vorige|gestern|vor einem jahr|vor jahren|geschichte|begann|begonnen|angefangen|ursprünglich|verkauft|verkaufte|verkauften|abgebrannt|verbrannt|ausgebrannt|brand|zerstört|umgekippt|getauscht|eingetauscht|versetzt|verlegt|überstellt|umgesetzt|zerlegt|demontiert|abgebaut|ausgebaut|versteigert|versteigerung|beendet|ersetzt|ersetzte|ersatz für|zurück|zurückgegeben|gestohlen|geklaut|abgegeben|abgeholt|abtransportiert|abgemeldet|stillgelegt|ausgemustert|verschrottet|übertage|weg|fort|mitgenommen|gewesen|bis',
    ],
    [
      'future',
      'wird|werden|soll|sollen|sollte|sollten|nächste|nächster|nächstes|nächsten|morgen kommt|bald|später|danach|demnächst|plan|geplant|planen|vorgesehen|vorgesehene|erwartet|erwarten|bestellt|bestellung|bestellen|kommt|kommen|käme|lieferung|geliefert|liefern|liefert|budget|angebot|ausschreibung|kauf|kaufen|kauft|gekauft|anschaffen|anschaffung|beschaffung|wollen|will|möchte|möchten|wünschen|wünscht|brauchen|braucht|benötigen|benötigt|bräuchten|fehlt|fehlen|zukünftig|künftig|zukunft|ab januar|ab februar|ab märz|ab april|ab mai|ab juni|ab juli|ab august|ab september|ab oktober|ab november|ab dezember|vorführung|vorführgerät|probe|testweise|erst|vorzuhalten|hat zu|haben zu|stellt|stellen',
    ],
    [
      'unsure',
      'vielleicht|eventuell|evtl|möglicherweise|wahrscheinlich|vermutlich|könnte|könnten|kann|können|würde|würden|dürfte|wenn|falls|sofern|ob|entweder|glaube|glauben|denke|angeblich|scheinbar|anscheinend|weiß nicht|sagen wir|weder|noch nie|nie|niemals|nicht|kein|keine|keinen|keiner|keinem|nichts|ohne|anstatt|statt|stattdessen|ausser|ausgenommen|null|muss|müssen|müsste',
    ],
    [
      'others',
      'zu verkaufen|zum verkauf|steht zum verkauf|schrottplatz|schrotthändler|hafen|zoll|zentrale|hauptsitz|stammwerk|autohaus|ausland|bauhof|anderswo|woanders|fremd|fremde|fremden|nachbar|nachbarn|nachbars|nachbarbetrieb|subunternehmer|nachunternehmer|auftragnehmer|auftraggeber|bauherr|kunde|kunden|händler|lieferant|lieferanten|vermieter|konkurrenz|mitbewerber|freund|gemeinde|geliehen|geliehene|leihweise|verliehen|leihen|ausleihen|ausgeliehen|besuch|gehört dem|gehört der|gehört einer|gehören dem|gehören der|gehören einer|gehören nicht|gehört nicht|eigentümer|bruder|dritte|dritten|geteilt|teilen|gemeinsam mit|messe|museum|zeitschrift|prospekt|video|foto|bild|spielzeug|versicherung|bank|gericht|dorf|schule|spedition|spediteur|fuhrunternehmer|fuhrunternehmen|extern|externe|externer|externen|fremdfirma',
    ],
    ['sometimes', 'je nach|manchmal|gelegentlich|ab und zu|bei bedarf|nach bedarf|auf abruf|optional'],
    ['another', 'andere|anderen|anderer|anderes|anderem'],
    [
      'compared',
      'mehr als|weniger als|grösser als|kleiner als|ähnlich|ähnliche|vergleich|verglichen|vergleichbar|beispiel|zum beispiel|z.b|beispielsweise|gleichwertig|gleichwertige|oder gleichwertig|ausreichend|mindestens|höchstens|minimum|maximum|pro stunde|pro tag|pro schicht|am tag|täglich|fuhren|leistung|bis zu',
    ],
  ],
};

const TABLES: Readonly<Record<Language, Phrases<DoubtWord>>> = {
  en: phrases(DOUBTS.en),
  es: phrases(DOUBTS.es),
  pt: phrases(DOUBTS.pt),
  fr: phrases(DOUBTS.fr),
  de: phrases(DOUBTS.de),
};

export const doubtWords = (language: Language): Phrases<DoubtWord> => TABLES[language];

/** Phrases of contracts that say which machines the site has: `The Contractor shall provide`. Their words are no doubt. */
const CONTRACT = phrases<true>([
  [
    true,
    'contractor shall mobilise|contractor shall mobilize|shall mobilise|shall mobilize|shall be carried out|contractor shall provide|contractor shall keep|contractor shall maintain|contractor shall operate|contractor shall have|contractor shall deploy|contractor shall use|shall provide|shall keep|shall be kept|el contratista aportará|contratista aportará|contratista dispondrá de|contratista dispondrá|contratista mantendrá|contratista deberá disponer de|contratista deberá mantener|contratista pondrá a disposición|aportará|a contratada deverá manter|a contratada deverá dispor|contratada deverá manter|contratada deverá dispor|contratada manterá|contratada disporá|contratada disponibilizará|adjudicatário disporá|adjudicatário deverá|empreiteiro disporá|le titulaire affectera|titulaire affectera|titulaire mettra à disposition|titulaire met à disposition|entrepreneur mettra à disposition|entrepreneur affectera|affectera|mettra à disposition|sera tenu à disposition|sera tenue à disposition|der auftragnehmer hat|auftragnehmer hat|auftragnehmer stellt|auftragnehmer setzt|auftragnehmer hält|ist vorzuhalten|sind vorzuhalten|vorzuhalten',
  ],
]);

/** The end of a phrase of a contract that begins at this token; the token itself if none begins there. */
export const contractEnd = (tokens: Parameters<Phrases<true>['at']>[0], at: number, to: number): number =>
  CONTRACT.at(tokens, at, to)?.to ?? at;

/** `Nachbarbagger`, `Schwesterwerk`: the first part of a German compound says that it is not ours. */
const NOT_OURS =
  /^(nachbar|schwester|fremd|kunden|händler|haendler|leih|vorführ|vorfuehr|museum|spielzeug|schrott|auktion|wunsch|bestell)\p{L}{3}/iu;
export const isNotOurs = (word: string): boolean => NOT_OURS.test(word);

/** `another quarry`, `der andere Steinbruch`: with these words, `another` speaks of another place or owner. */
const OWNERS = phrases<true>([
  [
    true,
    'site|quarry|mine|pit|job|project|company|firm|contractor|place|yard|operation|group|sister quarry|obra|mina|cantera|faena|empresa|sitio|lugar|proyecto|contratista|planta|grupo|pedreira|canteiro|local|projeto|unidade|chantier|carrière|entreprise|endroit|mine|usine|groupe|société|baustelle|steinbruch|bruch|werk|grube|firma|standort|betrieb|unternehmen|gruppe|ort',
  ],
]);
export const isOwner = (tokens: Parameters<Phrases<true>['at']>[0], at: number, to: number): boolean =>
  OWNERS.at(tokens, at, to) !== null;
