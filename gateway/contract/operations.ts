/**
 * All operations by name. If an operation has an MCP tool, the tool has the same name. Names and paths come from the specification of the
 * customer.
 */
import type { z } from 'zod';
import { busOperations } from '#contract/fleet/bus.ts';
import { busRequestOperations } from '#contract/fleet/bus-requests.ts';
import { dbcOperations } from '#contract/fleet/dbc.ts';
import { deviceOperations } from '#contract/fleet/device.ts';
import { deviceConfigOperations } from '#contract/fleet/device-config.ts';
import { deviceDiagnosisOperations } from '#contract/fleet/device-diagnosis.ts';
import { deviceMatchOperations } from '#contract/fleet/device-match.ts';
import { deviceToolOperations } from '#contract/fleet/device-tools.ts';
import { equipmentOperations } from '#contract/fleet/equipment.ts';
import { expectedIntervalOperations } from '#contract/fleet/expected-interval.ts';
import { lineageOperations } from '#contract/fleet/lineage.ts';
import { locationOperations } from '#contract/fleet/location.ts';
import { meterOperations } from '#contract/fleet/meter.ts';
import { provisionInfoOperations } from '#contract/fleet/provision-info.ts';
import { quarantineOperations } from '#contract/fleet/quarantine.ts';
import { telemetryOperations } from '#contract/fleet/telemetry.ts';
import { valueDiagnosisOperations } from '#contract/fleet/value-diagnosis.ts';
import { auditOperations } from '#contract/site/audit.ts';
import { boardOperations } from '#contract/site/board.ts';
import { bucketKeyOperations } from '#contract/site/bucket-key.ts';
import { displayOperations } from '#contract/site/display.ts';
import { fleetListOperations } from '#contract/site/fleet-lists.ts';
import { listenerOperations } from '#contract/site/listener.ts';
import { nodeOperations } from '#contract/site/node.ts';
import { preferenceOperations } from '#contract/site/preference.ts';
import { projectOperations } from '#contract/site/project.ts';
import { projectLiveOperations } from '#contract/site/project-live.ts';
import { sessionOperations } from '#contract/site/session.ts';
import { setupOperations } from '#contract/site/setup.ts';
import { setupPlanOperations } from '#contract/site/setup-plan.ts';
import { syncOperations } from '#contract/site/sync.ts';
import { syncBudgetOperations } from '#contract/site/sync-budget.ts';
import { conflictOperations } from '#contract/site/sync-conflicts.ts';
import { courierOperations } from '#contract/site/sync-courier.ts';
import { syncFileOperations } from '#contract/site/sync-files.ts';
import { tabletOperations } from '#contract/site/tablet.ts';
import { userOperations } from '#contract/site/user.ts';
import { agentTaskOperations } from '#contract/work/agent-task.ts';
import { alertOperations } from '#contract/work/alert.ts';
import { alertTestOperations } from '#contract/work/alert-test.ts';
import { artifactOperations } from '#contract/work/artifact.ts';
import { customActionOperations } from '#contract/work/custom-action.ts';
import { decodeOperations } from '#contract/work/decode.ts';
import { faultReportOperations } from '#contract/work/fault-report.ts';
import { inspectionOperations } from '#contract/work/inspection.ts';
import { learningOperations } from '#contract/work/learning.ts';
import { machineStoryOperations } from '#contract/work/machine-story.ts';
import { maintenanceOperations } from '#contract/work/maintenance.ts';
import { peopleOperations } from '#contract/work/people.ts';
import { repairTicketOperations } from '#contract/work/repair-ticket.ts';
import { reviewOperations } from '#contract/work/review.ts';
import { shiftDraftOperations } from '#contract/work/shift-draft.ts';
import { shiftReportOperations } from '#contract/work/shift-report.ts';
import { skillOperations } from '#contract/work/skill.ts';
import { taskOperations } from '#contract/work/task.ts';
import { webhookOperations } from '#contract/work/webhook.ts';
import { workerRunOperations } from '#contract/work/worker-runs.ts';
import { writingPassOperations } from '#contract/work/writing-pass.ts';

export const operations = {
  ...projectOperations,
  ...projectLiveOperations,
  ...deviceOperations,
  ...deviceToolOperations,
  ...workerRunOperations,
  ...deviceConfigOperations,
  ...deviceDiagnosisOperations,
  ...valueDiagnosisOperations,
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
  ...meterOperations,
  ...telemetryOperations,
  ...expectedIntervalOperations,
  ...lineageOperations,
  ...locationOperations,
  ...peopleOperations,
  ...boardOperations,
  ...displayOperations,
  ...setupOperations,
  ...setupPlanOperations,
  ...taskOperations,
  ...agentTaskOperations,
  ...reviewOperations,
  ...nodeOperations,
  ...listenerOperations,
  ...userOperations,
  ...sessionOperations,
  ...tabletOperations,
  ...writingPassOperations,
  ...syncOperations,
  ...fleetListOperations,
  ...courierOperations,
  ...conflictOperations,
  ...syncFileOperations,
  ...syncBudgetOperations,
  ...auditOperations,
  ...preferenceOperations,
  ...learningOperations,
  ...customActionOperations,
  ...skillOperations,
  ...repairTicketOperations,
  ...maintenanceOperations,
  ...inspectionOperations,
  ...faultReportOperations,
  ...machineStoryOperations,
  ...shiftDraftOperations,
  ...shiftReportOperations,
  ...alertOperations,
  ...alertTestOperations,
  ...webhookOperations,
} as const;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
/** Type of the input of an operation as a caller sends it, before validation fills in defaults. */
export type Input<N extends OperationName> = z.input<Operations[N]['input']>;
/** Type of an operation's input as a handler receives it, after validation. */
export type Parsed<N extends OperationName> = z.output<Operations[N]['input']>;
/** Type of an operation's answer. */
export type Output<N extends OperationName> = z.output<Operations[N]['output']>;
