/**
 * Words that never say whether a machine is on the site: small words, verbs of being and working, colours and sizes, materials, parts of
 * machines, and headings of lists. A sentence that has only these words beside its machines is understood. A word belongs in this table
 * only if no sentence with it can mean that the machine is not there.
 */
import type { Language } from './grammar.ts';
import { fold } from './text.ts';
import { WORK_WORDS } from './work-words.ts';

const PLAIN: Readonly<Record<Language, string>> = {
  en: `boss folks everyone lads mates
    serves supplies handles clears strips excavate excavates transports fills tips looks after tows lifts cleans sprays rolls compacts sized painted powered built bought purchased acquired since-new refurbished overhauled complete completes completing including include includes included consist consists comprise comprises comprised made consisting own-owned engaged involved responsible suits suitable common used-for hauler haulage loaded-by feeds fed sits based-at paired pair together with-the rest back front spare backup reserve standing usual regular daily weekly bit quite very really pretty good great nice reliable faithful trusty proper actual actually obviously anyway though however where while when during shifts today tonight currently tag tagged marked labelled stickers plates badge door roof side colour color fuelled electric-drive remote automated autonomous teleoperated manned crewed per each-one
    k lol pls plz ya yep yup yeah transmission radiator turbo injector injectors starter alternator battery batteries hydraulics pin pins bush bushes teeth tooth edge edges undercarriage sprocket idler roller rollers gasket hose hoses blown flat puncture punctured windscreen mirror light lights camera radio gps telematics tag seat aircon fan belt bolts weld welding crack cracked paint wash inclusive yet basically rounds rests serving serve tool tools loading tipping dumping charge charge-up bogging cuddy ok handover outgoing oncoming covers total roster per
    refs ref identified bearing fleet served numbered carried out loaded taken-care by
    done wherever everywhere anywhere oh ah hmm again already still whole entire full rest remaining first second third front end ends part bit lot stuff thing things job jobs way time times moment month week year hand line list lists photo inventory breakdown summary details detail info information update overview regarding re subject about attached attach dear sir madam sincerely kind best greetings today's please find here's name's let me us give gives given get gets quick quickly first firstly secondly finally next-to basic basics busy spare standby idle there's we've we're they're it's that's i'm open cut opencast underground surface earthworks civil fill embankment excavation trench pipe pipes drainage foundation foundations bypass tunnel portal shaft stope stopes drift drifts crosscut raise ventilation fan fans wash bay weighbridge office canteen entrance gate silo silos hopper hoppers belt belts tail tailings dam pond ponds basin north-west quarry's mine's tools toolbox shed shelter container
    a an the this that these those here there we our ours us i my it its they them he she who which what where how
    and of in on at to by for with from into onto over under near behind beside between along around across through inside outside up down as
    is are am be been being has have having got does do s ve re m ll d
    also too only just all both each every together altogether total totals plus namely see below above following follows listed list
    run runs running operate operates operating operated work works working use uses using used keep keeps stand stands standing sit sits sitting
    park parked stay stays live lives dig digs digging load loads loading haul hauls hauling carry carries carrying feed feeds feeding push pushes pushing
    spread spreads spreading drill drills drilling bore bores boring crush crushes crushing screen screens screening cut cuts cutting move moves moving
    water waters watering grade grades grading maintain maintains maintaining cover covers do doing go goes going come comes make makes made
    assigned allocated based located stationed dedicated equipped fitted mounted operational available active serviceable ready
    currently now today presently right normally usually always mostly mainly main primary secondary tertiary day night tonight
    new newer newest old older oldest big bigger biggest little small smaller smallest large larger medium heavy light long short high low wide mini micro
    red yellow blue green white black orange grey gray silver front rear left upper lower north south east west northern southern eastern western central
    rigid articulated tracked wheeled crawler hydraulic electric diesel mobile static fixed rotary vibrating vibratory pneumatic single double twin drum smooth padfoot
    hired rented leased hire rental owned own
    company fleet plant equipment machine machines unit units machinery vehicle vehicles gear kit heavies ancillary support auxiliary production
    make makes model models type types kind size class serial number numbers reg rego registration year built name names called code id tag call sign
    tonne tonnes ton tons cubic metre metres yard yards cu yd yds kw hp
    overburden waste ore rock stone limestone granite sand gravel coal clay topsoil muck material materials aggregate aggregates concrete asphalt dust spoil dirt product products blasted blast shot
    road roads ramp ramps haul face faces bench benches stockpile stockpiles dump dumps pad plant yard workshop shop bay level levels heading headings drive drives decline site pit pits quarry mine job works project section area
    repair repairs repaired service serviced servicing maintenance broken breakdown waiting parts part spare spares engine gearbox bucket buckets blade hose tyre tyres tire tires track tracks bearing motor slew pump seal ripper boom mast breaker hammer attachment fork forks cab arm stick filter oil leak leaking cylinder clock hours
    shift shifts crew crews team driver drivers operator operators mechanic mechanics fitter fitters people
    hi hello hey morning thanks cheers ok okay regards please ta mate guys team well so then yes um uh er
    same different various certain type general purpose`,
  es: `inge jefe patron compa don rodamos somos contamos llevamos
    sirve abastece limpia limpian extrae extraen rellena vuelca remolca levanta rocía compacta pintado pintada comprado comprada comprados compradas adquirido adquirida construido reacondicionado completo completa completan incluye incluyendo consiste consta compone componen formada conformada conformado integrada encargado encargada responsable mismo comun habitual diario diaria bastante muy bueno buena buen realmente claro bueno obviamente sin-embargo mientras durante cuando donde pintada puerta techo lado color remoto autonomo autonoma marcado marcada rotulado rotulada respaldo reserva repuesto atras adelante frente al-lado dotacion parque-movil cuadro tabla resumen datos siguiente cargando acarreando minando barrenando barrena rezaga rezagado tiro acarrea relleno voladura tronadura perforacion carguio chancado zarandeo harneo lavado despacho ventas oficinas campamento
    transmision radiador turbo inyector arranque alternador bateria baterias hidraulico pasador pernos dientes cuchilla cuchillas tren rodaje empaque manguera pinchada ponchada parabrisas espejo luces camara radio gps inclusive incluido incluida inclusivo interna interno orden ordenes oruga explotacion obra corte tramo punto puntos vibro vibros cuchara bote pistolas
    identificado identificada identificados identificadas identificacion sobre pa xq explotacion vuelta vueltas dando trae
    asimismo igualmente ademas ya aun todavia siempre resto demas restante restantes primero primera primer segundo segunda tercero tercera ver hecho fecha semana mes ano hora horas momento parte cosa cosas lugar sitio sitios local detalle detalles informacion resumen asunto estimado estimados estimada senor senores saludo cordial atentamente adjunto adjunta envio paso pasamos comento cuento decir dice dicho objeto contrato proyecto ejecucion contempla compuesta compuesto formado formada integrado integrada comprende comprenden incluye incluyen corresponde corresponden encuentra encuentran subterranea subterraneo interior superficie tunel galeria galerias rampa chimenea pozo pozos bocamina movimiento tierras terraplen desmonte excavacion zanja tuberia drenaje presa relave relaves laguna balsa bascula oficina comedor entrada porton tolva cinta cintas lavadero polvorin bodega almacen caseta contenedor bien mal mismo misma mismos mismas cual cuales unos cuantos asi luego tal
    el la los las un una unos unas lo al del de en a con por para sobre desde hasta entre junto cerca dentro fuera arriba abajo detras delante segun
    y e o que quien cual donde como cuando este esta estos estas ese esa esos esas eso esto aqui alli ahi aca alla nosotros nuestro nuestra nuestros nuestras mi mis su sus se nos me le les
    es son esta estan ser hay tiene tienen tenemos tengo tenga cuenta cuentan contamos dispone disponemos dispondra disponen posee llevan lleva llevamos contaremos
    todo toda todos todas ambos ambas cada solo sola solamente unicamente tambien ademas mas total siguiente siguientes abajo lista relacion detalle dos juntas juntos
    trabaja trabajan trabajando trabajamos opera operan operando operamos usa usan usamos usando anda andan andando corre corren mueve mueven carga cargan cargando cargue acarrea acarrean acarreo transporta transportan excava excavan empuja empujan perfora perforan riega riegan nivela nivelan compacta compactan tritura trituran alimenta alimentan atiende atienden hace hacen va van da dan queda quedan sirve sirven mantiene
    asignado asignada asignados asignadas ubicado ubicada ubicados ubicadas destinado destinada destinados destinadas dedicada dedicado equipado equipada montado montada estacionado estacionada parado parada parados paradas operativo operativa operativos operativas disponible disponibles activo activa
    actualmente ahora ahorita hoy normalmente siempre principal principales primario primaria secundario secundaria dia noche
    nuevo nueva nuevos nuevas viejo vieja viejos viejas grande grandes chico chica chicos chicas chiquito chiquita pequeno pequena pequenos pequenas mediano mediana pesado pesada pesados ligero ligera largo larga alto alta bajo baja mini
    rojo roja amarillo amarilla amarillos amarillas azul azules verde verdes blanco blanca negro negra naranja gris norte sur este oeste central izquierda derecha frontal frontales
    rigido rigidos rigida articulado articulada articulados articuladas hidraulico hidraulica hidraulicos hidraulicas electrico electrica movil moviles fijo fija liso lisa vibratorio vibratoria neumatico neumatica tandem orugas oruga ruedas cadenas llantas tambor simple doble
    alquilado alquilada alquilados alquiladas rentado rentada rentados rentadas arrendado arrendada arrendados alquiler renta arriendo propio propia propios propias
    empresa flota parque maquinaria maquina maquinas equipo equipos vehiculo vehiculos unidad unidades pesada auxiliar auxiliares apoyo produccion linea amarilla
    marca marcas modelo modelos tipo tipos clase serie numero numeros placa placas patente patentes matricula matriculas ano nombre codigo tag interno economico
    tonelada toneladas metro metros cubico cubicos kw hp t
    esteril mineral roca piedra caliza granito arena grava gravilla aridos carbon arcilla tierra material materiales hormigon concreto asfalto polvo caliche producto zahorra desmonte
    camino caminos pista pistas rampa frente frentes banco bancos acopio acopios botadero planta patio taller base nivel niveles sector zona area obra cantera mina tajo rajo faena arranque riego mantenimiento limpieza carga descarga
    reparacion averia averiada averiado rota roto espera esperando repuesto repuestos motor caja cuchara balde cucharon pala hoja manguera neumaticos oruga bomba filtro aceite martillo fuga
    turno turnos guardia cuadrilla operador operadores mecanico mecanicos chofer choferes personal
    hola buenos buenas dias tardes gracias saludos ok va pues asi si bueno ah eh`,
  pt: `rodamos somos pessoal chefe patrao seu dona
    serve abastece limpa limpam extrai extraem enche bascula reboca levanta pulveriza compacta pintado pintada comprado comprada comprados compradas adquirido adquirida construido reformado completo completa completam inclui incluindo consiste consta compoe compoem formada encarregado responsavel mesmo comum habitual diario diaria bastante muito bem bom boa mesmo claro obviamente enquanto durante quando porta teto lado cor remoto autonomo autonoma marcado marcada identificada reserva atras frente ao-lado quadro tabela dados seguintes carregando transportando perfurando perfuracao carga desmonte detonacao britando peneiramento lavagem expedicao vendas escritorios alojamento noturna noturno diurna diurno equipas equipa turno regime folga folgas
    transmissao radiador turbo injetor arranque alternador bateria baterias pino dentes lamina rodante vedacao furado furada parabrisas espelho luzes camera radio gps inclusive incluso inclusa troco trocos lote lotes trecho anexo n os nos empreitada meios afetar afetos afeto decorre pavimentacao fresagem termo referencia item itens
    identificado identificada identificados identificadas identificacao pra pro vc q exmos exmo melhores cumprimentos explora dispor
    tambem igualmente ainda ja sempre resto demais restante restantes primeiro primeira segundo segunda terceiro terceira ver feito data semana mes ano hora horas momento parte coisa coisas lugar lugares local locais detalhe detalhes informacao informacoes resumo assunto prezado prezados prezada caro caros senhor senhores atenciosamente att anexo segue seguem envio passo passando falando digo objeto contrato projeto execucao servico servicos contempla composta composto formado formada compreende compreendem inclui incluem corresponde encontra encontram subterranea subterraneo interior superficie tunel galeria galerias poco movimento terras aterro escavacao vala tubulacao drenagem barragem rejeito rejeitos lagoa bacia balanca escritorio refeitorio entrada portao moega correia correias lavador paiol almoxarifado deposito canteiro container mesmo mesma mesmos mesmas quantos entao dai
    o a os as um uma uns umas ao aos do da dos das de no na nos nas em com por para pelo pela sobre desde ate entre junto perto dentro fora acima abaixo atras
    e ou que quem qual onde como este esta estes estas esse essa esses essas isso isto aquele aquela aqui ali la ca daqui nos nosso nossa nossos nossas meu minha seu sua seus suas se a gente
    é e sao esta estao ser ha tem temos tenho dispomos conta contamos possui possuimos dispoe fica ficam ta tao
    todo toda todos todas ambos ambas cada so somente apenas tambem alem mais total seguinte seguintes abaixo lista relacao detalhe juntos tudo
    trabalha trabalham trabalhando trabalhamos opera operam operando operamos usa usam usamos anda andam roda rodam rodando carrega carregam carregando transporta transportam escava escavam empurra empurram perfura perfuram molha molham rega regam nivela nivelam compacta compactam britam alimenta alimentam atende atendem faz fazem vai vao puxa puxam puxando serve servem levando
    alocado alocada alocados alocadas localizado localizada localizados localizadas destinado destinada destinados destinadas dedicado dedicada equipado equipada montado montada estacionado estacionada parado parada parados paradas operacional operacionais disponivel disponiveis ativo ativa ativos pertencentes mobilizados mobilizadas
    atualmente agora hoje normalmente sempre principal principais primario primaria secundario secundaria dia noite
    novo nova novos novas velho velha velhos velhas antigo grande grandes grandona grandao pequeno pequena pequenos pequenas medio media pesado pesada pesados leve leves longo alto alta baixo baixa mini
    vermelho vermelha amarelo amarela amarelos azul azuis verde verdes branco branca preto preta laranja cinza norte sul leste oeste central esquerda direita frontal
    rigido rigidos rigida articulado articulada articulados articuladas hidraulico hidraulica hidraulicos hidraulicas eletrico eletrica movel moveis fixo fixa liso lisa vibratorio vibratoria pneu pneus esteira esteiras rodas lagartas rastos tambor simples duplo pe carneiro
    alugado alugada alugados alugadas locado locada locados aluguel aluguer locacao proprio propria proprios proprias
    empresa frota parque maquinario maquina maquinas equipamento equipamentos veiculo veiculos unidade unidades auxiliar auxiliares apoio producao pesada amarela linha
    marca marcas modelo modelos tipo tipos classe serie numero numeros placa placas matricula matriculas ano nome codigo tag prefixo patrimonio interno internas
    tonelada toneladas metro metros cubico cubicos kw hp t cv
    esteril minerio rocha pedra calcario granito areia brita cascalho carvao argila terra material materiais concreto betao asfalto po produto agregados
    estrada estradas acesso acessos pista pistas rampa frente frentes bancada bancadas pilha pilhas planta patio oficina base nivel niveis setor zona area obra pedreira mina cava lavra desmonte carga carregamento transporte manutencao abastecimento lubrificacao terraplenagem limpeza
    reparo reparacao avaria avariada avariado quebrada quebrado aguardando espera peca pecas motor caixa cacamba balde concha lamina mangueira bomba filtro oleo martelo problema
    turno turnos turma equipe operador operadores mecanico mecanicos motorista motoristas pessoal
    ola oi bom boa dia tarde obrigado abraco ok entao assim sim bem ai`,
  fr: `chef patron gars tous
    sert approvisionne nettoie nettoient extrait extraient remplit bascule remorque leve pulverise compacte peint peinte achete achetee achetes achetees acquis acquise construit renove complet complete completent inclut incluant consiste comporte composent forme formee charge chargee responsable commun habituel quotidien assez tres bon bonne bien vraiment clair evidemment cependant pendant durant quand porte toit cote couleur telecommande autonome marque marquee reserve secours arriere avant tableau donnees suivants chargent transportant foration tir minage concassage criblage lavage expedition ventes bureaux base-vie titulaire affecte travaux organise organisee nuit soiree diurne nocturne
    transmission radiateur turbo injecteur demarreur alternateur batterie batteries axe dents bord train roulement joint creve crevee pare-brise retroviseur feux camera radio gps inclus incluse compris comprise chantiers moyens humains materiels annexe article interviennent intervient affecte affectes epuisement pieux fond repere reperes lac ensemble lot lots troncon
    pr ds av tt identifie identifies identifiee identifiees immatricule immatriculee dirige exploite secours
    egalement encore deja toujours meme memes reste restant premier premiere second seconde deuxieme troisieme voir date semaine mois an heure heures moment partie chose lieu lieux endroit detail details information informations resume objet madame monsieur messieurs cordialement salutations joint ci joints envoi contrat projet execution marche travaux compose composee comprennent inclut inclus correspond trouve trouvent souterraine souterrain fond surface jour tunnel galerie galeries puits descenderie terrassement terrassements excavation tranchee conduite drainage digue bassin bassins etang bascule bureau refectoire cantine entree portail tremie tapis convoyeur lavage poudriere magasin depot conteneur quant ainsi puis dire dit designation affectation localisation localise ensuite autour partout besoin
    le la les l un une des du de d au aux en dans sur sous par pour avec chez entre vers pres derriere devant jusqu depuis a y
    et ou qui que quoi dont ou ce cet cette ces ca cela il elle ils elles on nous notre nos mon ma mes votre vos son sa ses leur se s c j n qu est sont etre ai as a ont avons avez dispose disposons possede compte comptons contient comprend tient
    tout tous toute toutes chaque seul seule seulement uniquement aussi egalement plus total suivant suivante suivants suivantes dessous liste detail ensemble voila
    travaille travaillent travaillons opere operent utilise utilisent utilisons tourne tournent roule roulent charge chargent chargeant transporte transportent creuse creusent pousse poussent fore forent arrose arrosent nivelle nivellent compacte compactent concasse concassent alimente alimentent dessert fait font va vont passe passent sert servent reste restent appelle appelons
    affecte affectee affectes affectees situe situee bases base basee destine destinee dedie dediee equipe equipee monte montee stationne stationnee gare garee arrete arretee immobilise immobilisee operationnel operationnelle operationnels disponible disponibles actif active reperes repere
    actuellement maintenant aujourd hui normalement toujours principal principale principaux primaire secondaire tertiaire jour nuit
    nouveau nouvelle nouveaux nouvelles vieux vieille vieilles neuf neuve grand grande grands grandes gros grosse grosses petit petite petits petites moyen moyenne lourd lourde leger legere long longue haut haute bas basse mini
    rouge jaune jaunes bleu bleue vert verte blanc blanche noir noire orange gris grise nord sud est ouest central centrale gauche droite frontal frontale
    rigide rigides articule articules articulee articulees hydraulique hydrauliques electrique electriques mobile mobiles fixe fixes lisse vibrant vibrante chenille chenilles pneu pneus roues bille tandem simple double
    loue louee loues louees location propre propres
    entreprise flotte parc materiel materiels engin engins machine machines vehicule vehicules unite unites auxiliaire soutien production lourds
    marque marques modele modeles type types classe serie numero numeros plaque plaques immatriculation annee nom noms code interne
    tonne tonnes metre metres cube cubes t kw ch
    sterile steriles minerai roche pierre calcaire granit sable gravier gravillons charbon argile terre terres materiau materiaux beton enrobe enrobes poussiere poussieres granulats tout venant produit produits
    piste pistes rampe front fronts gradin gradins banc stock stocks remblai deblai plateforme installation cour atelier base niveau niveaux secteur zone chantier carriere mine fosse decharge silo abattage chargement roulage transport arrosage nettoyage entretien extraction
    reparation panne revision attente piece pieces moteur boite godet godets lame flexible pneumatique pompe filtre huile marteau brise fuite
    poste postes equipe equipes conducteur conducteurs chauffeur chauffeurs mecanicien mecaniciens personnel
    bonjour salut merci cordialement ok alors donc oui bien slt`,
  de: `chef leute jungs kollegen zusammen
    dient versorgt reinigt raumt fullt kippt zieht hebt spruht lackiert gekaufte angeschafft gebaut uberholt komplett vollstandig einschliesslich besteht bestehend umfasst zustandig verantwortlich gleich gleiche ublich taglicher ziemlich sehr gut gute guten guter wirklich klar allerdings wahrend wenns tur dach seite farbe ferngesteuert autonom markiert beschriftet reserve hinterm vorm tabelle daten ladend sprengung sprengen bohren brechen sieben waschen versand verkaufsburo buros unterkunft folgendes ein aus mit gesamten fruh spat fruhschicht spatschicht nachtschicht tagschicht maschinenpark geratepark bestand umfang ausserdem darunter davon jeweils samt nebst
    getriebe kuhler turbo anlasser lichtmaschine batterie batterien bolzen zahne schneide laufwerk dichtung platt reifenschaden scheibe spiegel lichter kamera funk gps inklusive einschliesslich einschl inkl leihgerat leihgerate mietmaschine achse widerlager los lose abschnitt massnahme bieter setzt folgender inventar inv ec inventarnr pers verlader verladen verladung bauwerk leitungsgraben kanal kanalbau
    aufm aufn vom ham gekennzeichnet bezeichnet vermerk dienen haltet halten unsre
    ebenso ebenfalls weitere weiterer weiteren weiteres weiterhin schon bereits immer rest restlichen ubrigen erste ersten erster zweite zweiten zweiter dritte dritter siehe datum woche monat stunde stunden uhr zeit moment teil sache sachen ort orte stelle stellen angabe angaben details information informationen ubersicht betreff sehr geehrte damen herren freundliche freundlichen anbei beigefugt hiermit vertrag projekt ausfuhrung arbeiten besteht bestehen umfasst umfassen enthalt gehoren zahlt zahlen dann danach folgen folgt einsatz untertage tunnel stollen schacht strecke querschlag erdbau aushub graben leitung entwasserung damm becken teich waage buro kantine eingang einfahrt tor silo silos bunker band forderband lagerplatz container mehr dabei davon daran dafur damit nun jedoch selbst selber ganz ganze ganzen etwas viel bisschen uns euch ihnen vor beim baugrube personal stand aufm aufn fahrzeugpark maschinenpark
    der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen hier da dort wir unser unsere unserer unserem unseren ich mein meine sie er es ihr ihre ihm man uns sich
    und oder in im an am auf bei beim mit von vom zu zum zur fur aus uber unter neben hinter vor zwischen nach um als durch je pro
    ist sind sein hat haben habe hats gibts gibt
    alle alles allen beide beiden jeder jede jedes nur auch noch dazu insgesamt zusammen gesamt ausserdem folgende folgenden folgendes unten liste und zwar namlich wie welche welcher was wer wo
    arbeitet arbeiten lauft laufen fahrt fahren steht stehen liegt liegen nutzen nutzt benutzen betreibt betreiben ladt laden beladt beladen grabt graben schiebt schieben bohrt bohren bricht siebt walzt verdichtet verdichten planiert bewassert transportiert transportieren fordert fordern macht machen geht gehen hangt dient dienen heisst heissen befindet befinden gehort bleibt bleiben sitzt
    zugeordnet eingesetzt zugewiesen stationiert abgestellt geparkt ausgestattet ausgerustet montiert einsatzbereit verfugbar betriebsbereit aktiv vorhanden
    aktuell derzeit jetzt heute momentan zurzeit zur zeit normalerweise immer meistens haupt haupts tag nacht
    neu neue neuen neuer neues alt alte alten alter altes gross grosse grossen grosser grosses klein kleine kleinen kleiner kleines mittel mittlere mittlerer schwer schwere schweren leicht leichte lang lange hoch tief mini
    rot rote roten gelb gelbe gelben blau blaue grun grune weiss weisse schwarz schwarze orange grau nord sud ost west nordlich sudlich ostlich westlich links rechts vorne hinten oben unten
    starr starre starren knickgelenkt knickgelenkte knickgelenkter hydraulisch hydraulische elektrisch elektrische mobil mobile mobiler stationar fest raupen rad ketten kettenfahrwerk radern glatt glattmantel vibrierend tandem einfach doppelt
    gemietet gemietete gemieteter mietgerat mietgerate miete eigen eigene eigenen eigener
    firma fuhrpark flotte park maschine maschinen gerat gerate geraten fahrzeug fahrzeuge einheit einheiten anlage anlagen hilfsgerate produktion betrieb
    marke hersteller fabrikat modell modelle typ typen art klasse serie seriennummer nummer nummern kennzeichen baujahr jahr name namen code kennung geratenummer bezeichnung
    tonne tonnen t to meter kubik kubikmeter kw ps
    abraum erz gestein stein kalkstein granit sand kies schotter kohle ton lehm erde boden material beton asphalt staub haufwerk splitt produkt
    weg wege fahrweg fahrwege rampe strosse sohle halde halden lager platz hof werkstatt ebene ort vorort abschnitt bereich zone baustelle steinbruch grube bruch werk wand bereiche einsatzort einsatzorte wegebau fahrwegunterhaltung betankung gewinnung verladung
    reparatur wartung defekt defekte kaputt warten wartet ersatzteil ersatzteile ersatzteilen motor getriebe schaufel loffel schild schlauch reifen kette pumpe filter ol hammer meissel kardanwelle leck teile
    schicht schichten kolonne mannschaft fahrer maschinist schlosser mechaniker personal leute
    hallo moin servus guten morgen tag grusse gruss danke ok also so ja gut mal eben halt`,
};

