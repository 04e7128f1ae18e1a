import { Buffer } from 'node:buffer';
import type { Assets } from '../../shared/http/pages/assets.ts';
import { iconSvg } from '../../shared/http/pages/default-icon.ts';
import { sha256 } from '../../shared/kernel/crypto/digests.ts';
import type { PictureType } from '../../shared/kernel/pictures/pictures.ts';
import { pngSize, webpSize } from '../../shared/kernel/pictures/sizes.ts';

const icons = '/home/icons';

/** The built-in icon. Systems cut maskable icons to a shape of their own. */
const builtin = [
  { file: 'icon.svg', type: 'image/svg+xml', sizes: 'any', purpose: 'any' },
  { file: 'icon-192.png', type: 'image/png', sizes: '192x192', purpose: 'any' },
  { file: 'icon-512.png', type: 'image/png', sizes: '512x512', purpose: 'any' },
  { file: 'maskable-192.png', type: 'image/png', sizes: '192x192', purpose: 'maskable' },
  { file: 'maskable-512.png', type: 'image/png', sizes: '512x512', purpose: 'maskable' },
] as const;
const builtinTouchIcon = 'apple-touch-icon.png';
const pngFiles: readonly string[] = [
  ...builtin.map(({ file }) => file).filter((file) => file.endsWith('.png')),
  builtinTouchIcon,
];

/** The smallest side in pixels that browsers accept for an app. */
const minimalSide = 192;

type OwnIcon = { file: string; mediaType: PictureType; sizes: string; bytes: Buffer };
type IconFile = { content: string | Uint8Array<ArrayBuffer>; mediaType: PictureType; digest: string };

/**
 * The icon of the theme, if it is a square of at least 192 pixels or a drawing. The digest in its name makes browsers
 * replace it when it changes.
 * @param favicon a validated data URI
 */
function ownIcon(favicon: string): OwnIcon | undefined {
  const [, type, data] = /^data:(image\/(?:png|webp|svg\+xml));base64,(.+)$/s.exec(favicon) ?? [];
  if (!type || !data) return undefined;
  const bytes = Buffer.from(data, 'base64');
  const mediaType = type as PictureType;
  const nameOf = (extension: string): string => `own-${sha256(bytes).slice(0, 16)}.${extension}`;
  if (mediaType === 'image/svg+xml') return { file: nameOf('svg'), mediaType, sizes: 'any', bytes };
  const isPng = mediaType === 'image/png';
  const [width = 0, height = 0] = (isPng ? pngSize(bytes) : webpSize(bytes)) ?? [];
  if (width !== height || width < minimalSide) return undefined;
  return { file: nameOf(isPng ? 'png' : 'webp'), mediaType, sizes: `${width}x${height}`, bytes };
}

/** The member `icons` of the manifest. */
export function iconsFor(favicon: string): { src: string; type: string; sizes: string; purpose: string }[] {
  const own = ownIcon(favicon);
  if (!own) return builtin.map(({ file, ...rest }) => ({ src: `${icons}/${file}`, ...rest }));
  return [{ src: `${icons}/${own.file}`, type: own.mediaType, sizes: own.sizes, purpose: 'any' }];
}

/** The address of the icon that Safari uses: it reads no SVG there. */
export function touchIconFor(favicon: string): string {
  const own = ownIcon(favicon);
  return `${icons}/${own && own.mediaType === 'image/png' ? own.file : builtinTouchIcon}`;
}

/** @returns undefined if the installation has no such icon */
export async function iconFile(
  assets: Assets,
  favicon: () => Promise<string>,
  file: string,
): Promise<IconFile | undefined> {
  if (file === 'icon.svg')
    return { content: iconSvg(), mediaType: 'image/svg+xml', digest: sha256(iconSvg()).slice(0, 16) };
  if (pngFiles.includes(file)) {
    const content = await assets.bytes(file);
    return { content, mediaType: 'image/png', digest: sha256(content).slice(0, 16) };
  }
  if (!file.startsWith('own-')) return undefined;
  const own = ownIcon(await favicon());
  if (own?.file !== file) return undefined;
  return { content: new Uint8Array(own.bytes), mediaType: own.mediaType, digest: file };
}
