/**
 * Names for the numbers in a NAME and for preferred addresses. The numbers and companies come from the tables of ETI j1939-84 (MIT) and of
 * isobus.net as copied by AgIsoStack (MIT). The texts were written for this project. The tables have only entries that occur on
 * construction and mining machines.
 */

/** Parses a list of entries. An entry is a number and its name; commas or line ends separate the entries. */
function tableOf(text: string): ReadonlyMap<number, string> {
  const rows = text.split(/[,\n]/).map((entry) => entry.trim());
  return new Map(
    rows
      .filter((entry) => entry !== '')
      .map((entry) => {
        const at = entry.indexOf(' ');
        return [Number(entry.slice(0, at)), entry.slice(at + 1)];
      }),
  );
}

/** Companies by manufacturer code. */
export const MANUFACTURERS = tableOf(`
  1 Bendix, 2 Allison Transmission, 3 Ametek, 4 Ametek Dixson, 7 Case, 8 Caterpillar, 9 Chrysler, 10 Cummins, 11 Dearborn Group
  12 Deere Precision Farming, 13 Delco Electronics, 14 Detroit Diesel, 15 Dickey-john, 16 Eaton, 18 Eaton Transmission, 20 Eaton UK
  22 Ford Electronic Concepts, 23 Ford Heavy Truck, 24 Ford Vehicle Controls, 25 Daimler Trucks North America, 26 General Motors
  27 GMC, 28 Grote, 29 Hino, 30 Isuzu, 32 Jacobs Vehicle Systems, 33 John Deere, 35 Kenworth, 36 Lucas, 37 Mack Trucks
  41 Motorola, 42 International Engine Electronics, 43 International Vehicle Electronics, 44 Denso, 45 PACCAR, 46 Noregon
  50 Robert Bosch USA, 51 Robert Bosch, 52 Meritor, 53 Continental USA, 54 Meritor Wabco, 57 Danfoss, 58 SPX OTC
  60 Volvo Trucks North America, 61 Volvo Truck, 62 Wabco, 63 ZF Industries, 65 MAN, 66 John Deere Construction
  67 John Deere Coffeyville, 68 Scania, 69 Trimble Navigation, 71 Vansco, 72 Sisu, 73 LeTourneau, 74 Eaton Axle and Brake
  75 Deere Agricultural, 77 Deere Power Systems, 78 Murphy, 79 Daimler-Benz Engine, 80 Twin Disc, 82 Bobcat, 83 Bendix Vorad
  84 New Holland UK, 85 Kohler, 86 Niehoff, 87 JCB, 88 Hemisphere GPS, 89 Kverneland, 90 Knorr-Bremse, 93 Perkins, 94 CNH Industrial
  97 Ag Leader, 98 Mueller-Elektronik, 100 VDO, 102 AGCO, 103 CLAAS E-Systems, 104 CLAAS, 106 BAE Systems Controls, 112 Mecalac
  114 EControls, 115 NACCO Materials Handling, 117 Husco, 121 HED, 122 FG Wilson, 123 Basler Electric, 124 Hydac Electronic
  129 Omnex, 136 Komatsu, 139 Caterpillar Trimble Control Technologies, 142 TRW Steering, 146 Maxima, 149 Holset, 150 Fleetguard
  151 Raven, 152 elobau, 153 Woodward, 157 ISSPRO, 162 Axiomatic, 163 BRP, 164 MTU, 165 CPAC, 166 John Deere Electronic Solutions
  167 JLG, 169 Marlin Technologies, 171 Topcon Electronics, 172 Yanmar, 174 Volvo Penta, 178 Continental Automotive, 186 Altronic
  188 EMP, 189 Qualcomm, 190 Hella, 199 Actia, 202 Curtis Instruments, 204 Morey, 205 SmarTire, 208 Drew Technologies
  209 Bell Equipment, 212 Sure Power, 213 CNH Belgium, 219 Cat OEM Solutions, 222 Generac, 225 SKF, 229 Garmin, 231 Topcon Positioning
  238 ZF Friedrichshafen, 246 Class 1, 252 Sensor-Technik Wiedemann, 256 Tyco Electronics AMP, 257 Honda, 262 HydraForce
  270 Tennant, 277 LHP Telematics, 280 Leica Geosystems, 288 Mitsubishi Fuso, 291 Groeneveld, 294 Grayhill, 297 Zonar
  301 Parker Hannifin UK, 305 NovAtel, 310 Tecnord, 323 Mobileye, 324 Snap-on, 331 Horton, 337 Carraro, 340 Continental
  347 Honeywell, 352 Same Deutz-Fahr, 371 Heinzmann, 372 Delphi, 375 Williams Controls, 377 ifm electronic, 402 Simma Software
  410 Cobo, 416 Kubota, 420 Vermeer, 439 Hyundai Heavy Industries, 440 Cummins Power Generation, 448 Stanadyne, 449 Polaris
  451 Parker Hannifin, 452 Wika, 461 Hawe Hydraulik, 486 Westport, 543 Bauer Maschinen, 556 Doosan Infracore Norway
  597 Hydac Filter Systems, 620 Sevcon, 642 Moog, 725 Hitachi Construction Machinery, 729 Liebherr, 736 Genie, 754 Parker Automation
  1856 Trimble
`);

