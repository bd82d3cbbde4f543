/** Makes real files for tests: ZIP archives, XLSX files as spreadsheet programs write them, and PDF files. */
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

export interface ZipPart {
  readonly name: string;
  readonly content: Uint8Array;
  /** The size that the archive gives; a hostile file gives another one. */
  readonly saidSize?: number;
  readonly flags?: number;
}

/** Writes an archive (APPNOTE 4.3) with deflated parts. */
export function zip(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, saidSize = content.length, flags = 0 } of parts) {
    const packed = deflateRawSync(content, { level: 9 });
    const title = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(saidSize, 18);
    common.writeUInt16LE(title.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, title, packed]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), common, rest, title]));
    files.push(local);
    at += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, list, end]);
}

/** The value of a cell; `{ xml }` is written as it is, with the attributes of its element. */
export type MadeCell = string | number | null | { readonly attributes: string; readonly xml: string };

export interface MadeSheet {
  readonly name: string;
  readonly rows: readonly (readonly MadeCell[])[];
  readonly state?: 'hidden' | 'veryHidden';
  /** Numbers of rows, and XML of the element `cols`, and of elements behind the rows. */
  readonly hiddenRows?: readonly number[];
  readonly columns?: string;
  readonly behind?: string;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const columnOf = (i: number): string =>
  i < 26 ? String.fromCharCode(65 + i) : `${columnOf(Math.floor(i / 26) - 1)}${columnOf(i % 26)}`;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const REL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** The parts of an XLSX file (ECMA-376), with shared strings and the styles of dates (`s="1"`), `000` (2) and `"HT-"00` (3). */
export function xlsxParts(sheets: readonly MadeSheet[]): ZipPart[] {
  const strings: string[] = [];
  const cell = (value: MadeCell, ref: string): string => {
    if (value === null) return '';
    if (typeof value === 'number') return `<c r="${ref}"><v>${value}</v></c>`;
    if (typeof value === 'object') return `<c r="${ref}" ${value.attributes}>${value.xml}</c>`;
    if (!strings.includes(value)) strings.push(value);
    return `<c r="${ref}" t="s"><v>${strings.indexOf(value)}</v></c>`;
  };
  const bodies = sheets.map(({ rows, hiddenRows = [], columns = '', behind = '' }) => {
    const all = rows.map(
      (row, r) =>
        `<row r="${r + 1}"${hiddenRows.includes(r + 1) ? ' hidden="1"' : ''}>${row.map((value, c) => cell(value, `${columnOf(c)}${r + 1}`)).join('')}</row>`,
    );
    return `${HEAD}<worksheet xmlns="${MAIN}">${columns}<sheetData>${all.join('')}</sheetData>${behind}</worksheet>`;
  });
  const part = (name: string, text: string): ZipPart => ({ name, content: Buffer.from(text) });
  return [
    part(
      '[Content_Types].xml',
      `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
    ),
    part(
      '_rels/.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${REL}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ),
    part(
      'xl/workbook.xml',
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${REL}"><sheets>${sheets
        .map(
          ({ name, state }, i) =>
            `<sheet name="${escaped(name)}" sheetId="${i + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${i + 1}"/>`,
        )
        .join('')}</sheets></workbook>`,
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${sheets
        .map((_, i) => `<Relationship Id="rId${i + 1}" Type="${REL}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`)
        .join(
          '',
        )}<Relationship Id="rIdS" Type="${REL}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rIdT" Type="${REL}/styles" Target="styles.xml"/></Relationships>`,
    ),
    ...bodies.map((body, i) => part(`xl/worksheets/sheet${i + 1}.xml`, body)),
    part(
      'xl/sharedStrings.xml',
      `${HEAD}<sst xmlns="${MAIN}" count="${strings.length}" uniqueCount="${strings.length}">${strings
        .map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`)
        .join('')}</sst>`,
    ),
    part(
      'xl/styles.xml',
      `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="000"/><numFmt numFmtId="165" formatCode="&quot;HT-&quot;00"/></numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ),
  ];
}

export const xlsx = (sheets: readonly MadeSheet[]): Buffer => zip(xlsxParts(sheets));

/** A piece of text on a page of a PDF, in points from the lower left corner. */
export interface MadePiece {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Writes a PDF file (ISO 32000) whose pages show these pieces in Helvetica 10. */
export function pdf(pages: readonly (readonly MadePiece[])[]): Buffer {
  const draw = (pieces: readonly MadePiece[]) =>
    pieces.map(({ x, y, text }) => `BT /F1 10 Tf ${x} ${y} Td (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`).join('\n');
  return pdfOf(pages.map((pieces) => deflateSync(draw(pieces))));
}

/** Writes a PDF file with these deflated streams as its pages. */
export function pdfOf(streams: readonly Uint8Array[]): Buffer {
  const out: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const write = (bytes: Uint8Array | string) => {
    const buffer = Buffer.from(bytes as string, 'latin1');
    out.push(buffer);
    length += buffer.length;
  };
  const object = (n: number, body: () => void) => {
    offsets[n] = length;
    write(`${n} 0 obj\n`);
    body();
    write('\nendobj\n');
  };
  const pageOf = (i: number) => 4 + 2 * i;
  write('%PDF-1.4\n');
  object(1, () => write('<< /Type /Catalog /Pages 2 0 R >>'));
  const kids = streams.map((_, i) => `${pageOf(i)} 0 R`).join(' ');
  object(2, () => write(`<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`));
  object(3, () => write('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'));
  for (const [i, stream] of streams.entries()) {
    const page = pageOf(i);
    object(page, () =>
      write(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${page + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      ),
    );
    object(page + 1, () => {
      write(`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`);
      write(stream);
      write('\nendstream');
    });
  }
  const start = length;
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  write(`xref\n0 ${offsets.length}\n0000000000 65535 f \n${rows.join('')}`);
  write(`trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
  return Buffer.concat(out);
}
