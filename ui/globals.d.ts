/** Written in by the build: the id of the sources that this page was made from. */
declare const __BUILD__: string;
/** A stylesheet as text. */
declare module '*.css?inline' {
  const text: string;
  export default text;
}
