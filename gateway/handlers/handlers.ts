/** The list of all handler groups. Together they carry out every operation except the streams. */

import { claimHandlers } from '#handlers/access/claim.ts';
import { healthHandlers } from '#handlers/access/health.ts';
import { keyHandlers } from '#handlers/access/keys.ts';
import { listenerHandlers } from '#handlers/access/listeners.ts';
import { localSignInHandlers } from '#handlers/access/local-codes.ts';
import { personalTokenHandlers } from '#handlers/access/personal-tokens.ts';
import { preferenceHandlers } from '#handlers/access/preferences.ts';
import { projectHandlers } from '#handlers/access/projects.ts';
import { sessionHandlers } from '#handlers/access/sessions.ts';
import { setupHandlers } from '#handlers/access/setup.ts';
import { conflictHandlers } from '#handlers/access/sync-conflicts.ts';
import { courierHandlers } from '#handlers/access/sync-courier.ts';
import { enrolmentHandlers } from '#handlers/access/sync-enrolments.ts';
import { siteSyncHandlers, syncHandlers } from '#handlers/access/sync-site.ts';
import { tabletSignInHandlers } from '#handlers/access/tablet-sign-in.ts';
import { tabletHandlers } from '#handlers/access/tablets.ts';
import { userPinHandlers } from '#handlers/access/user-pins.ts';
import { userHandlers } from '#handlers/access/users.ts';
import { writingPassHandlers } from '#handlers/access/writing-passes.ts';
import { alertRuleHandlers } from '#handlers/alerts/alert-rules.ts';
import { alertHandlers } from '#handlers/alerts/alerts.ts';
import { ruleTestHandlers } from '#handlers/alerts/rule-tests.ts';
import { webhookHandlers } from '#handlers/alerts/webhooks.ts';
import { auditHandlers } from '#handlers/base/audit.ts';
import { eventHandlers } from '#handlers/base/events.ts';
import { dashboardHandlers } from '#handlers/boards/dashboards.ts';
import { shareHandlers } from '#handlers/boards/display-shares.ts';
import { displayHandlers } from '#handlers/boards/displays.ts';
import { pairingHandlers } from '#handlers/boards/pairings.ts';
import { playlistHandlers } from '#handlers/boards/playlists.ts';
import { bucketRollHandlers } from '#handlers/devices/bucket-roll.ts';
import { busRequestHandlers } from '#handlers/devices/bus-requests.ts';
import { deviceConfigHandlers } from '#handlers/devices/device-config.ts';
import { deviceDiagnosisHandlers } from '#handlers/devices/device-diagnosis.ts';
import { deviceFirmwareHandlers } from '#handlers/devices/device-firmware.ts';
import { deviceKeyHandlers } from '#handlers/devices/device-keys.ts';
import { linkHandlers } from '#handlers/devices/device-links.ts';
import { deviceMatchHandlers } from '#handlers/devices/device-match.ts';
import { provisionHandlers } from '#handlers/devices/device-provision.ts';
import { telemetryHandlers } from '#handlers/devices/device-telemetry.ts';
import { deviceLabelHandlers, deviceToolHandlers } from '#handlers/devices/device-tools.ts';
import { deviceHandlers } from '#handlers/devices/devices.ts';
import { provisionInfoHandlers } from '#handlers/devices/provision-info.ts';
import { purgeHandlers, quarantineHandlers } from '#handlers/devices/quarantine.ts';
import { artifactHandlers, mediaHandlers } from '#handlers/files/artifacts.ts';
import { dbcHandlers, dbcTestHandlers } from '#handlers/files/dbc.ts';
import { decodeHandlers, logPasswordHandlers } from '#handlers/files/decodes.ts';
import { photoHandlers } from '#handlers/files/photos.ts';
import { transferHandlers } from '#handlers/files/transfers.ts';
import { deviceBusHandlers } from '#handlers/fleet/device-bus.ts';
import { equipmentHandlers } from '#handlers/fleet/equipment.ts';
import { equipmentTakeHandlers } from '#handlers/fleet/equipment-take.ts';
import { expectedIntervalHandlers } from '#handlers/fleet/expected-intervals.ts';
import { fleetListHandlers } from '#handlers/fleet/fleet-lists.ts';
import { lineageHandlers } from '#handlers/fleet/lineage.ts';
import { locationHandlers } from '#handlers/fleet/locations.ts';
import { meterHandlers } from '#handlers/fleet/meters.ts';
import { telemetryReadHandlers } from '#handlers/fleet/telemetry.ts';
import { setupPlanHandlers } from '#handlers/setup/setup-plans.ts';
import { agentRunHandlers } from '#handlers/tasks/agent-runs.ts';
import { customActionHandlers } from '#handlers/tasks/custom-actions.ts';
import { reviewHandlers } from '#handlers/tasks/review.ts';
import { taskHandlers } from '#handlers/tasks/tasks.ts';
import { undoHandlers } from '#handlers/tasks/undo.ts';
import { workerRunHandlers } from '#handlers/tasks/worker-runs.ts';
import { faultPhotoHandlers } from '#handlers/work/fault-photos.ts';
import { faultLinkHandlers, faultReportHandlers } from '#handlers/work/fault-reports.ts';
import { checklistHandlers } from '#handlers/work/inspection-checklists.ts';
import { inspectionHandlers } from '#handlers/work/inspections.ts';
import { learningHandlers } from '#handlers/work/learnings.ts';
import { machineStoryHandlers } from '#handlers/work/machine-story.ts';
import { maintenanceHandlers } from '#handlers/work/maintenance-plans.ts';
import { peopleHandlers } from '#handlers/work/people.ts';
import { repairTicketHandlers } from '#handlers/work/repair-tickets.ts';
import { shiftDraftHandlers } from '#handlers/work/shift-drafts.ts';
import { shiftReportHandlers } from '#handlers/work/shift-reports.ts';
import { skillHandlers } from '#handlers/work/skills.ts';

