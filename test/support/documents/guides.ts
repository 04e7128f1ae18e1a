import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../e2e/support/portal-process.ts';

/** Values that a reader sets after `NAME=` in the lines of a guide. */
export type Values = Readonly<Record<string, string>>;

/** The lines of one `sh` block; the title is `<file>: <heading> <number>`, counted from 1 under each heading. */
export type Block = { title: string; heading: string; lines: string };

/** All shell blocks of a document of this project, in their order. */
export function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  const counts = new Map<string, number>();
  let heading = '';
  let fence: { isShell: boolean; lines: string[] } | undefined;
  for (const line of readFileSync(join(root, file), 'utf8').split('\n')) {
    if (fence && line === '```') {
      const number = (counts.get(heading) ?? 0) + 1;
      if (fence.isShell) {
        counts.set(heading, number);
        blocks.push({ title: `${file}: ${heading} ${number}`, heading, lines: fence.lines.join('\n') });
      }
      fence = undefined;
    } else if (fence) fence.lines.push(line);
    else if (line.startsWith('```')) fence = { isShell: line === '```sh', lines: [] };
    else heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
  }
  return blocks;
}

/** The commands of the deployment guide under a heading, as a script for a shell. */
export function commandsUnder(heading: string): string {
  const blocks = blocksOf('functions/deploy/README.md').filter((block) => block.heading === heading);
  if (blocks.length === 0) throw new Error(`the guide has no commands under "${heading}"`);
  return blocks.map(({ lines }) => lines).join('\n');
}

/**
 * Replaces the example values in the blocks with the given ones.
 * @throws Error if a block requires a value that is not given (`NAME=…`), or if a given value is not used
 */
export function filled(blocks: readonly Block[], values: Values): Block[] {
  const unused = new Set(Object.keys(values));
  const result = blocks.map((block) => ({ ...block, lines: fill(block.lines, values, unused) }));
  if (unused.size > 0) throw new Error(`the blocks ask for no ${[...unused].join(', ')}`);
  return result;
}

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

const mark = '##### ';

/** One script of all blocks, which prints the title of each before what the block prints. */
export const scriptOf = (blocks: readonly Pick<Block, 'title' | 'lines'>[]): string =>
  blocks.map(({ title, lines }) => `printf '\\n${mark}%s\\n' '${title}'\n${lines}\n`).join('');

/** What a script of `scriptOf` printed, by title. */
export const sectionsOf = (printed: string): Record<string, string> =>
  Object.fromEntries(
    printed
      .split(`\n${mark}`)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return [part.slice(0, end), part.slice(end + 1)];
      }),
  );
