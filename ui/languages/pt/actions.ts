/** The texts of custom actions and of what a run keeps, in Portuguese. `docs/languages.md` has the glossary. */
import type { ActionsText } from '#ui/languages/es/actions.ts';

export const ACTIONS_PT: Readonly<Record<ActionsText, string>> = {
  'The whole site': 'Toda a mina',
  'One machine': 'Uma máquina',
  'One location': 'Uma localização',
  'Page Now': 'Página Agora',
  'Page Now of shared tablets': 'Página Agora dos tablets compartilhados',
  'Page of each machine': 'Página de cada máquina',
  'Page Map': 'Página Mapa',
  'Waits in the queue': 'Espera na fila',
  'Runs now': 'Em execução',
  Failed: 'Falhou',
  'Needs an approval': 'Precisa de uma aprovação',
  'No model is set, so rules do this work.': 'Nenhum modelo está definido, então regras fazem este trabalho.',
  'No model is set, so each run fails at once. An admin sets a model on the page Agent.':
    'Nenhum modelo está configurado, por isso cada execução falha de imediato. Um administrador configura um modelo na página Agente.',
  'The agent is paused, so each run ends at once. An admin changes this on the page Agent.':
    'O agente está em pausa, por isso cada execução termina de imediato. Um administrador muda isso na página Agente.',
  'Each run waits for an approval first. Owners, admins and approvers give it on the page Agent.':
    'Cada execução espera primeiro uma aprovação. Proprietários, administradores e aprovadores a dão na página Agente.',
  'The settings of the agent are damaged, so each run fails. An admin saves them again on the page Agent.':
    'As configurações do agente estão danificadas, por isso cada execução falha. Um administrador as salva de novo na página Agente.',
  Choose: 'Escolha',
  Start: 'Iniciar',
  'Start {action}?': 'Iniciar {action}?',
  'The run gave no answer.': 'A execução não deu resposta.',
  Answer: 'Resposta',
  'Open the task': 'Abrir a tarefa',
  'Not started: the gateway does not answer. Press again later; the gateway starts it only once.':
    'Não iniciada: o gateway não responde. Pressione de novo mais tarde; o gateway a inicia só uma vez.',
  Actions: 'Ações',
  'The gateway does not answer, so the states below may be old.':
    'O gateway não responde, por isso os estados abaixo podem ser antigos.',
  'The page shows the first {count} actions. The page Agent has all.':
    'A página mostra as primeiras {count} ações. A página Agente tem todas.',
  'Why is it silent?': 'Por que não envia dados?',
  'Find out why this machine sends no data, and say what a person can do on site.':
    'Descubra por que esta máquina não envia dados e diga o que uma pessoa pode fazer na mina.',
  'Summary of the day': 'Resumo do dia',
  'Summarize the last day of the site: what stood still, what was repaired, and what needs somebody tomorrow.':
    'Resuma o último dia da mina: o que ficou parado, o que foi reparado e o que precisa de alguém amanhã.',
  'Who needs fuel?': 'Quem precisa de combustível?',
  'Which machines will need fuel in the next shift? List the emptiest first.':
    'Quais máquinas vão precisar de combustível no próximo turno? Cite primeiro a que tem menos.',
  'New action': 'Nova ação',
  'Name on the button': 'Nome no botão',
  Emoji: 'Emoji',
  'One emoji. It stands before the name.': 'Um emoji. Fica antes do nome.',
  'Enter one emoji, such as {example}.': 'Insira um emoji, por exemplo {example}.',
  'It concerns': 'Refere-se a',
  'What the model shall do. It gets the machine or location of the run by itself.':
    'O que o modelo deve fazer. Ele recebe sozinho a máquina ou a localização da execução.',
  'Offered on': 'Oferecida em',
  'Mechanics and operators can start an action there. This page offers every action.':
    'Lá mecânicos e operadores podem iniciá-la. Esta página oferece todas as ações.',
  'Skill (optional)': 'Habilidade (opcional)',
  'Its instructions are added to the prompt. An imported skill, or one of {skills}.':
    'As indicações dela são somadas à instrução. Uma habilidade importada ou uma de {skills}.',
  'Actions with smaller numbers stand first.': 'Ações com números menores vêm primeiro.',
  'Ask before it starts': 'Perguntar antes de iniciar',
  'People may start it': 'Pode ser iniciada',
  'Create the action': 'Criar a ação',
  'Nobody may start it': 'Ninguém pode iniciá-la',
  'Only on this page': 'Só nesta página',
  'Delete now': 'Excluir agora',
  'Its tasks stay.': 'As tarefas dela ficam.',
  'Custom actions': 'Ações próprias',
  'An action is a button with a prompt that somebody wrote once. Whoever presses it starts a run of the model, also a mechanic or an operator.':
    'Uma ação é um botão com uma instrução que alguém escreveu uma vez. Quem o pressiona inicia uma execução do modelo, também um mecânico ou um operador.',
  'Not saved: another person changed this action. Open the form again to see the change.':
    'Não salvo: outra pessoa mudou esta ação. Abra o formulário de novo para ver a mudança.',
  'No custom actions yet.': 'Ainda não há ações próprias.',
  'Those of the default list': 'As da lista padrão',
  'Only owners and admins': 'Só proprietários e administradores',
  'Owners and admins approve. A supervisor who shall approve too needs an account first.':
    'Proprietários e administradores aprovam. Um supervisor que também deva aprovar precisa primeiro de uma conta.',
  Approvers: 'Aprovadores',
  'Owners and admins approve anyway. A key of an agent never does.':
    'Proprietários e administradores aprovam sempre. Uma chave de um agente, nunca.',
  Action: 'Ação',
  Skill: 'Habilidade',
  'Allowed tools': 'Ferramentas permitidas',
  'Names of tools': 'Nomes de ferramentas',
  'One name a line. A run may use these tools and no others. Empty: those of the default list.':
    'Um nome por linha. Uma execução pode usar estas ferramentas e nenhuma outra. Vazio: as da lista padrão.',
  'Action, revision {n}': 'Ação, revisão {n}',
  'Skill, revision {n}': 'Habilidade, revisão {n}',
  'Settings of the agent, revision {n}': 'Configurações do agente, revisão {n}',
  'No hash: an early version of the gateway made this run.':
    'Sem hash: uma versão anterior do gateway criou esta execução.',
  'The stored copy does not have this hash: it was changed outside the gateway.':
    'A cópia guardada não tem este hash: foi mudada fora do gateway.',
  'The run keeps nothing.': 'A execução não conserva nada.',
  'As it was at the start': 'Como era no início',
  'Later changes of the action, the skill and the settings do not change this run.':
    'Mudanças posteriores da ação, da habilidade e das configurações não mudam esta execução.',
  'Not marked: the gateway does not answer. Press again later.':
    'Não marcado: o gateway não responde. Pressione de novo mais tarde.',
  'Mark {n} alert as read|Mark {n} alerts as read': 'Marcar {n} alerta como lido|Marcar {n} alertas como lidos',
  'Show {n} removed': 'Mostrar {n} removidos',
  'Read and removed holds for everybody at this site. The alerts themselves stay.':
    'Lidos e removidos vale para todos nesta mina. Os próprios alertas ficam.',
  'Not read yet': 'Ainda não lido',
  'Removed from the list': 'Removido da lista',
  'Remove from the list': 'Remover da lista',
  'Start with an example:': 'Comece com um exemplo:',
};
