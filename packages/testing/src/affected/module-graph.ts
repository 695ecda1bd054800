import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a file needs of others. Paths are relative to the root. */
interface Module {
  readonly text: string;
  readonly imports: readonly Import[];
  /** Names that it defines and exports. */
  readonly exports: ReadonlySet<string>;
  /** True if it only exports what others define. */
  readonly isIndex: boolean;
}

/** `names` is null where all of a file is needed; `space` is the name under which an index exports all of it. */
interface Import {
  readonly specifier: string;
  readonly names: readonly string[] | null;
  readonly space?: string;
}

/**
 * Which files the sources import, read from their text. An import through an index leads to the files that define the
 * imported names, not to all files behind the index; types are gone at run time and don't count.
 */
export class ModuleGraph {
  readonly files: readonly string[];
  readonly #root: string;
  readonly #known: ReadonlySet<string>;
  readonly #modules = new Map<string, Module>();
  readonly #dependencies = new Map<string, ReadonlySet<string>>();
  readonly #packages: ReadonlyMap<string, Readonly<Record<string, string>>>;

  constructor(root: string) {
    this.#root = root;
    this.files = ["apps", "packages", "acceptance", "bench"].flatMap((folder) => this.#list(folder));
    this.#known = new Set(this.files);
    this.#packages = new Map(
      ["apps", "packages"].flatMap((folder) =>
        readdirSync(join(root, folder)).flatMap((name) => this.#readExports(`${folder}/${name}`)),
      ),
    );
  }

  read(path: string): string {
    return this.#module(path).text;
  }

  /** Returns the files that a file imports, without those that they import in turn. What an index exports counts as its importers'. */
  dependenciesOf(path: string): ReadonlySet<string> {
    const known = this.#dependencies.get(path);
    if (known) return known;
    const { imports, isIndex } = this.#module(path);
    const found = new Set(isIndex ? [] : imports.flatMap((from) => this.#follow(path, from)));
    this.#dependencies.set(path, found);
    return found;
  }

  /** Returns the files that define what a part of a file's text uses of its imports. */
  dependenciesIn(path: string, part: string): Set<string> {
    const words = new Set(part.match(/\w+/g));
    return new Set(
      this.#module(path).imports.flatMap(({ specifier, names }) =>
        this.#follow(path, { specifier, names: (names ?? []).filter((name) => words.has(name)) }),
      ),
    );
  }

  #follow(path: string, { specifier, names }: Import): string[] {
    const target = this.#resolve(path, specifier);
    return target ? (names ?? [null]).flatMap((name) => this.#define(target, name)) : [];
  }

  /** Returns the file that defines a name, with the indexes that lead to it. */
  #define(path: string, name: string | null): string[] {
    const { imports, isIndex } = this.#module(path);
    if (!isIndex) return [path];
    const found = imports.flatMap((from) => {
      const target = this.#resolve(path, from.specifier);
      return target && this.#leadsTo(target, from, name)
        ? this.#define(target, from.space ? null : name)
        : [];
    });
    return [path, ...found];
  }

  #leadsTo(target: string, { names, space }: Import, name: string | null): boolean {
    if (name === null) return true;
    if (space) return space === name;
    if (names) return names.includes(name);
    const { imports, exports, isIndex } = this.#module(target);
    if (!isIndex) return exports.has(name);
    return imports.some((from) => {
      const next = this.#resolve(target, from.specifier);
      return next !== undefined && this.#leadsTo(next, from, name);
    });
  }

  #module(path: string): Module {
    const known = this.#modules.get(path);
    if (known) return known;
    const text = readFileSync(join(this.#root, path), "utf8");
    const module = {
      ...{ text, imports: readImports(text), exports: readExports(text) },
      isIndex:
        text
          .replace(/\/\*[\s\S]*?\*\/|^\/\/.*$/gm, "")
          .replace(EXPORT_FROM, "")
          .trim() === "",
    };
    this.#modules.set(path, module);
    return module;
  }

  #resolve(from: string, specifier: string): string | undefined {
    if (specifier.startsWith(".")) return this.#find(join(dirname(from), specifier));
    const [, name, subpath] = /^(@minutes\/[^/]+)(.*)$/.exec(specifier) ?? [];
    const target = name && this.#packages.get(name)?.[`.${subpath}`];
    return target ? this.#find(target) : undefined;
  }

  #find(path: string): string | undefined {
    const stem = path.replace(/\.js$/, "");
    return [path, `${stem}.ts`, `${stem}.tsx`].find((candidate) => this.#known.has(candidate));
  }

  #list(folder: string): string[] {
    return readdirSync(join(this.#root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (/^(node_modules|dist|\..*)$/.test(entry.name)) return [];
      if (entry.isDirectory()) return this.#list(path);
      return /\.(tsx?|m?js)$/.test(entry.name) ? [path] : [];
    });
  }

  #readExports(folder: string): [string, Record<string, string>][] {
    const file = join(this.#root, folder, "package.json");
    if (!existsSync(file)) return [];
    const { name, exports = {} } = JSON.parse(readFileSync(file, "utf8"));
    const paths = Object.entries<string>(exports).filter(([, target]) => typeof target === "string");
    return [[name, Object.fromEntries(paths.map(([key, target]) => [key, join(folder, target)]))]];
  }
}

const IMPORT = /^(import|export) (?:(type )?(\*|[^;"]*?)(?: as (\w+))? from )?"([^"]+)";/gm;
/** Imports when called, and files that become a thread or a process. */
const LATE = /import\("([^"]+)"\)|new URL\("(\.[^"]+\.[jt]s)", import\.meta\.url\)/g;

function readImports(text: string): Import[] {
  const imports: Import[] = [];
  for (const [, verb, type, clause = "*", space, specifier = ""] of text.matchAll(IMPORT)) {
    if (type) continue;
    if (verb === "export" && space) {
      imports.push({ specifier, names: null, space });
      continue;
    }
    const [, list] = /\{([^}]*)\}/.exec(clause) ?? [];
    const names = list
      ?.split(",")
      .map((name) => name.trim().split(" as ")[0] ?? "")
      .filter((name) => name !== "" && !name.startsWith("type "));
    if (names?.length !== 0) imports.push({ specifier, names: names ?? null });
  }
  for (const [, called, started] of text.matchAll(LATE))
    imports.push({ specifier: called ?? started ?? "", names: null });
  return imports;
}

const EXPORT_FROM = /^export (?:type )?(?:\*|\{[^}]*\})(?: as \w+)? from "[^"]+";$/gm;

const readExports = (text: string): Set<string> =>
  new Set([
    ...[...text.matchAll(/^export (?:async )?(?:const|let|function\*?|class) (\w+)/gm)].map(
      ([, name = ""]) => name,
    ),
    ...[...text.matchAll(/^export \{([^}]*)\};/gm)].flatMap(([, list = ""]) => list.match(/\w+/g) ?? []),
  ]);
