/**
 * Headings of columns that describe a machine and do not say whether it is there, in all five languages. Dates of purchase and of the start
 * of work are no such columns: they say when a machine comes.
 */
import { phrases } from './phrases.ts';

/** A `measure` column has numbers, dates and units. A `paper` column has words, such as colours and names of insurers. */
export type Aside = 'measure' | 'paper';

export const ASIDE_HEADINGS = phrases<Aside>([
  [
    'measure',
    'price|purchase price|cost|value|book value|weight|operating weight|mass|capacity|payload|power|hours|engine hours|smu|meter|hour meter|km|mileage|odometer|next service|last service|service interval',
  ],
  [
    'paper',
    'bucket|engine|tank|tyres|tires|insurance|insurance no|policy|policy no|warranty|warranty until|colour|color|fuel|fuel type|cost centre|cost center|invoice|invoice no',
  ],
  [
    'measure',
    'precio|precio de compra|costo|coste|valor|peso|capacidad|carga útil|potencia|horas|horómetro|kilometraje|próximo servicio|último servicio|mantenimiento',
  ],
  [
    'paper',
    'motor|seguro|póliza|n° póliza|nº póliza|garantía|color|combustible|centro de costo|centro de coste|factura',
  ],
  [
    'measure',
    'preço|preço de compra|custo|capacidade|potência|horímetro|quilometragem|próxima revisão|última revisão|manutenção',
  ],
  ['paper', 'apólice|garantia|cor|combustível|centro de custo|fatura'],
  [
    'measure',
    "prix|prix d'achat|coût|valeur|poids|capacité|charge utile|puissance|heures|compteur|horamètre|kilométrage|prochain entretien|dernier entretien|entretien",
  ],
  ['paper', 'moteur|assurance|police|garantie|couleur|carburant|centre de coût|facture'],
  [
    'measure',
    'preis|kaufpreis|kosten|wert|buchwert|gewicht|einsatzgewicht|nutzlast|leistung|stunden|betriebsstunden|bstd.|bstd|kilometerstand|nächste wartung|letzte wartung|wartung|tüv|hu',
  ],
  ['paper', 'versicherung|police|garantie|farbe|kraftstoff|kostenstelle|rechnung'],
]);

/** Units and words that stand beside the number of a measure. */
export const MEASURE_WORDS = phrases<true>([
  [
    true,
    'hours|horas|heures|stunden|tonnes|tonnen|toneladas|litres|liters|litros|liter|cubic|metres|meters|metros|euro|dollars|usd|eur|service|servicio|revisão|entretien|wartung|inspektion|miles|days|weeks|months|años|anos|jahre|years',
  ],
]);
