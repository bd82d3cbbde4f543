/** Written in by the build: the id of the sources that this page was made from. */
declare const __BUILD__: string;
