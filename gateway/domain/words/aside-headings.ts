/** Headings of columns that never say whether a machine is there, in all five languages: measures, prices, hours, services, papers. */
import { phrases } from './phrases.ts';

export const ASIDE_HEADINGS = phrases<true>([
  [
    true,
    'price|purchase price|cost|value|book value|weight|operating weight|mass|capacity|payload|bucket|power|engine|tank|tyres|tires|hours|engine hours|smu|meter|hour meter|km|mileage|odometer|bought|purchased|purchase date|date of purchase|commissioned|next service|last service|service interval|insurance|insurance no|policy|policy no|registration|warranty|warranty until|colour|color|fuel|fuel type|cost centre|cost center|invoice|invoice no',
  ],
  [
    true,
    'precio|precio de compra|costo|coste|valor|peso|capacidad|carga útil|potencia|motor|horas|horómetro|kilometraje|fecha de compra|compra|próximo servicio|último servicio|mantenimiento|seguro|póliza|n° póliza|nº póliza|garantía|color|combustible|centro de costo|centro de coste|factura',
  ],
  [
    true,
    'preço|preço de compra|custo|capacidade|potência|horímetro|quilometragem|data de compra|próxima revisão|última revisão|manutenção|apólice|garantia|cor|combustível|centro de custo|fatura',
  ],
  [
    true,
    "prix|prix d'achat|coût|valeur|poids|capacité|charge utile|puissance|moteur|heures|compteur|horamètre|kilométrage|date d'achat|achat|prochain entretien|dernier entretien|entretien|assurance|police|garantie|couleur|carburant|centre de coût|facture",
  ],
  [
    true,
    'preis|kaufpreis|kosten|wert|buchwert|gewicht|einsatzgewicht|nutzlast|leistung|motor|stunden|betriebsstunden|bstd.|bstd|kilometerstand|kaufdatum|anschaffung|nächste wartung|letzte wartung|wartung|versicherung|police|garantie|farbe|kraftstoff|kostenstelle|rechnung|tüv|hu',
  ],
]);
