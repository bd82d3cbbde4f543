/**
 * Text that messages often have, as the dictionary of the compression. It is a part of the protocol: a change needs a new version in
 * `frame.ts`, because a message can be read only with the dictionary with which it was written. What is most common stands last.
 */
export const DICTIONARY: string = [
  '"verdict":"not_settled"{"type":"end","step":"known":"begin","fresh":true,"floors":{"type":"holds","parts":[],"missing":[],"quarantined":[]',
  '{"type":"digest","scope":"records","ranges":[{"lower":"","upper":"~","n":0,"fp":""}],"answers":[{"equal":true},{"items":[["records/eq_01"],["events/evt_01',
  '{"type":"give","next":"want":["type":"refused","code":"session_changed","need":["records/',
  '"telemetry","segment","rollup","live","device_config","dbc_file","dbc_text","maintenance_plan","maintenance_record","alert_rule","custom_action"',
  '"playlist","items#order","transition","default_duration_s","takeover","dashboard","widgets#order","audience","theme","kind":"description"',
  '"operator","mechanic","employee_number","badge_id","phone","crew","certifications","trades","language","location","code","parent_id","timezone","geofence","elevation_m","active",true],["timezone","UTC"]',
  '"shift_report","task","run","artifact","preference","read_before","audit","actor":{"type":"user","id":"usr_","name":"","door":"rest"}',
  '"project","prompt","url","timezone","units","metric","shift_pattern","name","language","en"],["!simulated",false]',
  '"device","!device_id","!serial","!kind","link",{"equipment_id":null,"linked_at":null}],["!settings",["expected_interval_s",null],["!bus_requests"',
  '"repair_ticket","=number","RT-","=equipment_id","eq_01","=source","=reported_by",{"type":"user","id":"usr_01","name":"=meter_at_flag",null],["=flagged_at","2026-',
  '["title","description","priority","high","low","medium","critical","safety_critical",false],["type",null],["failure/mode","due_at",null],["related_to",null],["location_id",null],["steps/{"from":"open","to":"in_progress","set":{"status":"open","hold_reason":null,"started_at":null,"fixed_at":null,"closed_at":null,"signature":null,"downtime_minutes":null}}]',
  '"equipment","unit_number","name","kind","haul_truck","excavator","loader","dozer","grader","oem_name","Caterpillar","Komatsu","model","serial_number",null],["pin",null],["year",null],["taken",null],["location_id",null],["status",{"status":"available","status_since":"2026-',
  '"in_use","maintenance","down","operator",{"operator_id":null,"operator_since":null}],["labels/',
  '["events","evt_01","event",1,1,[["=",{"type":"updated","created","subject":{"object":"equipment","repair_ticket","id":"eq_01',
  '"},"occurred_at":"2026-T00:00:00.000Z","recorded_at":"2026-Z","source":"api","ui","mqtt","actor":{"type":"user","key","id":"key_01","name":null},"data":{"fields":["name"]},"context":{"run_id":null,"device_id":null,"media":[],"lineage":null}}]]]',
  '{"d":1,"p":"prj_01","l":["gw_01',
  '"],"m":{"type":"hello","gateway":"gw_01","life":{"number":1,"token":"fresh":false,"cloud":{"id":"gw_01","life":{"number":1,"token":"last":"pending":[],"ends":false,"pulled":{"n":0,"chain":""},"repair":false},"verdict":"ok","known":1,"last":"","arrived":[{"token":"","place":1}],"covered":"received":["',
  '{"d":1,"l":[],"m":{"type":"ok","place":1,"quarantined":[]}}{"type":"pull","after":{"n":1,"chain":"limit":100,"whole":[]}},"to":{"n":1,"chain":"more":false,"commits":[]',
  '{"d":1,"p":"prj_01","l":["gw_01.1.","m":{"type":"push","gateway":"gw_01","life":{"number":1,"token":"after":".1","token":".1","commits":[[1790000000000,0,0,2,[["records","eq_01","equipment",2,0,[["name","',
].join('');