/** Verbs that say that a machine is here and works. A part of a sentence with such a verb speaks for itself. */
const PRESENT: Readonly<Record<Language, string>> = {
  en: 'is are am has have got s re run runs running operate operates operating operated work works working use uses used keep keeps stand stands sit sits park parked stay stays live lives dig digs load loads haul hauls carry carries feed feeds push pushes spread spreads drill drills bore bores crush crushes move moves maintain maintains cover covers do go goes belong',
  es: 'es son esta estan hay tiene tienen tenemos tengo cuenta cuentan contamos dispone disponemos disponen posee llevan lleva trabaja trabajan trabajando opera operan usa usan usamos anda andan corre mueve mueven carga cargan acarrea acarrean transporta transportan excava excavan empuja empujan perfora perforan riega riegan tritura alimenta atiende atienden hace hacen va van queda quedan sirve sirven sigue siguen',
  pt: 'é sao esta estao ha tem temos tenho dispomos conta contamos possui possuimos fica ficam ta tao trabalha trabalham opera operam usa usam usamos anda andam roda rodam rodando carrega carregam transporta transportam escava escavam empurra perfura molha rega alimenta atende faz fazem vai vao puxa puxam serve servem',
  fr: 'est sont a ont avons dispose disposons possede compte comptons travaille travaillent travaillons opere utilise utilisons tourne tournent roule roulent charge chargent transporte creuse pousse fore arrose alimente dessert fait font va vont sert servent reste restent trouve trouvent',
  de: 'ist sind hat haben arbeitet arbeiten lauft laufen fahrt fahren steht stehen liegt liegen nutzen betreibt betreiben ladt laden grabt schiebt bohrt bricht walzt macht machen bleibt bleiben befindet befinden sitzt dient',
};

