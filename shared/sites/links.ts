import { forbiddenSchemes } from '../kernel/system-parameters.ts';

/**
 * Whether a client may open a link of a node: an absolute URL by https, or by a scheme that administrators allow. Programs
 * read a backslash as a slash, so that a link with one may lead elsewhere than it reads.
 * @param schemes as in `aggregator.link_schemes`
 */
export function isAllowedLink(link: string, schemes: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(link)?.[1]?.toLowerCase();
  if (scheme === undefined || forbiddenSchemes.includes(scheme)) return false;
  if (/[\s\p{Cc}\p{Default_Ignorable_Code_Point}\\]/u.test(link)) return false;
  if (scheme !== 'https') return schemes.split(',').includes(scheme);
  return /^https:\/\/[^/?#@]+(?:[/?#]|$)/i.test(link) && URL.canParse(link);
}
