/** Words of time, shifts, crews, people and screens in the five languages. */
import type { BoardTopic } from '#contract/site/setup-plan.ts';
import { phrases } from './phrases.ts';

export type Topic = BoardTopic;

export const SHIFT_NAMES = phrases<true>([
  [
    true,
    "day shift|night shift|dayshift|nightshift|days|nights|day|night|early shift|late shift|early|late|morning shift|afternoon shift|evening shift|morning|afternoon|evening|back shift|swing shift|graveyard shift|graveyard|arvo shift|earlies|lates|turno de día|turno día|turno de noche|turno noche|turno de mañana|turno mañana|turno de tarde|turno tarde|turno de la mañana|turno de la tarde|turno de la noche|mañana|tarde|noche|día|turno diurno|turno nocturno|diurno|nocturno|madrugada|turno de madrugada|primer turno|segundo turno|tercer turno|primera|segunda|turno da manhã|turno da tarde|turno da noite|turno da madrugada|turno de dia|turno de noite|manhã|noite|turno noturno|noturno|turno do dia|primeiro turno|primer relevo|segundo relevo|tercer relevo|first shift|second shift|third shift|1er poste|2e poste|3e poste|erste schicht|zweite schicht|dritte schicht|terceiro turno|administrativo|poste du matin|poste d'après-midi|poste de l'après-midi|poste de nuit|poste de jour|quart de jour|quart de nuit|quart de soir|équipe du matin|équipe d'après-midi|équipe de l'après-midi|équipe de nuit|équipe de jour|matin|après-midi|nuit|jour|soir|journée|poste de journée|frühschicht|spätschicht|nachtschicht|tagschicht|mittagschicht|früh|spät|nacht|tag|mittag|frühdienst|spätdienst|nachtdienst|normalschicht|tagesschicht|früh- schicht|wechselschicht|mittagsschicht|turno intermedio|día y noche",
  ],
]);
/** `Turno A`, `Schicht 1`: a word and a letter or number. */
export const SHIFT_WORDS = phrases<true>([[true, 'shift|turno|schicht|poste|quart|relevo|équipe|jornada|horario']]);
export const CREW_WORDS = phrases<true>([
  [
    true,
    'crew|guardia|cuadrilla|turma|équipe|kolonne|panel|roster|team|gang|grupo|equipo|equipa|brigade|mannschaft|trupp|schicht|turno|rotation|squad|platoon|grupo de trabajo|pelotón|quart|poste|bauteam',
  ],
]);

