/**
 * Demotes the headings of a rendered summary by two levels: the meeting's title is the page's only `h1`, and "Summary"
 * the `h2` above.
 */
export const demoteHeadings = (html: string): string =>
  html.replace(
    /<(\/?)h([1-6])>/g,
    (_, slash: string, level: string) => `<${slash}h${Math.min(Number(level) + 2, 6)}>`,
  );
