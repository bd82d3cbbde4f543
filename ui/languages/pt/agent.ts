/** The texts of the page of the agent, its tasks and their undo, in Brazilian Portuguese. `docs/languages.md` has the glossary. */
import type { AgentText } from '#ui/languages/es/agent.ts';

export const AGENT_PT: Readonly<Record<AgentText, string>> = {
  'Compatible with OpenAI (llama.cpp, Ollama, vLLM)': 'Compatível com OpenAI (llama.cpp, Ollama, vLLM)',
  'Only read': 'Só ler',
  'Read, and plan changes without making them': 'Ler e planejar mudanças sem fazê-las',
  'Read and make changes': 'Ler e fazer mudanças',
  'Works at once': 'Trabalha na hora',
  'Waits for an approval': 'Espera uma aprovação',
  Paused: 'Em pausa',
  'Model server': 'Servidor do modelo',
  Address: 'Endereço',
  'For example {url}. Empty: no model. Prompts and what the tools read are sent there.':
    'Por exemplo {url}. Vazio: sem modelo. As instruções e o que as ferramentas leem são enviados para lá.',
  Model: 'Modelo',
  'A key is stored. Enter another one to replace it. A new address removes it.':
    'Há uma chave salva. Digite outra para substituí-la. Um endereço novo a apaga.',
  'Only if the server needs one. It is stored encrypted and never shown.':
    'Só se o servidor precisar. Ela é guardada criptografada e nunca é mostrada.',
  'Prices and limits': 'Preços e limites',
  'Price of a million input tokens': 'Preço de um milhão de tokens de entrada',
  'Price of a million output tokens': 'Preço de um milhão de tokens de saída',
  'Without both prices the cost of a run is not known. Another model or address empties them.':
    'Sem os dois preços, o custo de uma execução não é conhecido. Outro modelo ou outro endereço os apaga.',
  'Largest cost of one run': 'Custo máximo de uma execução',
  'Empty: no limit. It needs both prices.': 'Vazio: sem limite. Precisa dos dois preços.',
  'Largest number of tokens of one run': 'Número máximo de tokens de uma execução',
  'Input and output together, at least 1000. Empty: no limit.':
    'Entrada e saída juntas, pelo menos 1000. Vazio: sem limite.',
  'The agent': 'O agente',
  'Which machines are there?': 'Quais máquinas existem?',
  'Try it': 'Testar',
  Prompt: 'Instrução',
  'It may': 'Ele pode',
  'A model of your own can answer questions and do work with the tools of this gateway. Without a model the site works as before.':
    'Um modelo próprio pode responder perguntas e trabalhar com as ferramentas deste gateway. Sem modelo, a mina funciona como antes.',
  'No model is set.': 'Nenhum modelo configurado.',
  '{model} at {url}.': '{model} em {url}.',
  'Ask the agent': 'Perguntar ao agente',
  error: 'erro',
  denied: 'negado',
  Thinks: 'Pensa',
  'Uses {tool}': 'Usa {tool}',
  'Result of {tool}': 'Resultado de {tool}',
  Transcript: 'Transcrição',
  Approve: 'Aprovar',
  'Start again': 'Iniciar de novo',
  'The transcript has more entries: read them with {operation}.':
    'A transcrição tem mais registros: leia-os com {operation}.',
  Tasks: 'Tarefas',
  'What the agent learned': 'O que o agente aprendeu',
  'Facts about the site that runs of the agent found. Later runs get them. To remove one, ask the agent, or undo the task that found it.':
    'Fatos sobre o local que as execuções do agente encontraram. As execuções seguintes os recebem. Para remover um, peça ao agente ou desfaça a tarefa que o encontrou.',
  'No run has learned anything yet.': 'Nenhuma execução aprendeu nada ainda.',
  'The list shows the newest {count}.': 'A lista mostra os {count} mais recentes.',
  'No prompt, custom action or setup was started yet.':
    'Ainda não foi iniciada nenhuma instrução, ação própria nem configuração.',
  Task: 'Tarefa',
  Started: 'Iniciada',
  By: 'Por',
  'Undo the task': 'Desfazer a tarefa',
  'Gets its earlier values back': 'Recebe de volta os valores anteriores',
  'Is taken out of use': 'É retirado de uso',
  'Is deleted': 'É apagado',
  Stays: 'Fica',
  'An undo does not take back recorded services, sent messages and webhooks, counted downtime, and entries of logs.':
    'Desfazer não reverte manutenções registradas, mensagens e webhooks enviados, tempo de parada contado nem entradas de registros.',
  'Run: {ids}': 'Execução: {ids}',
  'All {count} runs of this task that wrote, the newest first: {ids}':
    'As {count} execuções desta tarefa que gravaram, a mais nova primeiro: {ids}',
  'The run wrote nothing.': 'A execução não gravou nada.',
  'Take back what this task wrote?': 'Reverter o que esta tarefa gravou?',
  'Nothing can be taken back.': 'Nada pode ser revertido.',
  'The plan has no room for {n} further object. Undo the task again afterwards.|The plan has no room for {n} further objects. Undo the task again afterwards.':
    'O plano não tem lugar para mais {n} objeto. Depois desfaça a tarefa outra vez.|O plano não tem lugar para mais {n} objetos. Depois desfaça a tarefa outra vez.',
  'Take back': 'Reverter',
  'Alert rule': 'Regra de alerta',
  Board: 'Painel',
  'DBC file': 'Arquivo DBC',
  'Maintenance plan': 'Plano de manutenção',
  'Recorded service': 'Manutenção registrada',
  'Log entry': 'Entrada do registro',
  'Undo: {title}': 'Desfazer: {title}',
  'Shift report': 'Relatório de turno',
};
