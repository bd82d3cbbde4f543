/** The names of the boards of a new project in the language of the site. English needs no table, and neither does a language without one. */

const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  es: {
    'Fleet now': 'Flota ahora',
    'The machines in trouble, and the state of every machine.':
      'Las máquinas con problemas, y el estado de cada máquina.',
    Trends: 'Tendencias',
    'The fuel rate of the site and the highest coolant temperature, over the last half hour.':
      'El consumo de la faena y la temperatura más alta del refrigerante, en la última media hora.',
    'Machine numbers': 'Números de las máquinas',
    'The fuel in the tank of each machine, and the fuel of all machines together.':
      'El combustible en el estanque de cada máquina, y el de todas juntas.',
    'This shift': 'Este turno',
    'How the machines spent the current shift, against the target, and the longest stoppage.':
      'Cómo usaron las máquinas el turno actual, frente a la meta, y la detención más larga.',
    'Alerts and repairs': 'Alertas y reparaciones',
    'The problems that a person must look at now, and the open repairs.':
      'Los problemas que una persona debe ver ahora, y las reparaciones abiertas.',
    'Office TV': 'TV de la oficina',
  },
  pt: {
    'Fleet now': 'Frota agora',
    'The machines in trouble, and the state of every machine.':
      'As máquinas com problemas, e o estado de cada máquina.',
    Trends: 'Tendências',
    'The fuel rate of the site and the highest coolant temperature, over the last half hour.':
      'O consumo da mina e a temperatura mais alta do arrefecimento, na última meia hora.',
    'Machine numbers': 'Números das máquinas',
    'The fuel in the tank of each machine, and the fuel of all machines together.':
      'O combustível no tanque de cada máquina, e o de todas juntas.',
    'This shift': 'Este turno',
    'How the machines spent the current shift, against the target, and the longest stoppage.':
      'Como as máquinas passaram o turno atual, frente à meta, e a parada mais longa.',
    'Alerts and repairs': 'Alertas e reparos',
    'The problems that a person must look at now, and the open repairs.':
      'Os problemas que uma pessoa precisa ver agora, e os reparos abertos.',
    'Office TV': 'TV do escritório',
  },
  fr: {
    'Fleet now': 'La flotte maintenant',
    'The machines in trouble, and the state of every machine.': "Les engins en difficulté, et l'état de chaque engin.",
    Trends: 'Tendances',
    'The fuel rate of the site and the highest coolant temperature, over the last half hour.':
      'La consommation du site et la plus haute température du refroidissement, sur la dernière demi-heure.',
    'Machine numbers': 'Chiffres des engins',
    'The fuel in the tank of each machine, and the fuel of all machines together.':
      'Le carburant dans le réservoir de chaque engin, et celui de tous ensemble.',
    'This shift': 'Ce poste',
    'How the machines spent the current shift, against the target, and the longest stoppage.':
      "Comment les engins ont passé le poste en cours, par rapport à l'objectif, et l'arrêt le plus long.",
    'Alerts and repairs': 'Alertes et réparations',
    'The problems that a person must look at now, and the open repairs.':
      'Les problèmes à regarder maintenant, et les réparations ouvertes.',
    'Office TV': 'Téléviseur du bureau',
  },
  de: {
    'Fleet now': 'Flotte jetzt',
    'The machines in trouble, and the state of every machine.':
      'Die Maschinen mit Problemen, und der Zustand jeder Maschine.',
    Trends: 'Verläufe',
    'The fuel rate of the site and the highest coolant temperature, over the last half hour.':
      'Der Verbrauch des Betriebs und die höchste Kühlmitteltemperatur, in der letzten halben Stunde.',
    'Machine numbers': 'Zahlen der Maschinen',
    'The fuel in the tank of each machine, and the fuel of all machines together.':
      'Der Kraftstoff im Tank jeder Maschine, und der aller zusammen.',
    'This shift': 'Diese Schicht',
    'How the machines spent the current shift, against the target, and the longest stoppage.':
      'Was die Maschinen in dieser Schicht taten, gemessen am Ziel, und der längste Stillstand.',
    'Alerts and repairs': 'Alarme und Reparaturen',
    'The problems that a person must look at now, and the open repairs.':
      'Die Probleme, die jetzt jemand ansehen muss, und die offenen Reparaturen.',
    'Office TV': 'Fernseher im Büro',
  },
};

/** Returns the English name of a board of a new project in the language of a tag such as `pt-BR`. */
export const boardNameIn = (language: string, name: string): string =>
  NAMES[language.slice(0, 2).toLowerCase()]?.[name] ?? name;