export type Role = 'operator' | 'mechanic' | 'other';
export const ROLE_WORDS = phrases<Role>([
  [
    'operator',
    "operator|operater|machine operator|plant operator|driver|truck driver|loader driver|excavator driver|digger driver|dozer driver|driller|drivers and operators|crusher attendant|crusher operator|crusher man|hauler|operador|operadora|operadores de equipo|operador de equipo pesado|operador de equipo|maquinista|conductor|conductora|chofer|chófer|camionero|volquetero|palista|palero|gruista|perforista|perforador|operador de excavadora|operario de máquina|operario|triturador|motorista|operador de máquina|operador de máquinas|manobrador|condutor|condutor manobrador|perfurador|marteleiro|tratorista|opérateur|opératrice|opérateur de machine|conducteur|conductrice|conducteur d'engins|conducteur d'engin|conductrice d'engins|chauffeur|pilote|foreur|pelleur|grutier|machiniste|fahrer|fahrerin|maschinist|maschinistin|baggerfahrer|baggerführer|radladerfahrer|kipperfahrer|lkw-fahrer|geräteführer|maschinenführer|maschinenführerin|kraftfahrer|bohrmeister|bohrist|kranführer|skw-fahrer|walzenfahrer|raupenfahrer|brecherfahrer|brecherwart|anlagenfahrer|kranführerin|baggerführerin|geräteführerin|maschinenführerin|*fahrer|*fahrerin|*führer|operators and drivers|opérateurs d'engins",
  ],
  [
    'mechanic',
    'mechanic|mechnic|mecanic|fitter|maintenance|maintenance crew|maintenance team|electrician|auto electrician|greaser|serviceman|boilermaker|welder|head mechanic|lead mechanic|chief mechanic|diesel fitter|heavy diesel fitter|maintenance fitter|mecánico|mecánica|mecánico de turno|mecánicos de guardia|mecánico jefe|jefe mecánico|jefe de mecánicos|mantención|mantenimiento|mantenedor|electricista|electromecánico|engrasador|lubricador|soldador|mecânico|mecânica|mecânicos de plantão|manutenção|mecânico chefe|eletricista|electricista|lubrificador|soldador|borracheiro|mecânico-chefe|mécanicien|mécano|mécanos|mécanicienne|chef mécanicien|maintenance|électricien|électromécanicien|graisseur|soudeur|atelier mécanique|mechaniker|mechanikerin|schlosser|schlosserin|elektriker|elektrikerin|instandhaltung|instandhalter|instandhalterin|wartung|mechatroniker|landmaschinenmechaniker|schweißer|betriebsschlosser|baumaschinenmechaniker|chefmechaniker|werkstattmeister|schmierer|*schlosser|*mechaniker|*elektriker|monteur|monteure|servicetechniker|llantero|vulcanizador|spanner|fix stuff|fixes stuff|fixes things',
  ],
  [
    'other',
    "manager|maintenance planner|maintenance manager|maintenance supervisor|maintenance superintendent|quarry manager|mine manager|site manager|foreman|foremen|supervisor|shift boss|shift supervisor|superintendent|engineer|dispatcher|director|surveyor|geologist|planner|owner|contact|safety officer|administrator|clerk|leading hand|pit boss|pit supervisor|team leader|office|shotfirer|production manager|jefe|jefe de guardia|jefe de turno|jefe de mina|jefe de obra|jefa|capataz|encargado|encargada|gerente|directora|ingeniero|ingeniera|residente de obra|residente|despachador|despachadora|topógrafo|administrativo|supervisora|contacto|caporal|mayordomo|director facultativo|chefe|chefe de turma|chefe de turno|encarregado|encarregada|engenheiro|engenheira|gerente de mina|despachante|técnico de segurança|topógrafa|apontador|mestre de obras|líder|chef|chef de carrière|chef d'équipe|chef de poste|chef de chantier|chef de quart|contremaître|directrice|directeur|ingénieur|conducteur de travaux|conductrice de travaux|contremaîtresse|répartiteur|géomètre|responsable|patron|gérant|betriebsleiter|betriebsleiterin|polier|bauleiter|bauleiterin|steiger|steigerin|schichtführer|schichtleiter|vorarbeiter|meister|disponent|disponentin|geschäftsführer|leiter|chef|ingenieur|dispatcherin|ansprechpartner|vermesser|kolonnenführer|sprengmeister|obersteiger|schichtmeister|reviersteiger|bauführer|*leiter|*leiterin|*meister|capo",
  ],
]);

/** Words before a number of a person. */
export const BADGE_WORDS = phrases<'badge' | 'number'>([
  [
    'badge',
    'badge|badge no|badge id|badge no.|badge number|id card|card|tarjeta|fotocheck|credencial|tarjeta n°|crachá|cartão|badge n°|carte|ausweis|ausweisnummer|ausweis-nr|ausweis nr|chip|transponder|gafete|ficha de acceso|tag|n° de badge|badge num|carnet|carné',
  ],
  [
    'number',
    'employee|employee no|employee no.|employee number|emp|emp no|emp.|staff no|staff number|payroll|payroll no|payroll number|legajo|matrícula|mat|ficha|nómina|número de empleado|no. de empleado|n° de empleado|n° empleado|código|legajo n°|rut|chapa|registro|n° mecanográfico|mecanográfico|nº mecanográfico|número mecanográfico|re|matricule|mle|n° matricule|personalnummer|personal-nr|personalnr|pers.-nr|pers-nr|pers.nr|stammnummer|mitarbeiternummer|pn|funcionário',
  ],
]);

export const DAYS = phrases<number>([
  [0, 'monday|mondays|mon|lunes|lun|segunda|segunda-feira|seg|lundi|lun|montag|montags|mo'],
  [1, 'tuesday|tue|tues|martes|mar|terça|terça-feira|ter|mardi|dienstag|dienstags|di'],
  [2, 'wednesday|wed|weds|miércoles|mié|mie|quarta|quarta-feira|qua|mercredi|mittwoch|mittwochs|mi'],
  [3, 'thursday|thu|thur|thurs|jueves|jue|quinta|quinta-feira|qui|jeudi|donnerstag|donnerstags|do'],
  [4, 'friday|fri|viernes|vie|sexta|sexta-feira|sex|vendredi|freitag|freitags|fr'],
  [5, 'saturday|sat|sábado|sáb|samedi|sam|samstag|samstags|sa|sonnabend|sonnabends'],
  [6, 'sunday|sun|domingo|dom|dimanche|dim|sonntag|sonntags|so'],
]);
export const WEEKEND = phrases<true>([
  [
    true,
    'weekend|weekends|week-end|week-ends|fin de semana|fines de semana|fim de semana|fins de semana|fins-de-semana|wochenende|wochenenden|am wochenende|finde|findes',
  ],
]);
export const NO_DAY_WORDS = phrases<readonly number[]>([
  [[5], 'samstagsarbeit|saturday work|trabajo los sábados'],
  [[6], 'sonntagsarbeit|sunday work'],
  [[5, 6], 'wochenendarbeit|weekend work'],
]);

