/**
 * Makes of machines, and the models that tell make and kind by themselves. The rows say which letters and numbers the names of a series have.
 * The source is the published model range of each maker; a model that is not in the table is read only behind its make.
 */
import type { MachineKind } from '#contract/fleet/machine-kinds.ts';
import { phrases } from './phrases.ts';

const NAMES =
  'SDMO|SBM|Wolff|Menck|Kohler|FG Wilson|Aksa|Perkins|Deutz|Morooka|Prinoth|IHI|Sumitomo|Hanix|Airman|Hyster|Yale|Kalmar|Konecranes|Kato|Locatelli|Comansa|Raimondi|Jaso|Comedil|Mikasa|Benford|Roadtec|Gomaco|Ciber|Marini|Bitelli|Aramine|Jacon|Imer|Turbosol|Sermac|Everdigm|Carmix|Magni|Haulotte|Skyjack|Niftylift|Ruthmann|Hiab|Effer|Dingli|Sinoboom|Lovol|Yutong|Irizar|Comil|Busscar|Mahindra|Kamaz|Herrenknecht|Getman|Maclean|Pegson|Telsmith|Cedarapids|EvoQuip|Tesab|Portafill|Gipo|Hartl|Rockster|Doppstadt|Komptech|Sunward|Messersi|Hinowa|Canycom|Kobelco|Pegasus|Wacker|Atlas Copco|Powertrac|Mine Master|Fletcher|Siton|Overaard|Rokion|Miller Technologies|Eimco|Komatsu|Volvo|Liebherr|Hitachi|JCB|Bell|Terex|Epiroc|Sandvik|Atlas Copco|Hyundai|Doosan|Develon|Kobelco|Sany|XCMG|Case|Kubota|Bomag|Hamm|Dynapac|Manitou|Merlo|Bergmann|Thwaites|Wacker Neuson|Takeuchi|Yanmar|Bobcat|Scania|Kenworth|Randon|Ford|Iveco|MAN|DAF|Renault|Mack|Freightliner|Peterbilt|Western Star|International|Bucyrus|P&H|Letourneau|Belaz|Euclid|Perlini|Astra|Moxy|Furukawa|Ingersoll Rand|Normet|GHH|Fletcher|Powerscreen|Metso|Kleemann|Keestrack|Sandvik|Rubble Master|Finlay|McCloskey|Putzmeister|Schwing|Bauer|Wirtgen|Vögele|Liugong|SDLG|Lonking|Shantui|Zoomlion|Neuson|Sennebogen|Fuchs|Atlas|Menzi Muck|Tadano|Grove|Demag|Link-Belt|New Holland|Fiat-Allis|Fiat-Hitachi|Massey Ferguson|Fendt|Claas|Dresser|O&K|Dieci|Faresin|Genie|JLG|Ausa|Barford|Mecalac|Ahlmann|Schäffer|Weidemann|Kramer|Zettelmeyer|Hydrema|Toyota|Nissan|Mitsubishi|Isuzu|Hino|Tatra|Linde|Jungheinrich|Still|Atlas Weyhausen|Cifa|Sinotruk|Foton|Shacman|Howo|Agrale|Marcopolo|Pramac|Himoinsa|Kaeser|CompAir|Doosan Portable Power|Generac|Cummins|Paus|Hermann Paus|Tamrock|Wagner|Eimco|Joy|Resemin|Montabert|Casagrande|Soilmec|ABG|Ammann|Rammax|Sakai|Paccar|Tesmec|Lokotrack|Extec|Fintec|Palfinger|Fassi|Potain|Gehl|Mustang|Ditch Witch|Vermeer|Reedrill|Gradall|Galion|Champion|Samsung|Daewoo|Rotem|Eurocomach|Pel-Job|Kawasaki|Tcm|Nooteboom|Meiller|Dressta|Hanomag|Kaelble|Faun|Kiruna|Dux|Elphinstone|Becker|BelAZ|Caterpillar|Mercedes-Benz|John Deere|Volkswagen|Gardner Denver|Sullair|Godwin|Flygt|Xylem|Allmand|Terberg|Aveling-Barford|Aveling Barford|Boart Longyear|Schramm|Robit|Tamroc|Hidromek|Mst|Cukurova|Venieri|Ljungby|Huddig|Palazzani';
const ALSO: readonly (readonly [string, string])[] = [
  ['Caterpillar', 'cat'],
  ['Mercedes-Benz', 'mercedes|mercedes benz|merc|mb'],
  ['John Deere', 'deere|jd|jhon deere'],
  ['Volkswagen', 'vw'],
  ['Komatsu', 'komatzu'],
  ['Caterpillar', 'caterpiller|carterpillar'],
  ['Liebherr', 'libher|liebher|lieberr'],
  ['Menzi Muck', 'menzi'],
  ['Vögele', 'voegele'],
  ['Liugong', 'liu gong'],
];
/** Makes whose names are also words of daily life: they count only before a model or in a cell of a table. */
export const WORD_MAKES = new Set(
  'Case|Bell|Ford|MAN|Joy|Bauer|Still|Grove|Atlas|Fuchs|Wagner|Genie|Champion|Mustang|International|Astra|Dresser|Kramer|Becker|Claas|Linde|Cat|Dux|Faun|Merlo|Manitou|Hamm|Bobcat|Menzi Muck|Renault|Nissan|Toyota|Wirtgen|Mst|Tcm|Paus|Samsung|Godwin|Sakai|Galion|Demag'.split(
    '|',
  ),
);

