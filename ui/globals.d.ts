/** The build id; the build replaces it with a string. */
declare const __BUILD__: string;
/** A stylesheet imported as text. */
declare module '*.css?inline' {
  const text: string;
  export default text;
}
