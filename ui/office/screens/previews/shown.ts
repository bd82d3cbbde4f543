/** What a screen can show. */

export type ShownKind = 'playlist' | 'dashboard';
export interface Shown {
  readonly kind: ShownKind;
  readonly id: string;
  readonly name: string;
}