export const MAKES = phrases<string>([...NAMES.split('|').map((name): [string, string] => [name, name]), ...ALSO], {
  typos: 'capital',
});

interface Series {
  readonly make: string;
  readonly kind: MachineKind;
  readonly letters: string;
  readonly from: number;
  readonly to: number;
}

/** `make: kind letters from-to, …`. Letters `-` are none. */
const SERIES: readonly (readonly [string, string])[] = [
  [
    'Caterpillar',
    'haul_truck - 768-798, articulated_truck - 725-745, wheel_loader - 906-910, wheel_loader - 914-914, wheel_loader - 918-995, excavator - 300-395, excavator - 5080-5230, excavator - 6015-6120, grader - 120-140, grader - 160-163, dozer D 1-11, backhoe_loader - 414-450, excavator M 312-325, roller CS 10-99, roller CP 10-99, roller CB 10-99, roller CW 10-99, haul_truck AD 22-63, lhd R 1300-3000, dozer - 814-854, roller - 815-836, track_loader - 939-973, telehandler TH 255-514, scraper - 613-657, dozer D 6-11',
  ],
  [
    'Komatsu',
    'excavator PC 15-8000, excavator PW 100-220, haul_truck HD 255-1500, articulated_truck HM 250-450, wheel_loader WA 50-1800, dozer D 31-575, grader GD 500-999, grader GD 305-405, haul_truck E 0-0, wheel_loader WE 1150-2350',
  ],
  [
    'Volvo',
    'articulated_truck A 25-60, wheel_loader L 25-350, excavator EC 15-950, excavator ECR 25-355, excavator EW 60-240, haul_truck R 60-100, roller SD 25-200, paver P 2820-8820',
  ],
  ['Hitachi', 'excavator ZX 17-890, excavator EX 1100-8000, haul_truck EH 1100-5000, wheel_loader ZW 65-550'],
  ['Liebherr', 'crane LTM 1030-1750, dozer PR 712-776, haul_truck T 236-284'],
  ['Bell', 'articulated_truck B 18-60'],
  ['Terex', 'haul_truck TR 30-100, articulated_truck TA 25-40'],
  ['Hyundai', 'excavator HX 10-900, wheel_loader HL 730-980'],
  ['Develon', 'wheel_loader DL 200-580'],
  ['Kobelco', 'excavator SK 17-850'],
  [
    'Sandvik',
    'haul_truck TH 320-680, lhd LH 201-625, drill DD 210-422, drill DI 550-650, drill DL 311-432, bolter DS 311-512, lhd Toro 6-11',
  ],
  ['Epiroc', 'haul_truck MT 42-65, lhd ST 2-18'],
  ['Doosan', 'excavator DX 17-800'],
  ['Bomag', 'roller BW 55-226'],
  ['XCMG', 'excavator XE 15-7000'],
  ['Sany', 'excavator SY 16-980'],
  ['JCB', 'backhoe_loader CX 3-5'],
  ['Metso', 'crusher HP 100-900, crusher LT 90-330, crusher C 63-200, crusher GP 11-550'],
  [
    'Sandvik',
    'crusher QJ 240-341, crusher QH 331-441, crusher QI 341-442, crusher CH 420-895, crusher CJ 208-815, screen QE 140-441, screen QA 140-450',
  ],
  ['Kleemann', 'crusher MC 100-140, crusher MR 100-170, crusher MCO 9-13, screen MS 12-953'],
];

const SERIES_BY_LETTERS = new Map<string, Series[]>();
for (const [make, list] of SERIES)
  for (const one of list.split(', ')) {
    const [kind = '', letters = '', range = ''] = one.split(' ');
    const [from, to] = range.split('-').map(Number);
    const key = letters === '-' ? '' : letters.toLowerCase();
    const series = { make, kind: kind as MachineKind, letters: key, from: from ?? 0, to: to ?? 0 };
    SERIES_BY_LETTERS.set(key, [...(SERIES_BY_LETTERS.get(key) ?? []), series]);
  }

