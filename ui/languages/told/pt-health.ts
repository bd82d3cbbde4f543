/** Texts of the gateway in Brazilian Portuguese: problems of the gateway. `docs/languages.md` has the glossary. */
import type { HealthTold } from './es-health.ts';

export const HEALTH_PT: Readonly<Record<HealthTold, string>> = {
  '{n} alert waits to be sent to devices, because the broker does not take the message (device {device}: {error}). The gateway tries again for seven days.|{n} alerts wait to be sent to devices, because the broker does not take the message (device {device}: {error}). The gateway tries again for seven days.':
    '{n} alerta espera o envio a dispositivos, porque o broker não aceita a mensagem (dispositivo {device}: {error}). O gateway tenta de novo durante sete dias.|{n} alertas esperam o envio a dispositivos, porque o broker não aceita a mensagem (dispositivo {device}: {error}). O gateway tenta de novo durante sete dias.',
  'Connect the light or horn, so that it takes its waiting messages, or delete the device.':
    'Conecte a luz ou a buzina, para que receba as mensagens em espera, ou apague o dispositivo.',
  'The disk is mounted read-only and refuses writes. Operating systems do that after disk errors.':
    'O disco está montado só para leitura e recusa gravações. Sistemas operacionais fazem isso depois de erros de disco.',
  'The gateway stores nothing. It acknowledges no messages, so devices keep them. Pages, lists and screens can still be read.':
    'O gateway não guarda nada. Não confirma mensagens, então os dispositivos as guardam. Páginas, listas e telas ainda podem ser lidas.',
  'Check the disk, then mount it for writing again. The gateway resumes without a restart.':
    'Verifique o disco e monte-o de novo para gravação. O gateway continua sem reinício.',
  'The disk is full.': 'O disco está cheio.',
  'Delete files that are not needed, or move them to another disk. The gateway resumes without a restart.':
    'Apague arquivos desnecessários, ou mova-os para outro disco. O gateway continua sem reinício.',
  'The disk has almost no room left (under 2 %).': 'O disco quase não tem mais espaço (menos de 2 %).',
  'The gateway does not accept measurements; devices keep them and send them later, as far as they can. Alerts, events and changes by people are stored.':
    'O gateway não aceita medições; os dispositivos as guardam e enviam depois, se possível. Alertas, eventos e mudanças de pessoas são guardados.',
  'Delete files that are not needed, or move them to another disk. The gateway accepts measurements again once there is space.':
    'Apague arquivos desnecessários, ou mova-os para outro disco. O gateway aceita medições de novo quando houver espaço.',
  'The disk has little room left (under 5 %).': 'O disco tem pouco espaço (menos de 5 %).',
  'The gateway stores no history: live values continue, but trends have a gap. Raw messages are kept only until they are processed.':
    'O gateway não guarda histórico: os valores ao vivo continuam, mas as tendências têm uma lacuna. Mensagens brutas são guardadas só até o processamento.',
  'Delete files that are not needed, or move them to another disk. The gateway stores history again once there is space.':
    'Apague arquivos desnecessários, ou mova-os para outro disco. O gateway guarda histórico de novo quando houver espaço.',
  'The disk is getting full (under 10 %).': 'O disco está enchendo (menos de 10 %).',
  'The gateway deletes the oldest raw messages early; values decoded from them can no longer be traced to their frames. It does not accept files from cameras and loggers; devices that can keep their files send them later.':
    'O gateway apaga antes as mensagens brutas mais antigas; valores decodificados delas não podem mais ser rastreados até os quadros. Não aceita arquivos de câmeras e registradores; dispositivos que conseguem guardar os arquivos os enviam depois.',
  'Delete files that are not needed, or move them to another disk.':
    'Apague arquivos desnecessários, ou mova-os para outro disco.',
  'The disk is slow: a write takes more than a fifth of a second.':
    'O disco está lento: uma gravação leva mais de um quinto de segundo.',
  'Nothing. Devices wait longer for acknowledgements, and values arrive later.':
    'Nada. Os dispositivos esperam mais pelas confirmações, e os valores chegam mais tarde.',
  'Check which other programs use the disk. A worn SD card or a failing disk also becomes slow: plan to replace it.':
    'Verifique quais outros programas usam o disco. Um cartão SD gasto ou um disco com defeito também fica lento: planeje a troca.',
  'Memory is almost used up (over 90 %).': 'A memória está quase esgotada (mais de 90 %).',
  'The gateway refuses new connections and does not accept measurements; devices keep them and send them later.':
    'O gateway recusa conexões novas e não aceita medições; os dispositivos as guardam e enviam depois.',
  'Close other programs on this computer, or add memory. If the gateway stops, it restarts automatically.':
    'Feche outros programas neste computador, ou acrescente memória. Se o gateway parar, ele reinicia automaticamente.',
  'Memory is getting short (over 80 %).': 'Resta pouca memória (mais de 80 % usada).',
  'The gateway refuses new connections. Open connections continue.':
    'O gateway recusa conexões novas. As conexões abertas continuam.',
  'Close other programs on this computer, or add memory.':
    'Feche outros programas neste computador, ou acrescente memória.',
  'The gateway cannot open more files and connections, because it has reached the limit of the operating system.':
    'O gateway não consegue abrir mais arquivos e conexões, porque chegou ao limite do sistema operacional.',
  'Raise the limit of open files (LimitNOFILE of the service, or `ulimit -n`) and start the gateway again.':
    'Aumente o limite de arquivos abertos (LimitNOFILE do serviço, ou `ulimit -n`) e inicie o gateway de novo.',
  'Devices wait for acknowledgements of messages that the gateway has not accepted.':
    'Os dispositivos esperam confirmações de mensagens que o gateway não aceitou.',
  'Nothing. The devices keep these messages; the gateway reconnects a few devices at a time so that they send them again.':
    'Nada. Os dispositivos guardam estas mensagens; o gateway reconecta poucos dispositivos por vez para que as enviem de novo.',
  'Nothing to do. It ends within a minute after the disk or memory shortage ends.':
    'Não há nada a fazer. Termina no máximo um minuto depois que acaba a falta de disco ou memória.',
  'The clock of this computer is not set: it shows a time before the last run of this gateway.':
    'O relógio deste computador não está acertado: mostra uma hora anterior à última execução deste gateway.',
  'The gateway continues from the time of its last run, so all times are too early. It deletes nothing because of age.':
    'O gateway continua da hora da última execução, então todos os horários são anteriores aos reais. Não apaga nada por idade.',
  'Connect to a time server or set the clock; the gateway follows at once. If the clock is right and was wrong in an earlier run, stop the gateway, delete clock.json in its data folder, and start it again.':
    'Conecte-se a um servidor de hora ou acerte o relógio; o gateway o segue na hora. Se o relógio está certo e estava errado antes, pare o gateway, apague clock.json na pasta de dados, e inicie-o de novo.',
  'The clock of this computer jumped by more than a day.': 'O relógio deste computador saltou mais de um dia.',
  'The gateway continues with its own time. It deletes nothing because of age.':
    'O gateway continua com sua própria hora. Não apaga nada por idade.',
  'Correct the clock. If the new time is right, restart the gateway.':
    'Corrija o relógio. Se a hora nova está certa, reinicie o gateway.',
  'The clock of this computer is more than a year ahead of the last run of this gateway.':
    'O relógio deste computador está mais de um ano à frente da última execução deste gateway.',
  'For a week the gateway deletes nothing because of age. After that it accepts the time.':
    'Durante uma semana o gateway não apaga nada por idade. Depois aceita a hora.',
  'Correct the clock if it is wrong. If it is right, delete clock.json in the data folder and restart the gateway.':
    'Corrija o relógio se estiver errado. Se estiver certo, apague clock.json na pasta de dados e reinicie o gateway.',
  'The device {device} stored the most data: {today} today, {total} in total.':
    'O dispositivo {device} guardou a maior quantidade de dados: {today} hoje, {total} no total.',
  'If that is too much, open the page of the device: quarantine the device there and purge its stored data.':
    'Se for demais, abra a página do dispositivo: ponha-o lá em quarentena e apague os dados guardados.',
  'The gateway could not store values and events since {since}. The messages stay in the journal. The log of the gateway has the cause.':
    'O gateway não conseguiu guardar valores e eventos desde {since}. As mensagens ficam no diário. O registro do gateway tem a causa.',
  'The gateway skipped {n} message because of an error in its code. The messages stay in the journal. The log of the gateway has the cause.|The gateway skipped {n} messages because of an error in its code. The messages stay in the journal. The log of the gateway has the cause.':
    'O gateway pulou {n} mensagem por um erro no código. As mensagens ficam no diário. O registro do gateway tem a causa.|O gateway pulou {n} mensagens por um erro no código. As mensagens ficam no diário. O registro do gateway tem a causa.',
  'The store refused {n} document, and the gateway skipped it. The messages from which it was made stay in the journal. The log of the gateway has the cause.|The store refused {n} documents, and the gateway skipped them. The messages from which they were made stay in the journal. The log of the gateway has the cause.':
    'O armazenamento recusou {n} documento, e o gateway o pulou. As mensagens de que ele veio ficam no diário. O registro do gateway tem a causa.|O armazenamento recusou {n} documentos, e o gateway os pulou. As mensagens de que vieram ficam no diário. O registro do gateway tem a causa.',
  '{n} device has a clock more than five minutes ahead. The data of these devices does not change the live status of machines.|{n} devices have clocks more than five minutes ahead. The data of these devices does not change the live status of machines.':
    '{n} dispositivo tem o relógio mais de cinco minutos adiantado. Os dados dele não mudam o estado ao vivo das máquinas.|{n} dispositivos têm o relógio mais de cinco minutos adiantado. Os dados deles não mudam o estado ao vivo das máquinas.',
  '{n} device has a clock more than five minutes behind (a device that sends an old recording looks the same). Its data counts as old and does not change the live status of machines.|{n} devices have clocks more than five minutes behind (a device that sends an old recording looks the same). Their data counts as old and does not change the live status of machines.':
    '{n} dispositivo tem o relógio mais de cinco minutos atrasado (um dispositivo que envia uma gravação antiga parece igual). Os dados contam como antigos e não mudam o estado ao vivo das máquinas.|{n} dispositivos têm o relógio mais de cinco minutos atrasado (um dispositivo que envia uma gravação antiga parece igual). Os dados contam como antigos e não mudam o estado ao vivo das máquinas.',
  'The gateway cannot write its journal, so it acknowledges no more messages of devices.':
    'O gateway não consegue gravar o diário, por isso não confirma mais mensagens de dispositivos.',
  '{n} device sends more than may be stored: {names}.|{n} devices send more than may be stored: {names}.':
    '{n} dispositivo envia mais do que pode ser guardado: {names}.|{n} dispositivos enviam mais do que pode ser guardado: {names}.',
  'Data over the daily budget is acknowledged and not stored. The log of the device has the number of lost messages.':
    'Dados acima do limite diário são confirmados e não guardados. O registro do dispositivo tem o número de mensagens perdidas.',
  'Open the device: quarantine it and purge its stored data, or set larger budgets in its settings.':
    'Abra o dispositivo: ponha-o em quarentena e apague os dados guardados, ou defina limites maiores nos ajustes.',
  'The clock of the logger {device} is {time} ahead. The bucket refuses its uploads until the clock is right.':
    'O relógio do registrador {device} está {time} adiantado. Os envios são recusados até o relógio estar certo.',
  'The clock of the logger {device} is {time} behind. The bucket refuses its uploads until the clock is right.':
    'O relógio do registrador {device} está {time} atrasado. Os envios são recusados até o relógio estar certo.',
  '{address} sent a wrong key or code {count} times since {since}; the last one was {what}. If you do not know this address, somebody may be guessing keys.':
    '{address} enviou uma chave ou um código errado {count} vezes desde {since}; o último foi {what}. Se você não conhece este endereço, alguém pode estar adivinhando chaves.',
  '{n} stored document does not fit the schema of this version, and lists leave it out: {names}. If a newer version of the gateway wrote it, install that version again.|{n} stored documents do not fit the schema of this version, and lists leave them out: {names}. If a newer version of the gateway wrote them, install that version again.':
    '{n} documento guardado não cabe nesta versão, e as listas o deixam fora: {names}. Se uma versão mais nova do gateway o escreveu, instale-a de novo.|{n} documentos guardados não cabem nesta versão, e as listas os deixam fora: {names}. Se uma versão mais nova do gateway os escreveu, instale-a de novo.',
  '{n} stored document has values that this version does not know and shows as unknown: {names}. The values are kept. Update this gateway to the version of the other end.|{n} stored documents have values that this version does not know and shows as unknown: {names}. The values are kept. Update this gateway to the version of the other end.':
    '{n} documento guardado tem valores que esta versão não conhece e mostra como desconhecidos: {names}. Os valores são mantidos. Atualize este gateway para a versão da outra ponta.|{n} documentos guardados têm valores que esta versão não conhece e mostra como desconhecidos: {names}. Os valores são mantidos. Atualize este gateway para a versão da outra ponta.',
  'The last backup failed ({message}).': 'A última cópia de segurança falhou ({message}).',
  'There is no older backup.': 'Não há cópia anterior.',
  'The newest backup is of {since}.': 'A cópia mais nova é de {since}.',
  '{what} {used}, more than the limit of {limit}. All samples older than 24 hours are already deleted.':
    '{what} {used}, mais que o limite de {limit}. Todas as amostras com mais de 24 horas já foram apagadas.',
  'The samples in the database have': 'As amostras no banco de dados têm',
  'The database has': 'O banco de dados tem',
  'Nothing. The database grows further and may fill the disk.': 'Nada. O banco de dados cresce e pode encher o disco.',
  'Use a larger disk, raise HEADFRAME_DATABASE_GIGABYTES or HEADFRAME_HISTORY_PERCENT, or purge the devices that store the most (`writers` in health).':
    'Use um disco maior, aumente HEADFRAME_DATABASE_GIGABYTES ou HEADFRAME_HISTORY_PERCENT, ou apague os dados dos dispositivos que mais guardam.',
  'Stop the gateway, run `headframe recovery-code --enter`, and start it again. Without the recovery code, set these secrets again.':
    'Pare o gateway, execute `headframe recovery-code --enter`, e inicie-o de novo. Sem o código de recuperação, defina estes segredos de novo.',
  'A project has {most} open alerts; {refused} more were not raised.':
    'Um projeto tem {most} alertas abertos; mais {refused} não foram ativados.',
  'new alerts of that project': 'alertas novos desse projeto',
  'Find the rule that raises so many, and mute or narrow it.':
    'Procure a regra que ativa tantos, e silencie-a ou restrinja-a.',
  '{n} webhook endpoint does not accept deliveries.|{n} webhook endpoints do not accept deliveries.':
    '{n} webhook não aceita entregas.|{n} webhooks não aceitam entregas.',
  'Read the last error of the endpoint. Pending deliveries are sent when it answers, for 7 days.':
    'Leia o último erro do webhook. Entregas pendentes são enviadas quando ele responde, durante 7 dias.',
  'The gateway did not stop cleanly last time. It checks its database now, while it serves requests.':
    'Na última vez o gateway não parou corretamente. Agora ele verifica o banco de dados enquanto atende.',
};