/** Names of functions 0 to 127, which are the same in every industry group. The meaning of 128 and above depends on the vehicle system. */
export const FUNCTIONS = tableOf(`
  0 Engine, 1 Auxiliary power unit, 2 Electric propulsion, 3 Transmission, 4 Battery pack monitor, 5 Shift console, 6 Power take-off
  7 Steering axle, 8 Drive axle, 9 Brake system, 10 Steer axle brakes, 11 Drive axle brakes, 12 Engine retarder, 13 Driveline retarder
  14 Cruise control, 15 Fuel system, 16 Steering, 17 Steer axle suspension, 18 Drive axle suspension, 19 Instrument cluster
  20 Trip recorder, 21 Cab climate, 22 Aerodynamics, 23 Navigation, 24 Security, 25 Network interconnect, 26 Body
  27 Secondary power take-off, 28 Off-vehicle gateway, 29 Virtual terminal, 30 Management computer, 31 Propulsion battery charger
  32 Headway control, 33 System monitor, 34 Hydraulic pump, 35 Suspension, 36 Pneumatics, 37 Cab controller, 38 Tyre pressure
  39 Ignition, 40 Seat, 41 Lighting controls, 42 Water pump, 43 Transmission display, 44 Exhaust emission, 45 Stability control
  46 Oil sensor, 47 Information system, 48 Ramp, 49 Clutch or converter, 50 Auxiliary heater, 51 Collision warning, 52 Chassis
  53 Alternator and charging, 54 Cellular radio, 55 Satellite radio, 56 Site radio, 57 Steering column, 58 Fan drive, 59 Starter
  60 Cab display, 61 File server or printer, 62 On-board diagnostics, 63 Engine valves, 64 Endurance braking, 65 Gas flow
  66 Input and output, 67 Electrical system, 68 Exhaust gas sensor, 69 Aftertreatment, 70 Regeneration device, 71 Transfer case
  72 Coolant valve, 73 Rollover detection, 74 Lubrication, 75 Supplemental fan, 76 Temperature sensor, 77 Fuel sensor
  78 Fire suppression, 79 Power systems manager, 80 Electric powertrain, 81 Hydraulic powertrain, 82 File server, 83 Printer
  84 Start aid, 85 Injection control, 86 Vehicle charging, 87 Driver interlock, 88 Power converter
`);

/**
 * The control unit that usually has each source address. Addresses 128 to 247 are left out, because their meaning depends on the industry
 * group.
 */
export const ADDRESSES = tableOf(`
  0 Engine, 1 Engine 2, 2 Turbocharger, 3 Transmission, 4 Transmission 2, 5 Shift console, 6 Shift console 2, 7 Power take-off
  8 Steering axle, 9 Drive axle 1, 10 Drive axle 2, 11 Brakes, 12 Steer axle brakes, 13 Drive axle brakes 1, 14 Drive axle brakes 2
  15 Engine retarder, 16 Driveline retarder, 17 Cruise control, 18 Fuel system, 19 Steering, 23 Instrument cluster, 24 Trip recorder
  25 Cab climate, 26 Alternator and charging, 28 Navigation, 29 Security, 30 Electrical system, 31 Starter, 33 Body controller
  34 Auxiliary valves, 35 Hitch, 36 Power take-off 2, 37 Off-vehicle gateway, 38 Virtual terminal, 39 Management computer
  40 Cab display, 41 Exhaust retarder, 43 On-board diagnostics, 45 Endurance braking, 46 Hydraulic pump, 47 Suspension
  48 Pneumatics, 49 Cab controller, 50 Cab controller 2, 51 Tyre pressure, 61 Exhaust emission, 62 Stability control, 63 Oil sensor
  67 Clutch or converter, 70 Engine valves, 71 Chassis, 72 Chassis 2, 74 Cellular radio, 75 Satellite radio, 76 Site radio
  77 Steering column, 78 Fan drive, 80 Parking brake, 85 Particulate filter, 90 Powertrain, 91 Power systems manager
  248 File server, 249 Service tool, 250 Service tool 2, 251 Data logger, 252 Experimental, 253 Maker's own, 254 No address
`);

/** The names of the industry groups 0 to 7. */
export const INDUSTRY_GROUPS = [
  'any',
  'on-highway',
  'agriculture and forestry',
  'construction',
  'marine',
  'industrial process',
  'reserved',
  'reserved',
] as const;
