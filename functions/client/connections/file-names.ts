import { Buffer } from 'node:buffer';
import { isVisible } from '../../../shared/kernel/text.ts';

const unnamed = 'workplace';
const mostCharacters = 80;
/** File systems limit a name to 255 bytes, with the extension and the number that a browser adds. */
const mostBytes = 240;
/** Longer names are cut before they are converted. */
const mostRead = 1_024;

/** Names of devices in Windows, with any extension. */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])[\s.]*(?:\.|$)/i;

/**
 * Converts the name of a service to a file name without extension that is valid on all systems: at most 80 characters,
 * and none that separate paths, control the text direction or are invisible.
 */
export function fileNameOf(name: string): string {
  const safe = name
    .slice(0, mostRead)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu, '')
    .normalize('NFC')
    .replace(/[<>:"/\\|?*]/g, '-');
  const short = trimmed(shortened(trimmed(safe)));
  if (!isVisible(short)) return unnamed;
  return reserved.test(short) ? trimmed(shortened(`_${short}`)) : short;
}

/** Windows ignores dots and blanks at the end. A dot at the beginning hides a file, a hyphen makes it an option. */
const trimmed = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/^[\s.-]+/, '')
    .replace(/[\s.]+$/, '');

function shortened(text: string): string {
  const characters = [...text].slice(0, mostCharacters);
  while (Buffer.byteLength(characters.join('')) > mostBytes) characters.pop();
  return characters.join('');
}

/**
 * The header `Content-Disposition` of a file (RFC 6266), with a fallback in ASCII. Clients decode percent signs in the
 * fallback differently, so it contains none.
 */
export function attachment(name: string, extension: string): string {
  const fileName = fileNameOf(name);
  const fallback = `${fileNameOf(asciiOf(fileName))}.${extension}`;
  return `attachment; filename="${fallback}"; filename*=UTF-8''${encoded(`${fileName}.${extension}`)}`;
}

/** Without accents. Other characters are replaced; a text without a letter or digit is empty. */
function asciiOf(text: string): string {
  const ascii = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]+|%/g, '_');
  return /[a-z\d]/i.test(ascii) ? ascii : '';
}

/** `ext-value` of RFC 8187. `encodeURIComponent` leaves some characters that are not in `attr-char`. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
