/**
 * Text that messages often have, as the dictionary of the compression. It is a part of the protocol: a change needs a new version in
 * `frame.ts`, because a message can be read only with the dictionary with which it was written. What is most common stands last.
 */
export const DICTIONARY: string = [
  '"verdict":"not_settled"{"type":"end","step":"known":"begin","fresh":true,"floors":{"type":"holds","parts":[],"missing":[],"quarantined":[]',
  '{"type":"digest","scope":"records","ranges":[{"lower":"","upper":"~","n":0,"fp":""}],"answers":[{"equal":true},{"items":[["~ieq_<records"],["~jevt_<events',
  '{"type":"give","next":"want":["type":"refused","code":"session_changed","need":["records/',
  '"telemetry","segment","rollup","live","device_config","dbc_file","dbc_text","maintenance_plan","maintenance_record","alert_rule","custom_action"',
  '"playlist","items#order","transition","default_duration_s","takeover","dashboard","widgets#order","audience","theme","kind":"description"',
  '"operator","mechanic","employee_number","badge_id","phone","crew","certifications","trades","language","location","code","parent_id","timezone","geofence","elevation_m","active",true],["timezone","UTC"]',
  '"shift_report","task","run","artifact","preference","read_before","audit","actor":{"type":"user","id":"~iusr_","name":"","door":"rest"}',
  '"project","prompt","url","timezone","units","metric","shift_pattern","name","language","en"],["!simulated",false]',
  '"device","!device_id","!serial","!kind","link",{"equipment_id":null,"linked_at":null}],["!settings",["expected_interval_s",null],["!bus_requests"',
  '"repair_ticket","=number","RT-","=equipment_id",["~ieq_"],"=source","=reported_by",{"type":"user","id":"~iusr_","name":"=meter_at_flag",null],["=flagged_at",["~t"]]',
  '["title","description","priority","high","low","medium","critical","safety_critical",false],["type",null],["failure/mode","due_at",null],["related_to",null],["location_id",null],["steps/{"from":"open","to":"in_progress","set":{"status":"open","hold_reason":null,"started_at":null,"fixed_at":null,"closed_at":null,"signature":null,"downtime_minutes":null}}]',
  '"equipment","unit_number","name","kind","haul_truck","excavator","loader","dozer","grader","oem_name","Caterpillar","Komatsu","model","serial_number",null],["pin",null],["year",null],["taken",null],["location_id",null],["status",{"status":"available","status_since":"~t"}',
  '"in_use","maintenance","down","operator",{"operator_id":null,"operator_since":null}],["labels/',
  '"live","~ieq_","equipment",0,[["!",[{"live_status":"unknown","live_status_since":null,"last_live_data_at":null,"values":{},"dtcs":null,"dtc_counts":null}',
  '"telemetry","~hseg_","segment",1,1,[["=",[{"equipment_id":"~r1","device_id":null,"from_ms":1790000000000,"to_ms":1790000000000,"slot":"","samples":,"sealed_hour":,"seal":{"generation":1,"supersedes":null,"sha256":"~x32"},"body":"~b',
  '"source":"api","ui","mqtt","actor":{"type":"user","key","id":"~iusr_","name":null},"context":{"run_id":null,"device_id":null,"media":[],"lineage":null}}',
  '{"d":1,"m":{"type":"hello","cloud":{"id":"~igw_","life":{"number":1,"token":"~x10"}},"known":1,"last":"","verdict":"ok","arrived":[{"token":"","place":1}],"covered":"","received":[""]},"n":"',
  '{"d":1,"p":"~iprj_","m":{"type":"hello","gateway":"~igw_","life":{"number":1,"token":"~x10"},"fresh":false,"cloud":{"number":1,"token":"~x10"},"last":"","repair":false,"pending":[],"ends":false,"pulled":{"n":1,"chain":"~x16"}},"n":"',
  '{"d":1,"m":{"type":"pull","to":{"n":1,"chain":"~x16"},"more":false,"commits":[]},"n":""}{"d":1,"p":"~iprj_","m":{"type":"pull","gateway":"~igw_","life":{"number":1,"token":"~x10"},"after":{"n":1,"chain":"~x16"},"limit":250,"bytes":131072,"whole":[]},"n":"',
  '{"d":1,"m":{"type":"ok","place":1,"quarantined":[]},"n":""}',
  '{"d":1,"p":"~iprj_","m":{"type":"push","gateway":"~igw_","life":{"number":1,"token":"~x10"},"after":"","token":"","commits":[[0,0,2,[["records","~ieq_","equipment",2,0,[["name",["~s",1]]]],["events","~jevt_","event",1,1,[["=",[{"type":"updated","subject":{"object":"equipment","id":"~r1"},"occurred_at":"~t","source":"headframe","source_event_id":null,"actor":{"type":"workspace","id":"~ikey_","name":"HEADFRAME_API_KEY"},"data":{"fields":["name"]},"context":{"run_id":null,"device_id":null,"media":[]}}]],["=_created",["~t"]]]]]]]},"s":[""],"n":"',
].join('');
