import { webPageOf } from '../../../shared/http/pages/app-page.ts';
import type { Assets } from '../../../shared/http/pages/assets.ts';
import { filesOf } from '../../../shared/http/pages/web-pages.ts';

/** The assets as another build of the pages: all digests in the names of files are reversed. */
export async function nextBuildOf(assets: Assets): Promise<Assets> {
  const page = await webPageOf(assets, 'home');
  const { build = '', worker = '' } = page.offline ?? {};
  const digests = [...filesOf(page), worker].map((file) => /-([A-Z0-9]{8})\./.exec(file)?.[1] ?? '');
  const reversed = (text: string): string => text.split('').reverse().join('');
  const pairs = [...digests, build].map((digest) => [digest, reversed(digest)] as const);
  const renamed = (text: string): string => pairs.reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const formerName = (name: string): string =>
    pairs.reduce((all, [from, to]) => (all.includes(`-${to}.`) ? all.replace(to, from) : all), name);
  return {
    bytes: assets.bytes,
    text: async (name) => {
      if (digests.some((digest) => name.includes(digest))) throw new Error(`the asset ${name} is missing`);
      return renamed(await assets.text(formerName(name)));
    },
  };
}
