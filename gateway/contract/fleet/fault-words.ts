/** Texts for trouble codes. */
import { failureMode } from './failure-modes.ts';

/** Names of suspect parameters (SPN) as in SAE J1939DA. */
const NAMES: Readonly<Record<number, string>> = {
  38: 'Fuel level 2',
  51: 'Engine throttle valve 1 position',
  52: 'Engine intercooler temperature',
  70: 'Parking brake switch',
  79: 'Road surface temperature',
  80: 'Washer fluid level',
  84: 'Wheel-based vehicle speed',
  91: 'Accelerator pedal position 1',
  92: 'Engine percent load at current speed',
  94: 'Engine fuel delivery pressure',
  96: 'Fuel level 1',
  98: 'Engine oil level',
  100: 'Engine oil pressure 1',
  101: 'Engine crankcase pressure 1',
  102: 'Engine intake manifold 1 pressure',
  105: 'Engine intake manifold 1 temperature',
  106: 'Engine intake air pressure',
  107: 'Engine air filter 1 differential pressure',
  108: 'Barometric pressure',
  109: 'Engine coolant pressure 1',
  110: 'Engine coolant temperature',
  111: 'Engine coolant level 1',
  158: 'Key switch battery potential',
  165: 'Compass bearing',
  167: 'Charging system potential (voltage)',
  168: 'Battery potential / power input 1',
  170: 'Cab interior temperature',
  171: 'Ambient air temperature',
  172: 'Engine intake 1 air temperature',
  173: 'Engine exhaust temperature',
  174: 'Engine fuel 1 temperature 1',
  175: 'Engine oil temperature 1',
  176: 'Engine turbocharger 1 oil temperature',
  180: 'Trailer weight',
  181: 'Cargo weight',
  182: 'Engine trip fuel',
  183: 'Engine fuel rate',
  184: 'Engine instantaneous fuel economy',
  185: 'Engine average fuel economy',
  190: 'Engine speed',
  235: 'Engine total idle hours',
  236: 'Engine total idle fuel used',
  244: 'Trip distance',
  245: 'Total vehicle distance',
  246: 'Total vehicle hours',
  247: 'Engine total hours of operation',
  248: 'Total power takeoff hours',
  249: 'Engine total revolutions',
  250: 'Engine total fuel used',
  512: "Driver's demand engine percent torque",
  513: 'Actual engine percent torque',
  517: 'Navigation-based vehicle speed',
  580: 'Altitude',
  582: 'Axle weight',
  583: 'Pitch',
  584: 'Latitude',
  585: 'Longitude',
  899: 'Engine torque mode',
  917: 'Total vehicle distance (high resolution)',
  918: 'Trip distance (high resolution)',
  928: 'Axle location',
  976: 'PTO governor state',
  1033: 'Total ECU run time',
  1761: 'Aftertreatment 1 DEF tank volume',
  2432: 'Engine demand percent torque',
  3031: 'Aftertreatment 1 DEF tank temperature',
  3517: 'Aftertreatment 1 DEF tank level',
  3543: 'Engine operating state',
  3719: 'Aftertreatment 1 DPF soot load percent',
  5054: 'Engine total fuel used (high resolution)',
  5245: 'Aftertreatment DEF tank low level indicator',
  5246: 'Aftertreatment SCR operator inducement severity',
};

/** The name of a suspect parameter; null if it is not in the table. */
export function parameterName(spn: number): string | null {
  return NAMES[spn] ?? null;
}

/** The names without the number 1 of a part that has no second one in the table. */
const PLAIN_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(NAMES).map(([spn, name]) => {
    const hasSecond = Object.values(NAMES).includes(name.replace(/ 1\b/, ' 2'));
    return [Number(spn), hasSecond && / 1\b/.test(name) ? name : name.replaceAll(/ 1\b/g, '')];
  }),
);

/** The name of a suspect parameter in a sentence, such as "Engine oil pressure" for "Engine oil pressure 1"; null if it is not in the table. */
export function plainName(spn: number): string | null {
  return PLAIN_NAMES.get(spn) ?? null;
}

/** The text of a trouble code, such as "Engine oil pressure 1: too low"; null if neither SPN nor FMI has a name. */
export function faultWords(spn: number | null, fmi: number): string | null {
  const parts = [spn === null ? null : parameterName(spn), failureMode(fmi)].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(': ');
}
