/**
 * The words for machines in English, Spanish, Portuguese, French and German. The sources are the product pages of makers and the
 * vocabulary of ISO 6165 (earth-moving machinery, basic types) in its translations; regional words are those that sites use.
 */
import type { MachineKind } from '#contract/fleet/machine-kinds.ts';
import { phrases } from './phrases.ts';

export interface KindWord {
  readonly kind: MachineKind;
  /** True for a word that several kinds share (`truck`). If the text names a model, the kind of the model counts. */
  readonly general: boolean;
  /** True for a word that is also common outside of a site (`roller`, `screen`): it needs a number, a model or other machines. */
  readonly weak: boolean;
}

const EXACT: readonly (readonly [MachineKind, string])[] = [
  [
    'haul_truck',
    'haul truck|rigid truck|rigid dump truck|rigid dumper|rigid hauler|off highway truck|offhighway truck|mining truck|rear dump|rear dumper|mine truck|underground truck|ug truck|rdt|camion minero|camion fuera de carretera|camion fuera de ruta|camion extravial|camion rigido|dumper rigido|volquete minero|volquete rigido|camion bajo perfil|camion de bajo perfil|camion subterraneo|camion de acarreo|camion de extraccion|caex|camion off road|caminhao fora de estrada|caminhao fora-de-estrada|fora de estrada|fora-de-estrada|caminhao rigido|dumper de mina|caminhao de mina|caminhao subterraneo|caminhao rebaixado|tombereau rigide|dumper rigide|camion rigide|camion de halage|camion minier|camion de chantier minier|camion souterrain|starrer muldenkipper|starrer dumper|starrkipper|starrrahmenkipper|starrahmenkipper|skw|schwerkraftwagen|schwerlastkipper|untertage-lkw|untertagekipper',
  ],
  [
    'articulated_truck',
    'articulated truck|articulated dump truck|articulated dumper|articulated hauler|artic dump truck|artic|adt|arctic dump truck|dumper articulado|camion articulado|camiao articulado|dumpers articulados|volquete articulado|caminhao articulado|tombereau articule|dumper articule|camion articule|knickgelenkter dumper|knickgelenkter muldenkipper|knickgelenkdumper|knickdumper|knicklenker|dumper knickgelenkt|gelenkdumper|gelenkmuldenkipper|knickgelenkter kipper',
  ],
  [
    'site_dumper',
    'site dumper|forward tipper|forward tipping dumper|swivel dumper|skip dumper|minidumper|mini dumper|dumper autocargable|minidumper|motodumper|motobasculeur|mini-dumper|minidumper|vorderkipper|kompaktdumper|raddumper|autodumper|dumper de obra|dumper de chantier',
  ],
  [
    'tipper_truck',
    'tipper truck|tipper|tipper lorry|lorry|8 wheeler|eight wheeler|wagon tipper|tri axle|road truck|camion volteo|camion de volteo|volteo|camion volquete|camion volcador|volcador|camion batea|volqueta|bañera|camion bañera|camion tolva|tolva|dumper de carretera|camion basculante|camion de carretera|volquete|caminhao basculante|caminhao caçamba|caçamba|basculante|caminhao traçado|camiao basculante|camiao|camion benne|camion-benne|benne|camion 6x4|camion 8x4|semi benne|camion basculeur|polybenne|lkw|kipper-lkw|kipper|dreiseitenkipper|vierachser|dreiachser|sattelkipper|lastwagen|sattelzug',
  ],
  [
    'excavator',
    'excavator|digger|360 excavator|360 digger|hydraulic shovel|mining shovel|face shovel|rope shovel|electric shovel|front shovel|shovel|hydraulic excavator|mini excavator|mini digger|minidigger|midi excavator|wheeled excavator|long reach|long reach excavator|backhoe excavator|dragline|drag line|excavadora|excavadora de orugas|excavadora de ruedas|excavadora giratoria|giratoria|pala hidraulica|pala electrica|pala mecanica|pala de cables|miniexcavadora|mini excavadora|retroexcavadora de cadenas|retroexcavadora de orugas|retro de cadenas|retro de orugas|mixta de cadenas|retroexcavadora giratoria|retro giratoria|excavadora hidraulica|dragalina|escavadeira|escavadeira hidraulica|escavadora|giratoria|escavadora giratoria|escavadora de rastos|escavadora de rodas|pa hidraulica|pa eletrica|miniescavadeira|mini escavadeira|miniescavadora|mini-escavadora|mini giratoria|pelle|pelle hydraulique|pelle sur chenilles|pelle a chenilles|pelle sur pneus|pelle a pneus|pelle mecanique|pelle a cables|pelle electrique|pelleteuse|excavatrice|mini-pelle|minipelle|mini pelle|pelle long bras|pelle araignee|*bagger|bagger',
  ],
  [
    'wheel_loader',
    'wheel loader|wheeled loader|pás carregadoras|pás carregadeiras|trax à pneus|trax a pneus|trax sur pneus|chargeur frontal|front end loader|front-end loader|fel|loading shovel|payloader|pay loader|cargador frontal|cargadora frontal|cargador de ruedas|cargadora de ruedas|pala cargadora|cargadora|payloader|carregadeira|pa carregadeira|pa-carregadeira|carregadeira de rodas|pa carregadora|carregadora|pa carregadora de rodas|pa carregadora de pneus|chargeuse|chargeuse sur pneus|chargeur|chargeuse a pneus|chargeur sur roues|chargeuse sur roues|chargeur sur pneus|radlader|schaufellader|pneulader',
  ],
  [
    'track_loader',
    'track loader|tracked loader|traxcavo|traxcavator|trax à chenilles|trax a chenilles|crawler loader|traxcavator|cargadora de orugas|cargadora de cadenas|pala cargadora de cadenas|pala de cadenas|carregadeira de esteira|carregadora de rastos|chargeuse sur chenilles|chargeuse a chenilles|raupenlader|laderaupe|kettenlader',
  ],
  [
    'backhoe_loader',
    'retro|backhoe loader|backhoe|tlb|retrocargadora|retroexcavadora cargadora|retroexcavadora|retropala|mixta|excavadora mixta|retro mixta|retrocargador|retroescavadeira|retroescavadora|retro-escavadora|retro-escavadeira|chargeuse-pelleteuse|tractopelle|tracto-pelle|tracto pelle|retrocaveuse|chargeuse pelleteuse|pepine|baggerlader|rückelader',
  ],
  [
    'skid_steer',
    'skid steer|skid steer loader|skid-steer|skid-steer loader|skidsteer|bobcat|compact track loader|minicargador|minicargadora|mini cargador|mini cargadora|minicarregadeira|mini carregadeira|mini-carregadeira|mini pa carregadora|mini chargeuse|mini-chargeuse|minichargeuse|chargeuse compacte|kompaktlader',
  ],
  [
    'telehandler',
    'telehandler|tele handler|telescopic handler|telescopic forklift|loadall|manipulador telescopico|manipuladora telescopica|manipulador|teleporter|empilhador telescopico|multifunçoes|multifunçao|chariot telescopique|telescopique|manuscopique|chargeur telescopique|chariot elevateur telescopique|teleskoplader|teleskopstapler|teleskopradlader|teletruk',
  ],
  [
    'dozer',
    'dozer|bulldozer|track dozer|tracked dozer|wheel dozer|crawler dozer|tractor de orugas|tractor de oruga|tractor oruga|tractor de cadenas|tractor sobre orugas|buldocer|buldozer|topador|topadora|bulldocer|dozer de ruedas|trator de esteira|trator esteira|trator de lamina|trator de rastos|buldozer|trator de pneus|bouteur|bouteur sur chenilles|bull|boutoir|tracteur a chenilles|tracteur sur chenilles|planierraupe|schubraupe|raupe|dozer|*raupe|raddozer|kettendozer',
  ],
  [
    'grader',
    'moto|grader|motor grader|road grader|motoniveladora|niveladora|motoconformadora|patrol|motoniveladora|patrola|niveleuse|motograder|niveleuse automotrice|motorgrader|wegehobel|straßenhobel',
  ],
  [
    'scraper',
    'scraper|motor scraper|box scraper|motoescrepa|mototrailla|trailla|escreiper|motoscraper|motoscrapeur|decapeuse|scrapeur|schürfzug|schürfkübel|schürfraupe',
  ],
  [
    'roller',
    'vibro|rulo liso|rulo|vibros|compactor|soil compactor|padfoot|pad foot roller|smooth drum roller|drum roller|vibrating roller|vibratory roller|tandem roller|sheepsfoot|compactador|compactadora|vibrocompactador|vibrocompactadora|rodillo|rodillo vibratorio|rodillo compactador|pata de cabra|rolo compactador|rolo|rolo pe de carneiro|rolo liso|cilindro compactador|cilindro|compacteur|rouleau compresseur|rouleau|rouleau vibrant|cylindre|compacteur a pneus|walze|walzenzug|walzenzüge|*walze|verdichter',
  ],
  [
    'drill',
    'drill|drill rig|rigs|blast hole drill|blasthole drill|blasthole rig|jumbo|jumbo drill|drill jumbo|face drill|production drill|longhole drill|top hammer|dth drill|rock drill|perforadora|perforadora rotativa|carro perforador|carro de perforacion|rotaria|perfuratriz|perfuradora|carro de perfuraçao|carreta de perfuraçao|carro perfurador|jumbo de perfuracion|jumbo de perfuraçao|jumbo de foration|foreuse|foreuse sur chenilles|chariot de foration|foration jumbo|wagon drill|sondeuse|bohrgerät|bohrwagen|bohrjumbo|sprenglochbohrgerät|bohrlafette|großbohrgerät|lafettenbohrgerät|bohrraupe',
  ],
  [
    'bolter',
    'bolter|cable bolter|cablebolter|rock bolter|roof bolter|bolting rig|empernador|apernador|emperador de roca|apernadora|bulonadora|atirantador|parafusador de teto|aparafusador|parafusadeira de teto|cavilhador|boulonneuse|boulonneur|ankerbohrwagen|ankersetzgerät|ankerbohrgerät|ankerwagen',
  ],
  [
    'lhd',
    'lhd|lhd loader|scoop|scooptram|scoop tram|bogger|underground loader|load haul dump|scoop lhd|cargador lhd|cargador de bajo perfil|cargador bajo perfil|pala de bajo perfil|cargadora de bajo perfil|cargadora de interior|carregadeira lhd|carregadeira rebaixada|carregadeira subterranea|pa carregadeira subterranea|chargeuse souterraine|chargeuse-navette|chargeuse navette|chargeuse lhd|chargeuse-transporteuse|fahrlader|untertagelader|radlader untertage',
  ],
  [
    'water_truck',
    'water truck|water cart|water bowser|water tanker|water wagon|camion aljibe|aljibe|camion cisterna|cuba de agua|camion cuba|camion de agua|camion de riego|regadora|tanque de agua|camion regador|pipa|pipa de agua|cisterna de agua|caminhao pipa|caminhao-pipa|pipa d agua|carro-pipa|camiao cisterna|cisterna|autotanque de agua|joper|arroseuse|camion-citerne|citerne a eau|camion citerne|camion arroseur|tonne a eau|arroseuse automotrice|camion a eau|camion d eau|wasserwagen|wasserfass|wasser-lkw|berieselungswagen|wassertankwagen|sprühwagen|sprengwagen',
  ],
  [
    'fuel_truck',
    'fuel truck|fuel bowser|diesel bowser|fuel tanker|bowser|fuel cart|fueler|camion de combustible|cisterna de combustible|cisterna de gasoil|camion cisterna de combustible|camion petrolero|camion surtidor|orquesta|caminhao comboio|caminhao-comboio|comboio|caminhao tanque|comboio de lubrificaçao|cisterna de gasoleo|camion ravitailleur|citerne a carburant|camion-citerne a carburant|camion de carburant|ravitailleur|citerne a gasoil|citerne gnr|cuve mobile|tankwagen|tankfahrzeug|betankungsfahrzeug|dieseltankwagen|tank-lkw',
  ],
  [
    'service_truck',
    'service truck|lube truck|service van|mechanic truck|maintenance truck|fitters truck|camion lubricador|camion de servicio|camion taller|camion de lubricacion|lubricador|lubrimovil|caminhao oficina|caminhao de lubrificaçao|caminhao lubrificante|caminhao munck|carrinha oficina|camion atelier|camion de service|camion graisseur|fourgon atelier|camion-atelier|servicewagen|werkstattwagen|schmierwagen|servicefahrzeug',
  ],
  [
    'crusher',
    'groupe mobile de concassage|groupe de concassage|unité mobile de concassage|concasseur mobile|mobile crusher|jaw crusher|cone crusher|impact crusher|impactor|crawler crusher|tracked crusher|machacadora movil|trituradora movil|chancadora movil|machacadora de mandibulas|trituradora de mandibulas|chancadora de mandibulas|chancador movil|britador movel|britador de mandibulas|britador conico|triturador movel|britadeira movel|concasseur mobile|concasseur a machoires|concasseur a percussion|concasseur giratoire mobile|mobilbrecher|backenbrecher|prallbrecher|kegelbrecher|raupenbrecher|brechanlage|mobile brechanlage',
  ],
  [
    'screen',
    'screening plant|mobile screen|mobile screener|screener|scalping screen|scalper|trommel|criba movil|cribadora|criba|zaranda movil|zaranda|peneira movel|peneira|peneira vibratoria|crivo|crivo movel|crible mobile|crible|cribleuse|scalpeur|siebanlage|mobile siebanlage|siebmaschine|sieb|grobstücksieb',
  ],
  [
    'conveyor',
    'conveyor|conveyor belt|belt conveyor|overland conveyor|stacker|cinta transportadora|faja transportadora|banda transportadora|correa transportadora|correia transportadora|transportador de correia|tapete transportador|tapis convoyeur|convoyeur|bande transporteuse|convoyeur a bande|förderband|förderbänder|bandanlage|gurtförderer|haldenband|absetzer',
  ],
  [
    'crane',
    'mobile crane|tower crane|crawler crane|rough terrain crane|all terrain crane|crane truck|lorry loader|hiab|grua|grua movil|grua torre|camion grua|autogrua|grua hidraulica|guindaste|grua movel|caminhao guindaste|camiao grua|grue|grue mobile|grue a tour|grue automotrice|autokran|mobilkran|turmdrehkran|raupenkran|kran|kräne|krane|autokräne|mobilkräne|turmkran|ladekran|crane',
  ],
  [
    'piling_rig',
    'piling rig|piling machine|pile driver|rotary piling rig|piloteadora|pilotadora|perforadora de pilotes|maquina de pilotes|hincadora|bate estacas|bate-estacas|perfuratriz de estacas|maquina de estacas|hélice continua|foreuse de pieux|machine a pieux|batteuse de pieux|sonnette|drehbohrgerät|ramme|rammgerät|pfahlbohrgerät|rammgeräte',
  ],
  [
    'paver',
    'paver|asphalt paver|road paver|pavimentadora|extendedora|finisher|extendedora de asfalto|terminadora de asfalto|finisseur|finisher|finisseur d enrobes|vibroacabadora|pavimentadora de asfalto|fertiger|straßenfertiger|asphaltfertiger|schwarzdeckenfertiger',
  ],
  [
    'milling_machine',
    'milling machine|cold planer|road planer|cold milling machine|fresadora|fresadora de asfalto|perfiladora|recuperadora de caminos|recicladora|fresadora de pavimento|raboteuse|fraiseuse|raboteuse routiere|surface miner|fräse|kaltfräse|straßenfräse|großfräse',
  ],
  [
    'concrete_mixer',
    'concrete mixer|concrete truck|mixer truck|transit mixer|cement mixer|agitator truck|camion hormigonera|hormigonera|camion mezclador|mixer|revolvedora|camion mixer|olla de concreto|trompo|caminhao betoneira|betoneira|autobetoneira|camiao betoneira|camion malaxeur|camion toupie|toupie|betonniere|malaxeur|fahrmischer|betonmischer|transportbetonmischer',
  ],
  [
    'concrete_pump',
    'concrete pump|boom pump|bomba de hormigon|bomba de concreto|bomba de betao|autobomba de hormigon|pompe a beton|betonpumpe|autobetonpumpe',
  ],
  [
    'forklift',
    'forklift|fork lift|forklift truck|carretilla elevadora|montacargas|autoelevador|carretilla|grua horquilla|empilhadeira|empilhador|chariot elevateur|chariot-elevateur|gabelstapler|stapler',
  ],
  [
    'tractor',
    'farm tractor|agricultural tractor|tractor agricola|trator agricola|tracteur agricole|traktor|schlepper|tracteur',
  ],
  [
    'light_vehicle',
    'light vehicle|lv|pickup|pick-up|pick up|ute|4x4|land cruiser|landcruiser|hilux|crew van|jeep|utility vehicle|camioneta|furgoneta|todoterreno|todo terreno|vehiculo liviano|vehiculo ligero|vehiculo liviano|veiculo leve|caminhonete|camionete|picape|carrinha|viatura ligeira|camionnette|vehicule leger|pick-up|fourgonnette|geländewagen|pritschenwagen|pkw|bulli|transporter',
  ],
  [
    'bus',
    'minibus|crew bus|personnel carrier|man carrier|autobus|microbus|buseta|bus de personal|onibus|micro-onibus|autocarro|autocar|navette|mannschaftsbus|mannschaftswagen|bus',
  ],
  [
    'generator',
    'generator|genset|gen set|generating set|grupo electrogeno|grupo gerador|gerador|generador|groupe electrogene|generatrice|stromaggregat|stromerzeuger|notstromaggregat|aggregat',
  ],
  [
    'compressor',
    'compressor|air compressor|compresor|compressor de ar|compresseur|compresor de aire|kompressor|luftkompressor|baukompressor',
  ],
  [
    'light_tower',
    'light tower|lighting tower|lighting plant|lighting rig|light plant|torre de iluminacion|torre de luz|luminaria|torre de iluminaçao|luminaria movel|torre de iluminaçao|mat d eclairage|tour d eclairage|tour d eclairage|lichtmast|beleuchtungsmast|lichtmaste|flutlichtmast',
  ],
  [
    'pump',
    'dewatering pump|water pump|sump pump|submersible pump|pump|motobomba|bomba de achique|bomba de agua|bomba sumergible|bomba|bomba d agua|motopompe|pompe d exhaure|pompe|pompe de relevage|tauchpumpe|wasserpumpe|schmutzwasserpumpe|pumpe',
  ],
  [
    'other',
    'dredge|dredger|draga|drague|drague flottante|drague suceuse|schwimmbagger|saugbagger|nassbagger|petrolizadora|charging unit|explosives truck|charge-up|scaler|scissor lift|shotcrete machine|shotcreter|rock breaker|plataforma elevadora|tijera|robot de gunitado|gunitadora|plataforma de tijera|projetor de concreto|nacelle|scissor|boom lift|cherry picker|continuous miner|rozadora|minador continuo|purgeuse|hubarbeitsbühne|arbeitsbühne|spritzmobil|teilschnittmaschine|schaufelradbagger|bucket wheel excavator|stabilizer|stabilizador',
  ],
];

