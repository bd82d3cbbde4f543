/** The texts of the pages of health and encryption, in Brazilian Portuguese. `docs/languages.md` has the glossary. */
import type { SystemText } from '#ui/languages/es/system.ts';

export const SYSTEM_PT: Readonly<Record<SystemText, string>> = {
  'Screens, REST and MCP': 'Telas, REST e MCP',
  'MQTT with TLS': 'MQTT com TLS',
  'Bucket for loggers': 'Bucket para registradores',
  User: 'Usuário',
  Screen: 'Tela',
  'Pages on the port without TLS lead to the port with TLS. TVs, tablets, phones and programs must trust the site authority. Links and printed QR codes with http:// show a certificate warning on a phone that does not trust it. MQTT over WebSocket without TLS ends, too.':
    'As páginas da porta sem TLS levam à porta com TLS. TVs, tablets, celulares e programas devem confiar na autoridade da mina. Links e códigos QR impressos com http:// mostram um aviso de certificado em um celular que não confia nela. MQTT sobre WebSocket sem TLS também termina.',
  'Devices that connect without TLS are disconnected at once and cannot connect again.':
    'Os dispositivos que se conectam sem TLS são desconectados na hora e não podem se conectar de novo.',
  'Loggers that upload without TLS keep their files until their configuration has the port with TLS.':
    'Os registradores que enviam sem TLS guardam os arquivos até que a configuração deles tenha a porta com TLS.',
  'In the last {days} days nobody on another computer used {plain} without TLS.':
    'Nos últimos {days} dias ninguém usou {plain} sem TLS a partir de outro computador.',
  'Connected now': 'Conectado agora',
  '{n} client used {plain} without TLS in the last {days} days.|{n} clients used {plain} without TLS in the last {days} days.':
    '{n} cliente usou {plain} sem TLS nos últimos {days} dias.|{n} clientes usaram {plain} sem TLS nos últimos {days} dias.',
  'The newest {n}:': 'Os {n} mais novos:',
  Client: 'Cliente',
  'Last use': 'Último acesso',
  'Allow connections without TLS': 'Permitir conexões sem TLS',
  'Turn off connections without TLS now': 'Desligar agora as conexões sem TLS',
  'Encrypted only': 'Só criptografado',
  'Keep them': 'Manter',
  'No port': 'Sem porta',
  'Encrypted, {address}': 'Criptografado, {address}',
  '{plain} without TLS': '{plain} sem TLS',
  'Closed for other computers': 'Fechado para outros computadores',
  'Open, not encrypted, {address}': 'Aberto, sem criptografia, {address}',
  'Without TLS everybody on the network can read keys, passphrases and data. Let devices and people {link}, and then turn off connections without TLS, one listener after the other. Programs on the computer of the gateway are not affected. If nobody gets in any more, type {command} on this computer.':
    'Sem TLS, qualquer um na rede pode ler chaves, senhas e dados. Faça com que dispositivos e pessoas {link}, e depois desligue as conexões sem TLS, um serviço após o outro. Os programas no computador do gateway não são afetados. Se ninguém mais conseguir entrar, digite {command} neste computador.',
  'trust this gateway': 'confiem neste gateway',
  Messages: 'Mensagens',
  Frames: 'Quadros',
  Unreadable: 'Ilegíveis',
  Duplicates: 'Duplicados',
  Late: 'Com atraso',
  'Unknown PGNs': 'PGN desconhecidos',
  'Incomplete messages': 'Mensagens incompletas',
  '{n} raw file|{n} raw files': '{n} arquivo bruto|{n} arquivos brutos',
  '{n} sample|{n} samples': '{n} amostra|{n} amostras',
  '{n} refused message|{n} refused messages': '{n} mensagem recusada|{n} mensagens recusadas',
  'The gateway has a problem. See below what to do.': 'O gateway tem um problema. Veja abaixo o que fazer.',
  'Everything works.': 'Tudo funciona.',
  'The gateway works. {n} source sent data that the gateway refused or could not read:|The gateway works. {n} sources sent data that the gateway refused or could not read:':
    'O gateway funciona. {n} origem enviou dados que o gateway recusou ou não conseguiu ler:|O gateway funciona. {n} origens enviaram dados que o gateway recusou ou não conseguiu ler:',
  'The table below shows all sources.': 'A tabela abaixo mostra todas as origens.',
  'at least {text}': 'pelo menos {text}',
  Samples: 'Amostras',
  'Statistics of minutes': 'Estatísticas por minuto',
  'Raw messages': 'Mensagens brutas',
  '{size} of {limit}; kept {days} days': '{size} de {limit}; guardado por {days} dias',
  '{size} of {limit}, {back} days back; kept {days} days':
    '{size} de {limit}, {back} dias para trás; guardado por {days} dias',
  'none yet': 'nenhum ainda',
  '{count}; {size}, of which {history} history': '{count}; {size}, dos quais {history} de histórico',
  '{count}, the newest {age} old; {size}, of which {history} history':
    '{count}, o mais novo de {age} atrás; {size}, dos quais {history} de histórico',
  'The samples reached their share of the disk. The gateway deleted samples before their age of {days} days:':
    'As amostras chegaram à sua parte do disco. O gateway apagou amostras antes dos {days} dias:',
  'up to {time} ({age} ago)': 'até {time} (há {age})',
  'To keep samples longer, use a larger disk, or raise {percent} or {gigabytes}.':
    'Para guardar amostras por mais tempo, use um disco maior ou aumente {percent} ou {gigabytes}.',
  Version: 'Versão',
  'Running for': 'Em execução há',
  '{size} in {n} file|{size} in {n} files': '{size} em {n} arquivo|{size} em {n} arquivos',
  'Waiting to be processed': 'À espera de processamento',
  '{n} message|{n} messages': '{n} mensagem|{n} mensagens',
  'Last write to disk': 'Última gravação em disco',
  'took {ms} ms': 'levou {ms} ms',
  'Disk free': 'Disco livre',
  '{part} of {whole}': '{part} de {whole}',
  'Reserved disk space': 'Espaço de disco reservado',
  Database: 'Banco de dados',
  '{size}, at most {limit}': '{size}, no máximo {limit}',
  Backups: 'Cópias de segurança',
  'For {age}.': 'Há {age}.',
  'The gateway is losing data now: {gaps}. When this ends, the gateway adds it to the log of each machine and device.':
    'O gateway está perdendo dados agora: {gaps}. Quando isso terminar, o gateway anota no registro de cada máquina e dispositivo.',
  Sources: 'Origens',
  'No sources yet': 'Ainda sem origens',
  'This table shows each device that sends data.': 'Esta tabela mostra cada dispositivo que envia dados.',
  'Last error': 'Último erro',
};
