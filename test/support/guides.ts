import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../e2e/portal-process.ts';

/** What a reader puts behind `NAME=` in the lines of a guide. */
export type Values = Readonly<Record<string, string>>;

export type Guide = {
  /** All lines of the guide for one bash. */
  script: string;
  /** What that printed, by heading. */
  sections(printed: string): Record<string, string>;
};

const mark = '##### ';

/**
 * The shell lines of a guide, in their order, with the values of this installation.
 * @param named a file of this project, and a heading where only its lines are wanted: `<file>#<heading>`
 * @throws Error when the guide asks for no such value, or for one that is not given
 */
export async function guideOf(named: string, values: Values): Promise<Guide> {
  const [file = '', only] = named.split('#');
  const text = await readFile(join(root, file), 'utf8');
  const unused = new Set(Object.keys(values));
  const parts = text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({ heading: part.slice(0, part.indexOf('\n')), lines: linesOf(part) }))
    .filter(({ heading, lines }) => lines !== '' && (only === undefined || heading === only));
  const filled = parts.map(
    ({ heading, lines }) => `echo '${mark}${heading}'\n${fill(lines, values, unused)}`,
  );
  if (unused.size > 0) throw new Error(`${named} asks for no ${[...unused].join(', ')}`);
  return { script: filled.join('\n'), sections };
}

const linesOf = (part: string): string =>
  [...part.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, lines]) => lines).join('\n');

/** The first assignment of a name is the reader's; one that ends in an ellipsis must be his. */
const fill = (lines: string, values: Values, unused: Set<string>): string =>
  lines.replaceAll(/^([A-Z_]+)=([^$(\n]*)$/gm, (line, name: string, written: string) => {
    const value = values[name];
    if (value === undefined) {
      if (written.startsWith('…')) throw new Error(`no value for ${name}`);
      return line;
    }
    unused.delete(name);
    return `${name}='${value.replaceAll("'", `'\\''`)}'`;
  });

const sections = (printed: string): Record<string, string> =>
  Object.fromEntries(
    printed
      .split(mark)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return [part.slice(0, end), part.slice(end + 1)];
      }),
  );