const wordsOf = (list: string): ReadonlySet<string> =>
  new Set(list.split(/\s+/).map((word) => (word === 'é' ? word : fold(word))));
const setsOf = (lists: Readonly<Record<Language, string>>): Readonly<Record<Language, ReadonlySet<string>>> => ({
  en: wordsOf(lists.en),
  es: wordsOf(lists.es),
  pt: wordsOf(lists.pt),
  fr: wordsOf(lists.fr),
  de: wordsOf(lists.de),
});
const PLAIN_SETS = setsOf(PLAIN);
const WORK_SETS = setsOf(WORK_WORDS);
const PRESENT_SETS = setsOf(PRESENT);

/** Shorter words have no endings that the table leaves out. */
const SHORT = 4;
const ENDINGS: Readonly<Record<Language, readonly string[]>> = {
  en: ['s', 'ing'],
  es: ['s', 'es', 'r', 'n', 'ndo', 'mos'],
  pt: ['s', 'es', 'r', 'm', 'ndo', 'mos'],
  fr: ['s', 'e', 'es', 'x', 'r', 'nt'],
  de: ['e', 'n', 'en', 'er', 'es', 'em', 's'],
};

/** True for a word that does not change whether a machine is there. */
export function isPlain(language: Language, key: string): boolean {
  const has = (word: string) => PLAIN_SETS[language].has(word) || WORK_SETS[language].has(word);
  if (has(key)) return true;
  return key.length > SHORT && ENDINGS[language].some((end) => key.endsWith(end) && has(key.slice(0, -end.length)));
}

