/** The words of what a plan can have: kinds of machines and places, and the topics of screens; and an example of a description. */
import type { LocationKind } from '#contract/fleet/location.ts';
import type { MachineKind } from '#contract/fleet/machine-kinds.ts';
import type { PlanRead } from '#contract/site/setup-plan.ts';
import type { Word } from '#ui/languages/texts.ts';

/** A description that the planner reads, in the language of the page. */
export const EXAMPLE: Word =
  'Harrow Hill Quarry. Trucks HT-01 to HT-06 are Cat 777G and work in North Pit. Two Komatsu PC1250 excavators, EX-01 and EX-02. Day shift 06:00 to 18:00, night 18:00 to 06:00. Operators: Ana Ruiz (EX-01), Tom Field. A screen in the canteen with machine status and open repairs.';

/** The kinds of machines that the planner knows. */
export const KIND_WORDS: Readonly<Record<MachineKind, Word>> = {
  haul_truck: 'Haul truck',
  articulated_truck: 'Articulated truck',
  site_dumper: 'Site dumper',
  tipper_truck: 'Tipper truck',
  excavator: 'Excavator',
  wheel_loader: 'Wheel loader',
  track_loader: 'Track loader',
  backhoe_loader: 'Backhoe loader',
  skid_steer: 'Skid steer',
  telehandler: 'Telehandler',
  dozer: 'Dozer',
  grader: 'Grader',
  scraper: 'Scraper',
  roller: 'Roller',
  drill: 'Drill',
  bolter: 'Bolter',
  lhd: 'Underground loader (LHD)',
  water_truck: 'Water truck',
  fuel_truck: 'Fuel truck',
  service_truck: 'Service truck',
  crusher: 'Crusher',
  screen: 'Screening plant',
  conveyor: 'Conveyor',
  crane: 'Crane',
  piling_rig: 'Piling rig',
  paver: 'Paver',
  milling_machine: 'Milling machine',
  concrete_mixer: 'Concrete mixer',
  concrete_pump: 'Concrete pump',
  forklift: 'Forklift',
  tractor: 'Tractor',
  light_vehicle: 'Light vehicle',
  bus: 'Crew bus',
  generator: 'Generator',
  compressor: 'Compressor',
  light_tower: 'Light tower',
  pump: 'Pump',
  other: 'Other kind',
};

export const PLACE_WORDS: Readonly<Record<LocationKind, Word>> = {
  site: 'Whole site',
  pit: 'Pit',
  zone: 'Zone',
  stockpile: 'Stockpile',
  crusher: 'Crusher',
  workshop: 'Workshop',
  fuel_bay: 'Fuel bay',
  haul_road: 'Haul road',
};

export const TOPIC_WORDS: Readonly<Record<PlanRead['boards'][number]['shows'][number], Word>> = {
  status: 'machine status',
  map: 'map of the site',
  tickets: 'open repairs',
  alerts: 'active alerts',
  fuel: 'fuel levels',
  hours: 'engine hours',
  trend: 'trends',
  camera: 'camera picture',
  text: 'a text',
  shift: 'current shift',
  utilization: 'running now',
};