const GENERAL: readonly (readonly [MachineKind, string])[] = [
  [
    'haul_truck',
    'truck|dump truck|dumptruck|dumper truck|hauler|camion|caminhao|muldenkipper|mulde|tombereau|transportador|muldenfahrzeug|trk',
  ],
  ['tipper_truck', 'caminhoes toco'],
  ['site_dumper', 'dumper'],
  ['wheel_loader', 'loader|loading unit|lader|pala|cargador|pa'],
  ['dozer', 'trator|tractor'],
  ['roller', 'roller'],
  [
    'crusher',
    'crusher|concasseur|trituradora|machacadora|chancadora|chancador|britador|brecher|vorbrecher|britadeira|triturador',
  ],
];

/** Words of the table that have another meaning in daily life. */
const WEAK = new Set(
  'moto vibro retro sieb roller screen mixer pump van bus bull rolo cilindro bomba benne cylindre pompe jeep crane grua trompo sonnette rouleau transporter mixta tolva pipa cisterna patrol tractor tracteur traktor drill navette finisher tijera nacelle aggregat jumbo pa tonne mulde pala ramme carretilla raupe generator patrola bomba orquesta comboio escaler criba crivo peneira tipper stacker compressor lubricador orquesta artic caçamba bowser drag scissor scaler'.split(
    ' ',
  ),
);

const row =
  (general: boolean) =>
  ([kind, list]: readonly [MachineKind, string]): [KindWord, string][] =>
    list
      .split('|')
      .flatMap((phrase) => (/\b[dl] /.test(phrase) ? [phrase, phrase.replaceAll(/\b([dl]) /g, "$1'")] : [phrase]))
      .map((phrase) => [{ kind, general, weak: WEAK.has(phrase) }, phrase]);

export const KIND_WORDS = phrases<KindWord>([...EXACT.flatMap(row(false)), ...GENERAL.flatMap(row(true))], {
  typos: true,
});