export const handlerGroups = [
  projectHandlers,
  deviceHandlers,
  deviceToolHandlers,
  deviceLabelHandlers,
  deviceKeyHandlers,
  deviceConfigHandlers,
  deviceDiagnosisHandlers,
  busRequestHandlers,
  quarantineHandlers,
  purgeHandlers,
  deviceFirmwareHandlers,
  deviceMatchHandlers,
  deviceBusHandlers,
  provisionHandlers,
  provisionInfoHandlers,
  bucketRollHandlers,
  artifactHandlers,
  mediaHandlers,
  photoHandlers,
  transferHandlers,
  dbcHandlers,
  dbcTestHandlers,
  decodeHandlers,
  logPasswordHandlers,
  linkHandlers,
  telemetryHandlers,
  equipmentHandlers,
  equipmentTakeHandlers,
  telemetryReadHandlers,
  expectedIntervalHandlers,
  lineageHandlers,
  locationHandlers,
  meterHandlers,
  peopleHandlers,
  eventHandlers,
  dashboardHandlers,
  playlistHandlers,
  shareHandlers,
  displayHandlers,
  pairingHandlers,
  keyHandlers,
  personalTokenHandlers,
  claimHandlers,
  listenerHandlers,
  userHandlers,
  sessionHandlers,
  localSignInHandlers,
  userPinHandlers,
  tabletHandlers,
  tabletSignInHandlers,
  writingPassHandlers,
  repairTicketHandlers,
  maintenanceHandlers,
  checklistHandlers,
  inspectionHandlers,
  faultLinkHandlers,
  faultReportHandlers,
  faultPhotoHandlers,
  shiftReportHandlers,
  machineStoryHandlers,
  shiftDraftHandlers,
  alertHandlers,
  alertRuleHandlers,
  ruleTestHandlers,
  webhookHandlers,
  setupHandlers,
  setupPlanHandlers,
  agentRunHandlers,
  undoHandlers,
  reviewHandlers,
  taskHandlers,
  workerRunHandlers,
  syncHandlers,
  fleetListHandlers,
  conflictHandlers,
  siteSyncHandlers,
  courierHandlers,
  enrolmentHandlers,
  healthHandlers,
  auditHandlers,
  preferenceHandlers,
  learningHandlers,
  customActionHandlers,
  skillHandlers,
];
