import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { root } from '../../shared/tooling/programs.mjs';

/** One import or re-export; `target` is a path from the root for a relative one, else the package as written. */
export type Import = { line: number; target: string; isRelative: boolean };

/** `path` is relative to the root, with forward slashes. */
export type Source = { path: string; text: string; lines: string[]; imports: Import[] };

const rooms = ['functions', 'shared', 'db', 'test'];
const code = /\.(?:ts|tsx|mjs|js)$/;
/** Static forms begin a line and may span several; the dynamic form (also in types) stands outside of a text. */
const forms = [
  /^[ \t]*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
  /^[ \t]*import\s*['"]([^'"]+)['"]/gm,
  /(?<!['"`\w.])import\(\s*['"]([^'"]+)['"]/g,
];

let sources: readonly Source[] | undefined;

/** @returns every source file of the tree. Test files in one process share one parse. */
export function readSources(): readonly Source[] {
  sources ??= readSourcesIn(root);
  return sources;
}

/** @returns every source file of a copy of the tree */
export const readSourcesIn = (folder: string): Source[] =>
  rooms
    .flatMap((room) => filesBelow(folder, room))
    .filter((path) => code.test(path))
    .map((path) => parseSource(path, readFileSync(join(folder, path), 'utf8')));

/** @returns what stands on the top level */
export const readTopLevel = (): string[] => readdirSync(root);

export function parseSource(path: string, text: string): Source {
  const imports = forms.flatMap((form) =>
    [...text.matchAll(form)]
      .filter(({ index }) => !isInComment(text, index))
      .map((match) =>
        toImport(path, match[1] ?? '', lineAt(text, match.index + match[0].lastIndexOf(match[1] ?? ''))),
      ),
  );
  return { path, text, lines: text.replace(/\n$/, '').split('\n'), imports };
}

function toImport(path: string, specifier: string, line: number): Import {
  const isRelative = specifier.startsWith('.');
  return { line, isRelative, target: isRelative ? normalize(join(dirname(path), specifier)) : specifier };
}

/** A line that begins as a comment. */
export const isComment = (line: string): boolean => /^\s*(?:\/\/|\/\*|\*)/.test(line);

/** @returns the number, from 1, of the line at this offset */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

const isInComment = (text: string, offset: number): boolean =>
  isComment(text.slice(text.lastIndexOf('\n', offset) + 1, offset)) ||
  text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).includes('// ');

function filesBelow(top: string, folder: string): string[] {
  const found = statSync(join(top, folder), { throwIfNoEntry: false });
  if (!found) return [];
  return readdirSync(join(top, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? filesBelow(top, path) : [path];
  });
}
