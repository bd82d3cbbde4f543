/** The texts of custom actions and of what a run keeps, in Spanish. `docs/languages.md` has the glossary. */
export const ACTIONS_ES = {
  'The whole site': 'Toda la faena',
  'One machine': 'Una máquina',
  'One location': 'Una ubicación',
  'Page Now': 'Página Ahora',
  'Page Now of shared tablets': 'Página Ahora de las tabletas compartidas',
  'Page of each machine': 'Página de cada máquina',
  'Page Map': 'Página Mapa',
  'Waits in the queue': 'Espera en la cola',
  'Runs now': 'En ejecución',
  Failed: 'Falló',
  'Needs an approval': 'Necesita una aprobación',
  'No model is set, so rules do this work.': 'No hay ningún modelo configurado, así que las reglas hacen este trabajo.',
  'No model is set, so each run fails at once. An admin sets a model on the page Agent.':
    'No hay modelo configurado, así que cada ejecución falla de inmediato. Un administrador configura un modelo en la página Agente.',
  'The agent is paused, so each run ends at once. An admin changes this on the page Agent.':
    'El agente está en pausa, así que cada ejecución termina de inmediato. Un administrador lo cambia en la página Agente.',
  'Each run waits for an approval first. Owners, admins and approvers give it on the page Agent.':
    'Cada ejecución espera primero una aprobación. La dan los propietarios, los administradores y los aprobadores en la página Agente.',
  'The settings of the agent are damaged, so each run fails. An admin saves them again on the page Agent.':
    'Los ajustes del agente están dañados, así que cada ejecución falla. Un administrador los guarda de nuevo en la página Agente.',
  Choose: 'Elija',
  Start: 'Iniciar',
  'Start {action}?': '¿Iniciar {action}?',
  'The run gave no answer.': 'La ejecución no dio respuesta.',
  Answer: 'Respuesta',
  'Open the task': 'Abrir la tarea',
  'Not started: the gateway does not answer. Press again later; the gateway starts it only once.':
    'No se inició: el gateway no responde. Pulse de nuevo más tarde; el gateway la inicia una sola vez.',
  Actions: 'Acciones',
  'The gateway does not answer, so the states below may be old.':
    'El gateway no responde, así que los estados de abajo pueden ser antiguos.',
  'The page shows the first {count} actions. The page Agent has all.':
    'La página muestra las primeras {count} acciones. La página Agente las tiene todas.',
  'Why is it silent?': '¿Por qué no envía datos?',
  'Find out why this machine sends no data, and say what a person can do on site.':
    'Averigüe por qué esta máquina no envía datos y diga qué puede hacer una persona en la faena.',
  'Summary of the day': 'Resumen del día',
  'Summarize the last day of the site: what stood still, what was repaired, and what needs somebody tomorrow.':
    'Resuma el último día de la faena: qué estuvo detenido, qué se reparó y qué necesita a alguien mañana.',
  'Who needs fuel?': '¿Quién necesita combustible?',
  'Which machines will need fuel in the next shift? List the emptiest first.':
    '¿Qué máquinas necesitarán combustible en el próximo turno? Nombre primero la que tiene menos.',
  'New action': 'Acción nueva',
  'Name on the button': 'Nombre en el botón',
  Emoji: 'Emoji',
  'One emoji. It stands before the name.': 'Un emoji. Está delante del nombre.',
  'Enter one emoji, such as {example}.': 'Ingrese un emoji, por ejemplo {example}.',
  'It concerns': 'Se refiere a',
  'What the model shall do. It gets the machine or location of the run by itself.':
    'Lo que debe hacer el modelo. Recibe por sí solo la máquina o la ubicación de la ejecución.',
  'Offered on': 'Se ofrece en',
  'Mechanics and operators can start an action there. This page offers every action.':
    'Allí la pueden iniciar mecánicos y operadores. Esta página ofrece todas las acciones.',
  'Skill (optional)': 'Habilidad (opcional)',
  'Its instructions are added to the prompt. An imported skill, or one of {skills}.':
    'Sus indicaciones se agregan a la instrucción. Una habilidad importada o una de {skills}.',
  'Actions with smaller numbers stand first.': 'Las acciones con números menores van primero.',
  'Ask before it starts': 'Preguntar antes de iniciarla',
  'People may start it': 'Se puede iniciar',
  'Create the action': 'Crear la acción',
  'Nobody may start it': 'Nadie la puede iniciar',
  'Only on this page': 'Solo en esta página',
  'Delete now': 'Borrar ahora',
  'Its tasks stay.': 'Sus tareas se conservan.',
  'Custom actions': 'Acciones propias',
  'An action is a button with a prompt that somebody wrote once. Whoever presses it starts a run of the model, also a mechanic or an operator.':
    'Una acción es un botón con una instrucción que alguien escribió una vez. Quien lo pulsa inicia una ejecución del modelo, también un mecánico o un operador.',
  'Not saved: another person changed this action. Open the form again to see the change.':
    'No se guardó: otra persona cambió esta acción. Abra el formulario de nuevo para ver el cambio.',
  'No custom actions yet.': 'Aún no hay acciones propias.',
  'Those of the default list': 'Las de la lista predeterminada',
  'Only owners and admins': 'Solo los propietarios y los administradores',
  'Owners and admins approve. A supervisor who shall approve too needs an account first.':
    'Aprueban los propietarios y los administradores. Un supervisor que también deba aprobar necesita primero una cuenta.',
  Approvers: 'Aprobadores',
  'Owners and admins approve anyway. A key of an agent never does.':
    'Los propietarios y los administradores aprueban siempre. Una clave de un agente, nunca.',
  Action: 'Acción',
  Skill: 'Habilidad',
  'Allowed tools': 'Herramientas permitidas',
  'Names of tools': 'Nombres de herramientas',
  'One name a line. A run may use these tools and no others. Empty: those of the default list.':
    'Un nombre por línea. Una ejecución puede usar estas herramientas y ninguna otra. Vacío: las de la lista predeterminada.',
  'Action, revision {n}': 'Acción, revisión {n}',
  'Skill, revision {n}': 'Habilidad, revisión {n}',
  'Settings of the agent, revision {n}': 'Ajustes del agente, revisión {n}',
  'No hash: an early version of the gateway made this run.':
    'Sin hash: una versión anterior del gateway creó esta ejecución.',
  'The stored copy does not have this hash: it was changed outside the gateway.':
    'La copia guardada no tiene este hash: se cambió fuera del gateway.',
  'The run keeps nothing.': 'La ejecución no conserva nada.',
  'As it was at the start': 'Como era al inicio',
  'Later changes of the action, the skill and the settings do not change this run.':
    'Los cambios posteriores de la acción, la habilidad y los ajustes no cambian esta ejecución.',
  'Not marked: the gateway does not answer. Press again later.':
    'No se marcó: el gateway no responde. Pulse de nuevo más tarde.',
  'Mark {n} alert as read|Mark {n} alerts as read': 'Marcar {n} alerta como leída|Marcar {n} alertas como leídas',
  'Show {n} removed': 'Mostrar {n} quitadas',
  'Read and removed holds for everybody at this site. The alerts themselves stay.':
    'Leídas y quitadas vale para todos en esta faena. Las alertas mismas se conservan.',
  'Not read yet': 'Sin leer',
  'Removed from the list': 'Quitada de la lista',
  'Remove from the list': 'Quitar de la lista',
  'Start with an example:': 'Empiece con un ejemplo:',
} as const;

export type ActionsText = keyof typeof ACTIONS_ES;