export const SCREEN_WORDS = phrases<true>([
  [
    true,
    'screen|display|monitor|tv|tv screen|tvs|telly|dashboard|board|big screen|wallboard|info screen|pantalla|pantallas|tele|televisor|televisión|monitor|tablero|panel|tela|telas|televisão|tv na|painel|ecrã|écran|écrans|télé|téléviseur|télévision|moniteur|affichage|tableau de bord|bildschirm|bildschirme|monitore|fernseher|anzeige|anzeigetafel|infobildschirm|dashboard|tafel|großbildschirm|display|afficher|affichez|anzeigen|screens|ecrãs',
  ],
]);
export const TOPIC_WORDS = phrases<Topic>([
  [
    'status',
    "machine status|status|state of the machines|machines and their status|machine list|list of machines|which machines are running|what is running|what's running|which trucks are running|running or stopped|live status|machines running|machine states|fleet status|estado de las máquinas|estado de los equipos|estado de la flota|estado de máquinas|estado|las máquinas|los equipos|lista de máquinas|qué máquinas están|status das máquinas|estado das máquinas|status dos equipamentos|estado dos equipamentos|situação das máquinas|status da frota|lista de máquinas|as máquinas|máquinas rodando|máquinas paradas|état des machines|état des engins|état du parc|état de la flotte|liste des machines|liste des engins|les machines|les engins|statut des machines|maschinenstatus|status der maschinen|zustand der maschinen|maschinenzustand|gerätestatus|maschinenliste|maschinenübersicht|übersicht der maschinen|übersicht der geräte|überblick über die maschinen|overview of the machines|machines overview|fleet overview|resumen de la flota|resumen de las máquinas|panorama de la flota|visão geral da frota|visão geral das máquinas|situação dos equipamentos|vue d'ensemble|qué equipos están|quais máquinas|quelles machines|what each machine|which machines|welche geräte|status der geräte|alle maschinen|welche maschinen laufen|who is running|machine state|status der flotte|estado operativo|fahrzeugstatus|machine overview",
  ],
  [
    'map',
    'standort der maschinen|standorte der maschinen|position der maschinen|posição das máquinas|posição dos equipamentos|localização das máquinas|posición de las máquinas|posición de los equipos|ubicación de los equipos|ubicación de la flota|emplacement des engins|emplacement des machines|where each|where machines are|map|site map|a map|location of the machines|where the machines are|where everything is|where everyone is|where the trucks are|positions|mapa|plano|ubicación de las máquinas|dónde están|posición de|posiciones|mapa da mina|localização|onde estão|carte|plan du site|position des|positions des|localisation|où sont|karte|lageplan|standorte der|positionen|wo die maschinen|wo die maschinen sind|kartenansicht|übersichtskarte',
  ],
  [
    'tickets',
    'repair ticket|repair tickets|open repair tickets|tickets|ticket|repairs|open repairs|work orders|work order|repair jobs|open jobs|defects|repair list|open defects|defect list|defekte|offene defekte|offenen reparaturen|offenen defekte|schäden|offene schäden|averías pendientes|reparaciones pendientes|trabajos de taller|pendências da oficina|manutenções abertas|ordens de manutenção|défauts ouverts|pannes ouvertes|órdenes de reparación|órdenes de trabajo|órdenes|reparaciones|reparación|reparaciones abiertas|averías abiertas|ordens de serviço|ordens de reparo|ordens abertas|os abertas|reparos|reparações|chamados|consertos|tickets de réparation|réparations|réparation|bons de travail|ordres de travail|interventions|demandes de réparation|dépannages|reparaturen|reparaturaufträge|reparaturtickets|offene reparaturen|werkstattaufträge|reparaturauftrag|instandsetzungen|mängel',
  ],
  [
    'alerts',
    'alerts|alert|alarms|alarm|faults|active faults|warnings|fault codes|warning lights|alertas|alerta|avisos|avisos activos|alarmas|fallas|fallos|averías|códigos de falla|alarmes|alarmes|avisos|falhas|avarias|alertes|alarmes|défauts|pannes|avertissements|codes défaut|störungen|störung|alarme|warnungen|meldungen|störmeldungen|fehlermeldungen|fehler|fehlercodes|alarmmeldungen',
  ],
  [
    'shift',
    'shift progress|progress of the shift|shift|current shift|shift report|shift status|who is on shift|shift handover|how the shift is going|avance del turno|turno|turno actual|progreso del turno|andamento do turno|turno atual|avanço do turno|progresso do turno|resumo do turno|avancement du poste|avancement du quart|poste en cours|quart en cours|poste|quart|suivi du poste|schichtfortschritt|schicht|aktuelle schicht|schichtstand|schichtverlauf|laufende schicht|schichtbericht|schichtübersicht|stand der schicht|resumen del turno|équipe en cours',
  ],
  [
    'fuel',
    'fuel|fuel levels|fuel level|fuel use|fuel consumption|diesel|tank levels|combustible|consumo de combustible|nivel de combustible|gasoil|niveles de combustible|petróleo|combustível|consumo de combustível|nível de combustível|níveis de combustível|gasóleo|carburant|consommation de carburant|niveaux de carburant|niveau de carburant|gasoil|gazole|gnr|kraftstoff|kraftstoffverbrauch|dieselverbrauch|tankfüllung|tankstand|tankstände|füllstände|tankinhalt|spritverbrauch|dieselstand|dieselstände|tankstand|diesel levels|consommation',
  ],
  [
    'hours',
    'engine hours|operating hours|hour meter|hour meters|hours|run hours|service hours|machine hours|horas|horas de motor|horómetro|horómetros|horas de operación|horas trabajadas|horas de trabajo|horímetro|horímetros|horas de operação|horas trabalhadas|heures|heures moteur|heures de marche|compteurs horaires|horamètre|horamètres|heures de fonctionnement|betriebsstunden|stunden|motorstunden|laufzeiten|stundenzähler',
  ],
  [
    'utilization',
    "utilization|utilisation|machine utilization|availability|idle time|idling|who idles|usage|utilización|disponibilidad|aprovechamiento|ralentí|tiempo en ralentí|utilização|disponibilidade|ociosidade|marcha lenta|taux d'utilisation|disponibilité|temps de ralenti|auslastung|verfügbarkeit|leerlauf|leerlaufzeiten|nutzungsgrad",
  ],
  [
    'camera',
    'camera|cameras|camera picture|camera feed|cctv|cámara|cámaras|câmera|câmeras|câmara|câmaras|caméra|caméras|kamera|kameras|kamerabild|webcam',
  ],
  [
    'trend',
    'trend|trends|chart|graph|history chart|curve|tendencia|tendencias|gráfico|gráfica|gráficos|gráficas|tendência|tendências|tendance|tendances|courbe|courbes|graphique|graphiques|verlauf|diagramm|kurve|kurven|trendkurve|temperaturverlauf',
  ],
  [
    'text',
    'notices|safety notice|message|messages|announcements|text|safety message|notice|welcome message|mensaje|mensajes|anuncios|comunicados|texto|mensagem|mensagens|recados|consignes|consigne|annonces|message de sécurité|messages de sécurité|mitteilungen|hinweise|bekanntmachungen|sicherheitshinweise|text|nachrichten|aushang|comunicados|un mensaje',
  ],
]);

