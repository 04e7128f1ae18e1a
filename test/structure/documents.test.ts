import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../shared/tooling/programs.mjs';
import { gitFiles } from '../support/tree.ts';

const documents = (await gitFiles(root)).filter((file) => file.endsWith('.md'));
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
/** Without code, in which brackets and hashes are not Markdown. */
const proseOf = (text: string): string =>
  text.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, 'code');

/** The anchors that GitHub generates for the headings of a document. */
function anchorsOf(text: string): string[] {
  const lines = text.replaceAll(/```[\s\S]*?```/g, '').split('\n');
  return lines.flatMap((line) => {
    const heading = /^#{1,6} (.+)$/.exec(line)?.[1];
    if (heading === undefined) return [];
    const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
    return [plain.trim().replaceAll(' ', '-')];
  });
}

/** The links of a document to other files of this tree: a path from the root, and an anchor. */
const linksOf = (file: string): { path: string; anchor: string | undefined }[] =>
  [...proseOf(textOf(file)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { path: path === '' ? file : relative(root, join(root, dirname(file), path)), anchor };
    });

describe('the documents', () => {
  it('exist', () => {
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'shared/README.md', 'db/README.md']));
    expect(linksOf('README.md').length).toBeGreaterThan(10);
    expect(anchorsOf('# One: `two` (three)\n```\n# no\n```\n## Add a site\n')).toEqual([
      'one-two-three',
      'add-a-site',
    ]);
  });

  it.each(documents)('%s links to files and headings that exist', (file) => {
    const broken = linksOf(file).filter(({ path, anchor }) => {
      if (!existsSync(join(root, path))) return true;
      return anchor !== undefined && !anchorsOf(textOf(path)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('begin with a README of at most 150 lines', () => {
    expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(151);
  });

  it('quote titles of tests that exist', () => {
    const folders = [
      '',
      'test/services/oidc/',
      'test/services/federation/',
      'test/services/federation/sessions/',
    ];
    const quoted = documents.flatMap((file) => [
      ...textOf(file).matchAll(/`([\w/.-]+\.test\.ts)` "([^"]+)"/g),
    ]);
    expect(quoted.length).toBeGreaterThan(40);
    const unknown = quoted.filter(([, file = '', title = '']) => {
      const paths = folders.map((folder) => join(root, folder, file)).filter((path) => existsSync(path));
      return !paths.some((path) => readFileSync(path, 'utf8').includes(title));
    });
    expect(unknown.map(([whole]) => whole)).toEqual([]);
  });
});
