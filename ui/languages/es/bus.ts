/** The texts of the bus monitor, in Spanish. `docs/languages.md` has the glossary. */
export const BUS_ES = {
  '{rate}, estimated': '{rate}, estimado',
  'Bit rate': 'Velocidad de bits',
  'Frames per second': 'Tramas por segundo',
  Frames: 'Tramas',
  '11-bit, not J1939': '11 bits, no J1939',
  Remote: 'Remotas',
  'Load of {bus}': 'Carga de {bus}',
  'Select the bit rate to see the load': 'Elija la velocidad de bits para ver la carga',
  'No traffic': 'Sin tráfico',
  Load: 'Carga',
  'Error frames': 'Tramas de error',
  'Code format of {unit} (ask the manufacturer)': 'Formato de códigos de {unit} (pregunte al fabricante)',
  'Version {n}': 'Versión {n}',
  active: 'activo',
  'was active': 'estuvo activo',
  'Control unit': 'Unidad de control',
  Times: 'Veces',
  'SPN unknown ({raw})': 'SPN desconocido ({raw})',
  Decoded: 'Decodificados',
  'Not decoded': 'Sin decodificar',
  'Parameter groups': 'Grupos de parámetros',
  'The gateway decodes all groups on this bus.': 'El gateway decodifica todos los grupos de este bus.',
  'No groups yet.': 'Aún sin grupos.',
  Group: 'Grupo',
  Groups: 'Grupos',
  'Sent by': 'Enviado por',
  'Per second': 'Por segundo',
  'not decoded': 'sin decodificar',
  'This list does not show {n} more group, which has fewer frames.|This list does not show {n} more groups, which have fewer frames.':
    'Esta lista no muestra {n} grupo más, que tiene menos tramas.|Esta lista no muestra {n} grupos más, que tienen menos tramas.',
  '{n} multi-packet message was incomplete. Complete: {complete}.|{n} multi-packet messages were incomplete. Complete: {complete}.':
    '{n} mensaje de varios paquetes llegó incompleto. Completos: {complete}.|{n} mensajes de varios paquetes llegaron incompletos. Completos: {complete}.',
  '{n} frame belongs to a message over 1,785 bytes (extended transport). The gateway does not decode it.|{n} frames belong to messages over 1,785 bytes (extended transport). The gateway does not decode them.':
    '{n} trama es de un mensaje de más de 1.785 bytes (transporte extendido). El gateway no la decodifica.|{n} tramas son de mensajes de más de 1.785 bytes (transporte extendido). El gateway no las decodifica.',
  '{n} frame is not counted because these tables are full.|{n} frames are not counted because these tables are full.':
    '{n} trama no se cuenta porque estas tablas están llenas.|{n} tramas no se cuentan porque estas tablas están llenas.',
  'manufacturer {code}': 'fabricante {code}',
  'Unknown unit': 'Unidad desconocida',
  'Function {n}': 'Función {n}',
  'serial {serial}': 'serie {serial}',
  '{unit}, no address': '{unit}, sin dirección',
  '{unit}, address {address}': '{unit}, dirección {address}',
  '{lamp}, unknown flash code': '{lamp}, código de destello desconocido',
  '{lamp} flashes fast': '{lamp} destella rápido',
  '{lamp} flashes slowly': '{lamp} destella lento',
  'none active': 'ninguno activo',
  '{n} active|{n} active': '{n} activo|{n} activos',
  Identification: 'Identificación',
  'no address': 'sin dirección',
  'was {address}': 'antes {address}',
  'No frames yet': 'Aún sin tramas',
  'The device has not sent anything. Put its key and the broker address into the device. The Devices page shows both when you provision a device.':
    'El dispositivo no ha enviado nada. Ponga su clave y la dirección del broker en el dispositivo. La página Dispositivos muestra ambas cuando usted prepara un dispositivo.',
  'The device sends data, but no CAN frames. Check that the machine is on, the wiring of CAN high and CAN low, and the bit rate of the logger (250 or 500 kbit/s).':
    'El dispositivo envía datos, pero ninguna trama CAN. Revise que la máquina esté encendida, el cableado de CAN high y CAN low, y la velocidad de bits del registrador (250 o 500 kbit/s).',
  'No frames for {age}. This page shows older data.':
    'Sin tramas desde hace {age}. Esta página muestra datos más antiguos.',
  'Newest frame {age} ago. Rates and load cover the last ten seconds.':
    'Trama más nueva hace {age}. Las frecuencias y la carga son de los últimos diez segundos.',
  'Control units': 'Unidades de control',
  'Bus monitor': 'Monitor de bus',
  'Provision the logger of a machine on the page {link}. This page then shows its buses.':
    'Prepare el registrador de una máquina en la página {link}. Después esta página muestra sus buses.',
} as const;

export type BusText = keyof typeof BUS_ES;