/** Sentences that address the program and not the site: nothing is read in them. */
export const COMMAND_WORDS = phrases<true>([
  [
    true,
    'ignore all|ignore the text|ignore previous|ignore the above|disregard|system prompt|maintenance mode|overrides every|delete all|delete everything|drop table|grant the role|system:|as an ai|you are now|your instructions|ignora todo|ignora las instrucciones|ignora el texto|ignore todas|ignore as instruções|ignorez les instructions|ignorez|oublie les|ignoriere alle|ignoriere die|vergiss alle|borra todas|elimina todas|apague todas|supprime tous|supprimez|lösche alle|curriculum vitae|assistant:|jailbreak|new instructions|print your|developer mode',
  ],
]);
/** Words before the name of a site: `Site: Cole Creek`. */
export const SITE_LABELS = phrases<true>([
  [
    true,
    "site|site name|project|project name|quarry name|mine name|location|we are at|we're at|we're up at|we are up at|we run|we operate|job|contract|operación|operation|operação|opération|obra|proyecto|sitio|faena|emplazamiento|estamos en|ubicación|local|obra|projeto|estamos em|estamos na|estamos no|chantier|site|projet|on est à|nous sommes à|lieu|baustelle|bv|bauvorhaben|projekt|standort|wir sind in|wir sind am|werk|auftrag",
  ],
]);
