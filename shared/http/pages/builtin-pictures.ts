import { Buffer } from 'node:buffer';
import { sha256 } from '../../kernel/crypto/digests.ts';
import type { PictureType } from '../../kernel/pictures/pictures.ts';

export type ShownPicture = { mediaType: PictureType; content: string; digest: string };

/** A screen on a stand, 64 by 64, with a symbol on it. */
const screen = (color: string, drawn: string): ShownPicture => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="4" y="8" width="56" height="40" rx="5" fill="${color}"/><rect x="8" y="12" width="48" height="32" rx="2" fill="#fff" fill-opacity=".16"/><path d="M26 48h12l2 7H24z" fill="${color}"/><rect x="18" y="54" width="28" height="4" rx="2" fill="${color}"/>${drawn}</svg>`;
  return {
    mediaType: 'image/svg+xml',
    content: Buffer.from(svg).toString('base64'),
    digest: sha256(svg),
  };
};

/** The built-in pictures of every installation, by the names that can replace an id. */
export const builtinPictures = {
  default: screen(
    '#475569',
    '<circle cx="32" cy="24" r="5" fill="#fff"/><path d="M22 38c0-12 20-12 20 0z" fill="#fff"/>',
  ),
  rdp: screen(
    '#2563eb',
    '<path d="M19 20l9 8-9 8M45 20l-9 8 9 8" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>',
  ),
  spice: screen(
    '#c2410c',
    '<path d="M19 37c2-15 12-20 26-18-1 14-10 21-20 19M19 38c5-7 10-10 16-12" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>',
  ),
} satisfies Record<string, ShownPicture>;
