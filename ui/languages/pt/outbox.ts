/** The texts of the outbox, in Portuguese. `docs/languages.md` has the glossary. */
import type { OutboxText } from '#ui/languages/es/outbox.ts';

export const OUTBOX_PT: Readonly<Record<OutboxText, string>> = {
  'Changes that are not sent yet': 'Mudanças não enviadas',
  Outbox: 'Caixa de saída',
  Nothing: 'Nada',
  Field: 'Campo',
  '{who} saw': '{who} viu',
  '{who} wrote': '{who} escreveu',
  'Not known': 'Não se sabe',
  'Show what is there now': 'Mostrar o que há agora',
  'Write it anyway': 'Gravar mesmo assim',
  'Keep what is there now': 'Manter o que há agora',
  'Send it again': 'Enviar de novo',
  'Delete it for good': 'Apagar para sempre',
  'Delete it': 'Apagar',
  'Written {time} by {who}, by the clock of this device': 'Escrito {time} por {who}, pelo relógio deste dispositivo',
  'Written {time} by {who}': 'Escrito {time} por {who}',
  'a photo of {size} kB': 'uma foto de {size} kB',
  'Send now': 'Enviar agora',
  'What people write on this device is stored here first, and then sent. It stays here until the gateway has it, also if you close this page or switch the device off.':
    'O que se escreve neste dispositivo é guardado primeiro aqui e depois enviado. Fica aqui até o gateway receber, mesmo se você fechar esta página ou desligar o dispositivo.',
  'Room for {n} more change.|Room for {n} more changes.': 'Cabe mais {n} mudança.|Cabem mais {n} mudanças.',
  'Nothing waits': 'Nada em espera',
  'Everything that was written here is sent.': 'Tudo o que foi escrito aqui está enviado.',
  'Needs you': 'Precisa de você',
  'To send': 'Para enviar',
  'And {n} more to send.': 'E mais {n} para enviar.',
  'Sent last': 'Últimos enviados',
  '{n} change|{n} changes': '{n} mudança|{n} mudanças',
  '{n} change needs you|{n} changes need you': '{n} mudança precisa de você|{n} mudanças precisam de você',
  'Sending {changes}': 'Enviando {changes}',
  '{changes} to send': '{changes} para enviar',
  'This device keeps {n} change, and sends it by itself.|This device keeps {n} changes, and sends them by itself.':
    'Este dispositivo guarda {n} mudança e a envia automaticamente.|Este dispositivo guarda {n} mudanças e as envia automaticamente.',
  '{n} change needs the person who wrote it: sign in and open "Outbox".|{n} changes need the person who wrote them: sign in and open "Outbox".':
    '{n} mudança precisa de quem a escreveu: entre e abra "Caixa de saída".|{n} mudanças precisam de quem as escreveu: entre e abra "Caixa de saída".',
  Sent: 'Enviado',
  'The gateway has it.': 'O gateway recebeu.',
  'Somebody changed this after {who} saw it.': 'Alguém mudou depois que {who} viu.',
  'Changed meanwhile': 'Mudado nesse meio-tempo',
  '{says} Choose what counts.': '{says} Escolha o que vale.',
  Refused: 'Recusado',
  Waiting: 'Em espera',
  'An earlier change of the same record needs you first.':
    'Uma mudança anterior do mesmo registro precisa de você primeiro.',
  'It is sent when somebody signs in here.': 'É enviado quando alguém entra aqui.',
  '{message} It is sent again by itself.': '{message} O envio é repetido automaticamente.',
  'The gateway answers, but cannot take it now. It is sent again by itself.':
    'O gateway responde, mas não pode receber agora. O envio é repetido automaticamente.',
  'It is sent by itself when the gateway answers.': 'O envio é automático quando o gateway responde.',
  'Read it here. If it is still right, write it now. If not, delete it.':
    'Leia aqui. Se ainda estiver certo, escreva agora. Se não, apague.',
  '{who} signs in here and decides about it.': '{who} entra aqui e decide o que fazer.',
  'The gateway may have it already. Look at the record. Then send it again, or delete it here.':
    'O gateway talvez já o tenha. Veja o registro. Depois envie de novo ou apague aqui.',
  'Write it now': 'Escrever agora',
  'Your role may not do this. Ask a supervisor.': 'Sua função não pode fazer isto. Peça a um supervisor.',
  'The gateway already has a change with this id. Look at the record. Then delete this one here.':
    'O gateway já tem uma mudança com este id. Veja o registro. Depois apague esta aqui.',
  'This device works in another project now. Tell an admin.':
    'Este dispositivo trabalha agora em outro projeto. Avise um administrador.',
  'The record is gone. Delete this change, or write it to another record.':
    'O registro não existe mais. Apague esta mudança ou escreva em outro registro.',
  'Send it again later.': 'Envie de novo mais tarde.',
  'Send it again, or delete it and write it again.': 'Envie de novo, ou apague e escreva outra vez.',
  'This device keeps 1,000 changes that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Este dispositivo guarda 1.000 mudanças não enviadas e não pode guardar mais. Leve-o primeiro ao Wi-Fi da mina.',
  'This device keeps 60 MB of photos that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Este dispositivo guarda 60 MB de fotos não enviadas e não pode guardar mais. Leve-o primeiro ao Wi-Fi da mina.',
  'This form was saved before with other content, and the gateway may have it. Look at what you saved. Press again to save this as a new one.':
    'Este formulário já foi salvo com outro conteúdo, e talvez o gateway já o tenha. Veja o que você salvou. Pressione de novo para salvar isto como um registro novo.',
  'The gateway has not confirmed who you are. Try again when the gateway answers.':
    'O gateway não confirmou quem você é. Tente de novo quando o gateway responder.',
  'The gateway does not say what is there now. Try again when it answers.':
    'O gateway não diz o que há agora. Tente de novo quando ele responder.',
  'This write cannot be decided here. Delete it and write it again.':
    'Esta mudança não pode ser decidida aqui. Apague e escreva de novo.',
  'This is what is there now. Look at it, then choose again.': 'Isto é o que há agora. Veja e escolha de novo.',
  'This device does not have a photo of this inspection any more. Remove the photos of the item and take them again.':
    'Este dispositivo não tem mais uma foto desta inspeção. Remova as fotos do item e tire-as de novo.',
  'This is too long. Shorten it and try again.': 'Isto é longo demais. Encurte e tente de novo.',
};