/** The last parts of German compounds that are parts, tools, materials, work or ground: `Anbauhammer`, `Fahrwegpflege`. */
const HEADS =
  /.{3}(hammer|schaufel|löffel|klappe|ausleger|stiel|motor|pumpe|filter|reifen|kette|ketten|fahrwerk|halle|platz|weg|wege|straße|strasse|tor|anlage|bau|arbeiten|arbeit|pflege|betrieb|wand|rampe|lager|bunker|silo|band|wasser|sand|stein|steine|kies|schotter|splitt|boden|material|teil|teile|zeit|woche|personal|gerät|geräte|seite|ende|ecke|hof|büro|raum|container|tank|kabine|schaden|riss|wechsel|prüfung|wartung|reparatur|leck|bruchwand|haufwerk|fels|schild|zange|greifer|zylinder|ventil|schlauch|leitung|heizung|kühlung|steuerung|hydraulik|elektrik|elektronik|umbau|aushub|graben|gräben|grube|kanal|becken|damm|böschung|böschungen|einsatz|transport|verladung|beladung|reinigung|bewässerung|befeuchtung|zerkleinerung|gewinnung|aufbereitung|förderung|masse|massen|schnitt|schicht|stufe|ebene|zone|bereich|abschnitt|punkt|station|fläche|flächen|feld|gelände|rand|kante|kopf|fuß|fuss)(e|n|s|en|es)?$/iu;
