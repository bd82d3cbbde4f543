/** The texts of the pages of devices, in Portuguese. `docs/languages.md` has the glossary. */
import type { DevicesText } from '#ui/languages/es/devices.ts';

export const DEVICES_PT: Readonly<Record<DevicesText, string>> = {
  works: 'funciona',
  'does not work': 'não funciona',
  'not checked yet': 'ainda não verificado',
  'Data stops at this step: {title}.': 'Os dados param neste passo: {title}.',
  'What to do: {remedy}': 'O que fazer: {remedy}',
  'Data path': 'Caminho dos dados',
  'No connection': 'Sem conexão',
  'Not transmitting yet': 'Ainda não transmite',
  'Login refused': 'Acesso recusado',
  'Wrong topic': 'Tópico errado',
  'Sends no data yet': 'Ainda não envia dados',
  'Unreadable data': 'Dados ilegíveis',
  'Sends no data now': 'Agora não envia dados',
  'Not linked': 'Não vinculado',
  'No usable values': 'Sem valores úteis',
  'No live values yet': 'Ainda sem valores ao vivo',
  'Show all steps of the device': 'Mostrar todos os passos do dispositivo',
  'never used': 'nunca usado',
  'last used {age} ago': 'usado pela última vez há {age}',
  'The logger cannot upload: the old key pair has expired, and the logger does not use the new one. Copy the configuration with the new key pair to the SD card of the logger.':
    'O registrador não pode enviar arquivos: o par de chaves antigo expirou e o registrador não usa o novo. Copie a configuração com o par novo para o cartão SD do registrador.',
  'The logger uses the new key pair. The old pair expires in {left}.':
    'O registrador usa o par de chaves novo. O antigo expira em {left}.',
  'The new key pair is in the configuration of the logger, which checks every ten minutes. The old pair expires in {left}. Replace the pair again to extend this time.':
    'O par de chaves novo está na configuração do registrador, que consulta a cada dez minutos. O par antigo expira em {left}. Substitua o par de novo para estender este tempo.',
  'Save the configuration of the logger here, or copy the new key pair to the logger. The old pair expires in {left}.':
    'Salve aqui a configuração do registrador, ou copie o par novo para o registrador. O par antigo expira em {left}.',
  'Replace the key pair': 'Substituir o par de chaves',
  'The logger gets the new pair with its configuration. The old pair works until the logger reports that it uses the new one.':
    'O registrador recebe o par novo com a configuração. O par antigo funciona até o registrador informar que usa o novo.',
  'The gateway has no configuration for this logger, so it cannot send the new pair. Save the configuration first, or copy the new pair to the logger.':
    'O gateway não tem a configuração deste registrador, então não pode enviar o par novo. Salve primeiro a configuração, ou copie o par novo para o registrador.',
  'Keep the old pair valid for': 'Manter o par antigo válido por',
  'Select a time longer than the logger may be without a connection.':
    'Escolha um tempo maior do que o registrador possa ficar sem conexão.',
  Replacing: 'Substituindo',
  'Bucket key': 'Chave de envio',
  'This logger has no key pair. Replace the key pair to create one and add it to the configuration.':
    'Este registrador não tem par de chaves. Substitua o par de chaves para criar um e adicioná-lo à configuração.',
  'Old pair {key}': 'Par antigo {key}',
  'expired {age} ago': 'expirado há {age}',
  'There is no configuration file for this logger yet. Save the configuration to create it.':
    'Ainda não há arquivo de configuração para este registrador. Salve a configuração para criá-lo.',
  'The gateway does not know the firmware of this logger yet.':
    'O gateway ainda não conhece o firmware deste registrador.',
  'This logger has not sent data yet.': 'Este registrador ainda não enviou dados.',
  'To create the configuration file for its SD card, enter the firmware version and save.':
    'Para criar o arquivo de configuração do cartão SD, digite a versão do firmware e salve.',
  'Checked against the schema of the logger': 'Verificada com o esquema do registrador',
  'Not checked: the logger has not uploaded its schema yet':
    'Não verificada: o registrador ainda não enviou seu esquema',
  'Passwords are encrypted: only this logger can read them':
    'As senhas são criptografadas: só este registrador pode lê-las',
  'Passwords are not encrypted: the logger has not sent its public key yet':
    'As senhas não são criptografadas: o registrador ainda não enviou sua chave pública',
  'The logger uses this configuration': 'O registrador usa esta configuração',
  'The logger does not use this configuration yet. It checks for a new one every ten minutes.':
    'O registrador ainda não usa esta configuração. Procura uma nova a cada dez minutos.',
  'The text is not valid JSON: {problem}': 'O texto não é JSON válido: {problem}',
  Configuration: 'Configuração',
  'Download for the SD card': 'Baixar para o cartão SD',
  'The settings of this logger, in the format of its manufacturer. Passwords show as ********; leave them so to keep them. The gateway fills in its own address and keys.':
    'Os ajustes deste registrador, no formato do fabricante. As senhas aparecem como ********; deixe-as assim para mantê-las. O gateway preenche seu próprio endereço e suas chaves.',
  Firmware: 'Firmware',
  'From the file name on the SD card: for config-01.09.json enter 01.09':
    'Do nome do arquivo no cartão SD: para config-01.09.json digite 01.09',
  'Configuration as JSON': 'Configuração como JSON',
  Files: 'Arquivos',
  'No files yet': 'Ainda sem arquivos',
  'This list shows logs that the device uploads and pictures of a camera.':
    'Esta lista mostra os registros que o dispositivo envia e as imagens de uma câmera.',
  'This page shows the 20 newest files. Use the API to list all.':
    'Esta página mostra os 20 arquivos mais novos. Use a API para listar todos.',
  'Encrypted log files': 'Arquivos de registro criptografados',
  'Files with names that end in MFE or MFM are encrypted. The gateway stores the password encrypted and never shows it. After you save the password, decode the file again.':
    'Arquivos com nome que termina em MFE ou MFM são criptografados. O gateway guarda a senha criptografada e nunca a mostra. Depois de salvar a senha, decodifique o arquivo de novo.',
  'Save password': 'Salvar a senha',
  'Password of the log files': 'Senha dos arquivos de registro',
  'Saved. The gateway tries {n} stored password.|Saved. The gateway tries {n} stored passwords.':
    'Salva. O gateway tenta {n} senha guardada.|Salva. O gateway tenta {n} senhas guardadas.',
  'The gateway did not accept the upload. Try again.': 'O gateway não aceitou o envio. Tente de novo.',
  'The upload failed with status {status}. Try again.': 'O envio falhou com o status {status}. Tente de novo.',
  'The logger runs {version}, the offered version.': 'O registrador usa {version}, a versão oferecida.',
  'The logger runs {version}.': 'O registrador usa {version}.',
  '{model} firmware {version} ({size}) is ready for the logger.':
    'O firmware {version} de {model} ({size}) está pronto para o registrador.',
  '{model} firmware {version} ({size}) is ready for the logger, which runs {running}.':
    'O firmware {version} de {model} ({size}) está pronto para o registrador, que usa {running}.',
  'Its configuration is {file}.': 'Sua configuração é {file}.',
  Uploading: 'Enviando',
  'Offer a firmware file': 'Oferecer um arquivo de firmware',
  'Withdraw the offer': 'Retirar a oferta',
  'Serial number {serial}': 'Número de série {serial}',
  'Machine {unit}': 'Máquina {unit}',
  Label: 'Etiqueta',
  'Print label': 'Imprimir a etiqueta',
  'Reported by the device': 'Informado pelo dispositivo',
  'All devices': 'Todos os dispositivos',
  'The device has not sent data yet.': 'O dispositivo ainda não enviou dados.',
  'Last data {age} ago.': 'Últimos dados há {age}.',
  'The diagnosis, the key, the configuration and the firmware of this device':
    'O diagnóstico, a chave, a configuração e o firmware deste dispositivo',
  'ID for the API': 'ID para a API',
  'Machine of {device}': 'Máquina de {device}',
  'Provision a device': 'Preparar um dispositivo',
  'New devices and their links to machines': 'Os dispositivos novos e seu vínculo com as máquinas',
  devices: 'dispositivos',
  'No devices yet': 'Ainda sem dispositivos',
  'Provision the logger of a machine. The gateway shows its key only once.':
    'Prepare o registrador de uma máquina. O gateway mostra a chave uma só vez.',
  'An admin provisions the loggers of the machines.': 'Um administrador prepara os registradores das máquinas.',
  Progress: 'Progresso',
  'Last seen': 'Visto pela última vez',
  Messages: 'Mensagens',
  Errors: 'Erros',
  'Delete the data of this device': 'Apagar os dados deste dispositivo',
  'The gateway deletes the log entries that this device caused, and its files. You cannot undo this. Notes of people stay.':
    'O gateway apaga as entradas do registro que este dispositivo causou, e seus arquivos. Não é possível desfazer. As notas das pessoas ficam.',
  'Also delete the history of its machine since the device was linked':
    'Apagar também o histórico da máquina desde que o dispositivo foi vinculado',
  Deleting: 'Apagando',
  'Deleted so far: {events} log entries, {files} files, {segments} history segments. {size} of disk space is free again.':
    'Apagado até agora: {events} entradas do registro, {files} arquivos, {segments} trechos do histórico. {size} de disco estão livres de novo.',
  'Deleted: {events} log entries, {files} files, {segments} history segments. {size} of disk space is free again.':
    'Apagado: {events} entradas do registro, {files} arquivos, {segments} trechos do histórico. {size} de disco estão livres de novo.',
  'Storage and quarantine': 'Armazenamento e quarentena',
  '{device} stored {today} today and {total} in total.': '{device} guardou {today} hoje e {total} no total.',
  'The gateway did not store {n} item: the device exceeded its budget.|The gateway did not store {n} items: the device exceeded its budget.':
    'O gateway não guardou {n} item: o dispositivo ultrapassou sua cota.|O gateway não guardou {n} itens: o dispositivo ultrapassou sua cota.',
  'Quarantine closes the connections of the device and refuses its keys. Its data stays.':
    'A quarentena fecha as conexões do dispositivo e recusa suas chaves. Seus dados ficam.',
  'Quarantined by {name}. The gateway refuses its keys.':
    'Posto em quarentena por {name}. O gateway recusa suas chaves.',
  'Quarantined by {name}: {reason}. The gateway refuses its keys.':
    'Posto em quarentena por {name}: {reason}. O gateway recusa suas chaves.',
  Quarantine: 'Pôr em quarentena',
  'End quarantine': 'Encerrar a quarentena',
};
