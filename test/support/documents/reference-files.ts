import { webPageOf } from '../../../shared/http/pages/app-page.ts';
import { webPages } from '../../../shared/http/pages/web-pages.ts';
import { ownAssets } from '../../../shared/tooling/build/asset-files.ts';

const assets = ownAssets();
const { style, later } = await webPageOf(assets, 'docs');
const sized = later.map(async (name) => ({ name, bytes: (await assets.text(name)).length }));
const [swaggerUi] = (await Promise.all(sized)).sort((a, b) => b.bytes - a.bytes);

const pathOf = (name: string): string => `${webPages.docs.files}/${name}`;

/** The path of the style of the page. */
export const styleOfReference = pathOf(style);
/** The paths of files of the reference: the script of Swagger UI, which the page loads after its own, then the style. */
export const filesOfReference: readonly string[] = [pathOf(swaggerUi?.name ?? ''), styleOfReference];
