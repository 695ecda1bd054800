/** A page of the console, as the build lists it in index.html. */
interface ListedPage {
  /** Such as `/meetings/$meetingId`. */
  readonly path: string;
  /** What the page shows until its scripts have drawn it. */
  readonly frame: "shell" | "entry";
  /** Heading of the page; empty if it depends on what is read. */
  readonly title: string;
  /** What the page says below its heading; empty if nothing. */
  readonly about: string;
  /** The scripts that only some pages need. */
  readonly scripts: readonly string[];
  /** URLs of the answers that the page reads first, with the names in its path. */
  readonly reads: readonly string[];
}

interface PageRequest {
  /** The URL's path and query. */
  readonly url: string;
  /** The `Cookie` header. */
  readonly cookies: string;
  /** Nonce in the answer's content security policy for its styles. */
  readonly nonce: string;
}

const LIST = /<!--pages (.*) -->/;
/** The chosen color scheme, which the console stores. */
const SCHEME = /(?:^|; )scheme=(light|dark)(?:;|$)/;

const toScript = (file: string) =>
  `<link rel="modulepreload" fetchpriority="low" crossorigin href="${file}">`;
/** Links an answer in the mode and with the credentials of the console's calls, which then take it. */
const toRead = (url: string) => `<link rel="preload" as="fetch" crossorigin href="${url}">`;

/**
 * Reads the built index.html and returns how to write it for a request: with the frame of its page, in the visitor's color
 * scheme, and with links to what the page loads first.
 */
export function readPage(html: string): (request: PageRequest) => string {
  const [, list = "[]"] = LIST.exec(html) ?? [];
  const pages = (JSON.parse(list) as ListedPage[]).map((page) => ({
    ...page,
    pattern: new RegExp(`^${page.path.replace(/\$(\w+)/g, "(?<$1>\\w+)")}/?$`),
  }));
  return ({ url, cookies, nonce }) => {
    const [path = "", query] = url.split("?");
    // The console opens the meetings at /.
    const opened = path === "/" ? "/meetings" : path;
    const page = pages.find(({ pattern }) => pattern.test(opened));
    const names = page?.pattern.exec(opened)?.groups ?? {};
    // A query has filters, which change what is read.
    const reads = query === undefined ? (page?.reads ?? []) : [];
    const links = [
      ...(page?.scripts ?? []).map(toScript),
      ...reads.map((read) => toRead(read.replace(/\$(\w+)/g, (_, name: string) => names[name] ?? ""))),
    ];
    return html
      .replace(LIST, () => links.join(""))
      .replace("__FRAME__", page?.frame ?? "shell")
      .replace("__TITLE__", page?.title ?? "")
      .replace("__ABOUT__", page?.about ?? "")
      .replace("__SCHEME__", SCHEME.exec(cookies)?.[1] ?? "auto")
      .replaceAll("__CSP_NONCE__", nonce);
  };
}
