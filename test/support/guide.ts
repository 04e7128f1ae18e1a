import { readFileSync } from 'node:fs';

const guide = readFileSync(new URL('../../functions/deploy/README.md', import.meta.url), 'utf8');

/** The commands of the guide to deployment that stand under a heading, as a script for a shell. */
export function commandsUnder(heading: string): string {
  const [, section = ''] = guide.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [own = ''] = section.split(/^#/m);
  const blocks = [...own.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`the guide has no commands under "${heading}"`);
  return blocks.join('\n');
}