/** The first parts of compounds that say that the machine or the place is not ours, or not yet. */
const AWAY =
  /^(nachbar|schwester|stamm|fremd|kunden|händler|leih|vorführ|probe|ersatz|museum|miniatur|spielzeug|wunsch|plan|soll|ziel|bestell|liefer|rückgabe|verkauf|auktion|schrott|alt|vor|zukunft|reserve)/iu;
/** True for a German compound whose last part says nothing about whether a machine is there. */
export const isCompoundOfWork = (word: string): boolean =>
  /^\p{Lu}/u.test(word) && HEADS.test(word) && !AWAY.test(word);

export const isPresentVerb = (language: Language, key: string): boolean => PRESENT_SETS[language].has(key);

/** Words for hire. A name behind them and a preposition is the firm that the machine is hired from. */
const HIRE = new Set(
  'hire hired rent renting loc rental rented lease leased alquilado alquilada alquilados alquiladas alquiler alquilamos rentado rentada rentados rentadas renta arrendado arrendada arriendo alugado alugada alugados alugadas aluguel aluguer locado locada locacao loue louee loues louees location gemietet gemietete miete mietgerat mietgerate'.split(
    ' ',
  ),
);
export const isHire = (key: string): boolean => HIRE.has(key);
const FROM = new Set('from by de a da do du chez von bei aus com con'.split(' '));
export const isFrom = (key: string): boolean => FROM.has(key);
const RELATIVE = new Set('which that who que qui quien der die das ( - , the'.split(' '));
export const isRelative = (key: string): boolean => RELATIVE.has(key);

