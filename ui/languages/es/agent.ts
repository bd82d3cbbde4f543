/** The texts of the page of the agent, its tasks and their undo, in Spanish. `docs/languages.md` has the glossary. */
export const AGENT_ES = {
  'Compatible with OpenAI (llama.cpp, Ollama, vLLM)': 'Compatible con OpenAI (llama.cpp, Ollama, vLLM)',
  'Only read': 'Solo leer',
  'Read, and plan changes without making them': 'Leer y planificar cambios sin hacerlos',
  'Read and make changes': 'Leer y hacer cambios',
  'Works at once': 'Trabaja de inmediato',
  'Waits for an approval': 'Espera una aprobación',
  Paused: 'En pausa',
  'Model server': 'Servidor del modelo',
  Address: 'Dirección',
  'For example {url}. Empty: no model. Prompts and what the tools read are sent there.':
    'Por ejemplo {url}. Vacío: sin modelo. Las instrucciones y lo que leen las herramientas se envían allí.',
  Model: 'Modelo',
  'A key is stored. Enter another one to replace it. A new address removes it.':
    'Hay una clave guardada. Ingrese otra para reemplazarla. Una dirección nueva la borra.',
  'Only if the server needs one. It is stored encrypted and never shown.':
    'Solo si el servidor la necesita. Se guarda cifrada y nunca se muestra.',
  'Prices and limits': 'Precios y límites',
  'Price of a million input tokens': 'Precio de un millón de tokens de entrada',
  'Price of a million output tokens': 'Precio de un millón de tokens de salida',
  'Without both prices the cost of a run is not known. Another model or address empties them.':
    'Sin ambos precios no se conoce el costo de una ejecución. Otro modelo u otra dirección los vacía.',
  'Largest cost of one run': 'Costo máximo de una ejecución',
  'Empty: no limit. It needs both prices.': 'Vacío: sin límite. Necesita ambos precios.',
  'Largest number of tokens of one run': 'Número máximo de tokens de una ejecución',
  'Input and output together, at least 1000. Empty: no limit.':
    'Entrada y salida juntas, al menos 1000. Vacío: sin límite.',
  'The agent': 'El agente',
  'Which machines are there?': '¿Qué máquinas hay?',
  'Try it': 'Probar',
  Prompt: 'Instrucción',
  'It may': 'Puede',
  'A model of your own can answer questions and do work with the tools of this gateway. Without a model the site works as before.':
    'Un modelo propio puede responder preguntas y trabajar con las herramientas de este gateway. Sin modelo, la faena funciona como antes.',
  'No model is set.': 'No hay modelo configurado.',
  '{model} at {url}.': '{model} en {url}.',
  'Ask the agent': 'Preguntar al agente',
  error: 'error',
  denied: 'denegado',
  Thinks: 'Piensa',
  'Uses {tool}': 'Usa {tool}',
  'Result of {tool}': 'Resultado de {tool}',
  Transcript: 'Transcripción',
  Approve: 'Aprobar',
  'Start again': 'Iniciar de nuevo',
  'The transcript has more entries: read them with {operation}.':
    'La transcripción tiene más entradas: léalas con {operation}.',
  Tasks: 'Tareas',
  'What the agent learned': 'Lo que aprendió el agente',
  'Facts about the site that runs of the agent found. Later runs get them. To remove one, ask the agent, or undo the task that found it.':
    'Hechos sobre el sitio que encontraron las ejecuciones del agente. Las ejecuciones posteriores los reciben. Para quitar uno, pídalo al agente o deshaga la tarea que lo encontró.',
  'No run has learned anything yet.': 'Ninguna ejecución ha aprendido nada todavía.',
  'The list shows the newest {count}.': 'La lista muestra los {count} más recientes.',
  'No prompt, custom action or setup was started yet.':
    'Aún no se ha iniciado ninguna instrucción, acción propia ni configuración.',
  Task: 'Tarea',
  Started: 'Iniciada',
  By: 'Por',
  'Undo the task': 'Deshacer la tarea',
  'Gets its earlier values back': 'Recupera sus valores anteriores',
  'Is taken out of use': 'Se retira del uso',
  'Is deleted': 'Se borra',
  Stays: 'Se queda',
  'An undo does not take back recorded services, sent messages and webhooks, counted downtime, and entries of logs.':
    'Deshacer no revierte mantenimientos registrados, mensajes y webhooks enviados, tiempo de detención contado ni entradas de registros.',
  'Run: {ids}': 'Ejecución: {ids}',
  'All {count} runs of this task that wrote, the newest first: {ids}':
    'Las {count} ejecuciones de esta tarea que escribieron, primero la más nueva: {ids}',
  'The run wrote nothing.': 'La ejecución no escribió nada.',
  'Take back what this task wrote?': '¿Revertir lo que escribió esta tarea?',
  'Nothing can be taken back.': 'No se puede revertir nada.',
  'The plan has no room for {n} further object. Undo the task again afterwards.|The plan has no room for {n} further objects. Undo the task again afterwards.':
    'El plan no tiene lugar para {n} objeto más. Después deshaga la tarea otra vez.|El plan no tiene lugar para {n} objetos más. Después deshaga la tarea otra vez.',
  'Take back': 'Revertir',
  'Alert rule': 'Regla de alerta',
  Board: 'Tablero',
  'DBC file': 'Archivo DBC',
  'Maintenance plan': 'Plan de mantenimiento',
  'Recorded service': 'Mantenimiento registrado',
  'Log entry': 'Entrada del registro',
  'Undo: {title}': 'Deshacer: {title}',
  'Shift report': 'Informe de turno',
} as const;

export type AgentText = keyof typeof AGENT_ES;
