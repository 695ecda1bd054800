const MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const RELATIONSHIP = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml";

/** Declares the prefix of all elements. */
export const NAMESPACE = `xmlns:w="${MAIN}"`;

const PARTS = ["document", "styles", "numbering"] as const;

/** Says what each part of the archive is. */
export const CONTENT_TYPES = `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${PARTS.map(
  (part) =>
    `<Override PartName="/word/${part}.xml" ContentType="${WORD}.${part}${part === "document" ? ".main" : ""}+xml"/>`,
).join("")}</Types>`;

const writeRelations = (targets: readonly (readonly [string, string])[]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ([type, target], at) =>
        `<Relationship Id="rId${at + 1}" Type="${RELATIONSHIP}/${type}" Target="${target}"/>`,
    )
    .join("")}</Relationships>`;

/** Leads from the archive to the document, and from there to its other parts. */
export const RELATIONS = {
  package: writeRelations([["officeDocument", "word/document.xml"]]),
  document: writeRelations([
    ["styles", "styles.xml"],
    ["numbering", "numbering.xml"],
  ]),
} as const;

/** Number of heading levels. */
export const HEADINGS = 6;

/** @param size in half points */
const writeStyle = (id: string, name: string, size: number, properties: string): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/>` +
  `<w:pPr><w:keepNext/><w:spacing w:before="240" w:after="120"/>${properties}</w:pPr><w:rPr><w:b/><w:sz w:val="${size}"/></w:rPr></w:style>`;

/** The look of the default paragraph, headings, quotations and code. */
export const STYLES = `<w:styles ${NAMESPACE}><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="22"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120"/></w:pPr></w:pPrDefault></w:docDefaults>${[
  '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style>',
  writeStyle("Title", "Title", 40, ""),
  ...Array.from({ length: HEADINGS }, (_, level) =>
    writeStyle(
      `Heading${level + 1}`,
      `heading ${level + 1}`,
      Math.max(32 - 4 * level, 22),
      `<w:outlineLvl w:val="${level}"/>`,
    ),
  ),
  '<w:style w:type="paragraph" w:styleId="Quote"><w:name w:val="Quote"/><w:basedOn w:val="Normal"/><w:pPr><w:ind w:left="720"/></w:pPr><w:rPr><w:i/></w:rPr></w:style>',
  '<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Code"/><w:basedOn w:val="Normal"/><w:rPr><w:rFonts w:ascii="Consolas" w:hAnsi="Consolas"/></w:rPr></w:style>',
].join("")}</w:styles>`;

/** Deepest level of lists that Word has. */
export const DEEPEST = 8;

const writeLevels = (format: "bullet" | "decimal"): string =>
  Array.from({ length: DEEPEST + 1 }, (_, level) => {
    const text = format === "bullet" ? "•" : `%${level + 1}.`;
    return (
      `<w:lvl w:ilvl="${level}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/><w:lvlJc w:val="left"/>` +
      `<w:pPr><w:ind w:left="${720 * (level + 1)}" w:hanging="360"/></w:pPr></w:lvl>`
    );
  }).join("");

/** Number of the bullets. Numbered lists follow. */
export const BULLETS = 1;

/**
 * Writes the lists of a document.
 * @param starts the first number and the level of each numbered list
 */
export const writeNumbering = (
  starts: readonly { readonly start: number; readonly level: number }[],
): string =>
  `<w:numbering ${NAMESPACE}>` +
  `<w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="multilevel"/>${writeLevels("bullet")}</w:abstractNum>` +
  `<w:abstractNum w:abstractNumId="1"><w:multiLevelType w:val="multilevel"/>${writeLevels("decimal")}</w:abstractNum>` +
  `<w:num w:numId="${BULLETS}"><w:abstractNumId w:val="0"/></w:num>` +
  starts
    .map(
      ({ start, level }, at) =>
        `<w:num w:numId="${BULLETS + 1 + at}"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="${level}"><w:startOverride w:val="${start}"/></w:lvlOverride></w:num>`,
    )
    .join("") +
  "</w:numbering>";