/** `pipa tem 1`, `Dumper haben wir 2`, `cribas hay 2`: a count stands behind these words. */
const HAVE = new Set(
  'tem temos tenho tiene tienen tenemos hay ha gibt gibts hat haben hab have has got avons'.split(' '),
);
export const isHave = (key: string): boolean => HAVE.has(key);

/** `room for six dozers`, `near a crane`: what stands behind these words is not counted. */
const FOR = new Set('for fur para pour neben hinter near behind beside'.split(' '));
export const isFor = (key: string): boolean => FOR.has(key);
const NEAR = new Set('next close junto cerca perto lado pres cote derriere detras atras'.split(' '));
export const isNear = (key: string): boolean => NEAR.has(key);
/** `each loader fills three trucks`: what is filled is not counted. */
const FILLING = new Set(
  'fill fills load loads feed feeds serve serves pull pulls fullt fullen ladt laden beladt beladen llena llenan carga cargan alimenta alimentan atiende atienden enche enchem carrega carregam abastece abastecem remplit remplissent charge chargent alimente alimentent dessert'.split(
    ' ',
  ),
);
export const isFilling = (key: string): boolean => FILLING.has(key);

/** Labels of numbers that are no machines: orders, permits, drawings. */
const LABELS = new Set(
  'po job permit invoice ref order ticket contract wo rfq section chainage dwg drawing page item ext room gate bay contrato pedido factura orden permiso plano pagina sala ramal licenca nota obra auftrag bestellung rechnung seite zeichnung genehmigung raum commande facture marche permis plan salle poste'.split(
    ' ',
  ),
);
export const isLabel = (key: string): boolean => LABELS.has(key);
