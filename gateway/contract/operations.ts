/** Every operation, by name. The name is the tool's name where the operation has a tool; names and paths are the spec's, to the letter. */
import type { z } from 'zod';
import { alertOperations } from './alert.ts';
import { artifactOperations } from './artifact.ts';
import { auditOperations } from './audit.ts';
import { boardOperations } from './board.ts';
import { bucketKeyOperations } from './bucket-key.ts';
import { busOperations } from './bus.ts';
import { busRequestOperations } from './bus-requests.ts';
import { customActionOperations } from './custom-action.ts';
import { dbcOperations } from './dbc.ts';
import { decodeOperations } from './decode.ts';
import { deviceOperations } from './device.ts';
import { deviceConfigOperations } from './device-config.ts';
import { deviceDiagnosisOperations } from './device-diagnosis.ts';
import { deviceMatchOperations } from './device-match.ts';
import { deviceToolOperations } from './device-tools.ts';
import { displayOperations } from './display.ts';
import { equipmentOperations } from './equipment.ts';
import { learningOperations } from './learning.ts';
import { locationOperations } from './location.ts';
import { nodeOperations } from './node.ts';
import { peopleOperations } from './people.ts';
import { preferenceOperations } from './preference.ts';
import { projectOperations } from './project.ts';
import { projectLiveOperations } from './project-live.ts';
import { provisionInfoOperations } from './provision-info.ts';
import { quarantineOperations } from './quarantine.ts';
import { repairTicketOperations } from './repair-ticket.ts';
import { setupOperations } from './setup.ts';
import { shiftReportOperations } from './shift-report.ts';
import { skillOperations } from './skill.ts';
import { taskOperations } from './task.ts';
import { webhookOperations } from './webhook.ts';
import { workerRunOperations } from './worker-runs.ts';

export const operations = {
  ...projectOperations,
  ...projectLiveOperations,
  ...deviceOperations,
  ...deviceToolOperations,
  ...workerRunOperations,
  ...deviceConfigOperations,
  ...deviceDiagnosisOperations,
  ...busRequestOperations,
  ...quarantineOperations,
  ...dbcOperations,
  ...deviceMatchOperations,
  ...busOperations,
  ...provisionInfoOperations,
  ...bucketKeyOperations,
  ...artifactOperations,
  ...decodeOperations,
  ...equipmentOperations,
  ...locationOperations,
  ...peopleOperations,
  ...boardOperations,
  ...displayOperations,
  ...setupOperations,
  ...taskOperations,
  ...nodeOperations,
  ...auditOperations,
  ...preferenceOperations,
  ...learningOperations,
  ...customActionOperations,
  ...skillOperations,
  ...repairTicketOperations,
  ...shiftReportOperations,
  ...alertOperations,
  ...webhookOperations,
} as const;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
/** What a caller may send. */
export type Input<N extends OperationName> = z.input<Operations[N]['input']>;
/** What a handler gets, after parsing. */
export type Parsed<N extends OperationName> = z.output<Operations[N]['input']>;
/** What comes back. */
export type Output<N extends OperationName> = z.output<Operations[N]['output']>;