/** Models that are words, with the kind that they tell. */
const NAMED: readonly (readonly [MachineKind, string])[] = [
  [
    'tipper_truck',
    'arocs|actros|axor|atego|constellation|trakker|stralis|eurocargo|cargo|fmx|fh|fm|tgs|tga|tgx|xf|cf|kerax|granite|t800|w900|vertis',
  ],
  [
    'drill',
    'smartroc|flexiroc|pit viper|pitviper|roc|boomer|simba|dominator|leopard|pantera|ranger|commando|axera|solo',
  ],
  ['bolter', 'boltec|cabletec|robolt'],
  ['lhd', 'scooptram|toro'],
  ['paver', 'super'],
  ['crusher', 'lokotrack'],
  ['haul_truck', 'minetruck'],
  ['light_vehicle', 'hilux|ranger|amarok|l200|land cruiser|defender|unimog'],
  ['backhoe_loader', '3cx|4cx|5cx'],
];
export const NAMED_MODELS = phrases<MachineKind>(NAMED);

export interface Known {
  readonly make: string;
  readonly kind: MachineKind;
}

/** Graders (`14M`) and electric trucks (`930E`) have their letters behind. */
const BEHIND: readonly (readonly [RegExp, Known])[] = [
  [/^(12|14|16|18|24)[mhgk]\d?$/, { make: 'Caterpillar', kind: 'grader' }],
  [/^[6-9][38]0e\d?$/, { make: 'Komatsu', kind: 'haul_truck' }],
  [/^[345]cx$/, { make: 'JCB', kind: 'backhoe_loader' }],
];

/** What the name of a model tells: its maker and kind. `given` is a make that the text names. */
export function knownModel(key: string, given: string | null = null): Known | null {
  for (const [form, known] of BEHIND) if (form.test(key) && (given === null || given === known.make)) return known;
  const parts = /^([a-z]{0,4})(\d{1,4})([a-z]{0,3}\d?)$/.exec(key);
  if (parts === null) return null;
  const [, letters = '', digits = '', suffix = ''] = parts;
  if (digits.startsWith('0')) return null;
  const number = Number(digits);
  const found = (SERIES_BY_LETTERS.get(letters) ?? []).find(
    ({ make, from, to }) => number >= from && number <= to && (given === null || given === make),
  );
  if (found === undefined || (suffix !== '' && letters === '' && !/^([a-l]|xe|gc|[a-l]?\d|lc|k?xe)$/.test(suffix)))
    return null;
  return { make: found.make, kind: found.kind };
}
/** Ranges of Liebherr and others whose numbers mean something only with the make. */
const BY_MAKE: readonly (readonly [string, RegExp, MachineKind])[] = [
  ['Liebherr', /^r9\d\d+/, 'excavator'],
  ['Liebherr', /^9\d\d/, 'excavator'],
  ['Liebherr', /^a9\d\d/, 'excavator'],
  ['Liebherr', /^l5\d\d/, 'wheel_loader'],
  ['Liebherr', /^ta2\d\d/, 'articulated_truck'],
  ['Liebherr', /^t2\d\d/, 'haul_truck'],
  ['JCB', /^(js|\d\d\dx)/, 'excavator'],
  ['JCB', /^4[0-9]\d$/, 'wheel_loader'],
  ['JCB', /^5\d\d\d+$/, 'telehandler'],
  ['Sany', /^\d+$/, 'excavator'],
  ['Hyundai', /^(r?\d+)/, 'excavator'],
  ['Doosan', /^dl/, 'wheel_loader'],
  ['Case', /^cx/, 'excavator'],
  ['Case', /^\d21/, 'wheel_loader'],
  ['Case', /^580/, 'backhoe_loader'],
  ['John Deere', /^[67]\d\dg/, 'grader'],
  ['Hitachi', /^ex/, 'excavator'],
  ['Hamm', /./, 'roller'],
  ['Bomag', /./, 'roller'],
  ['Kubota', /^(kx|u)/, 'excavator'],
  ['JLG', /^\d{4}/, 'telehandler'],
  ['Finlay', /^[jci]-?\d{4}/, 'crusher'],
  ['Finlay', /^(8|9)\d\d/, 'screen'],
  ['Randon', /^rk/, 'haul_truck'],
  ['Kobelco', /./, 'excavator'],
];
export const kindByMake = (make: string, key: string): MachineKind | null =>
  knownModel(key, make)?.kind ?? BY_MAKE.find(([of, form]) => of === make && form.test(key))?.[2] ?? null;

/** Makes that build one kind only. */
const ONE_KIND: Readonly<Record<string, MachineKind>> = {
  'P&H': 'excavator',
  Bomag: 'roller',
  Hamm: 'roller',
  Manitou: 'telehandler',
  Merlo: 'telehandler',
  'Menzi Muck': 'excavator',
  Euclid: 'haul_truck',
  Perlini: 'haul_truck',
  Belaz: 'haul_truck',
  Randon: 'haul_truck',
  Bergmann: 'site_dumper',
  Thwaites: 'site_dumper',
  Kenworth: 'tipper_truck',
  Mack: 'tipper_truck',
  Iveco: 'tipper_truck',
  DAF: 'tipper_truck',
  Scania: 'tipper_truck',
};
export const kindOfMake = (make: string): MachineKind | null => ONE_KIND[make] ?? null;
