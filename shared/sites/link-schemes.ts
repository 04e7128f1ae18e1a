import { AppError } from '../kernel/errors.ts';
import { forbiddenSchemes, type Parameters } from '../kernel/system-parameters.ts';

/**
 * True if a client may open a link of a node: an absolute `https` URL, or a URL with a scheme that administrators
 * allow. Programs read a backslash as a slash, so a link with a backslash can lead to another host than the text shows.
 * @param schemes as in `aggregator.link_schemes`
 */
export function isAllowedLink(link: string, schemes: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(link)?.[1]?.toLowerCase();
  if (scheme === undefined || forbiddenSchemes.includes(scheme)) return false;
  if (/[\s\p{Cc}\p{Default_Ignorable_Code_Point}\\]/u.test(link)) return false;
  if (scheme !== 'https') return schemes.split(',').includes(scheme);
  return /^https:\/\/[^/?#@]+(?:[/?#]|$)/i.test(link) && URL.canParse(link);
}

/** @throws AppError `upstream_failed` for a link of a node that clients must not open */
export function assertAllowedLink(
  { parameters }: { parameters: Parameters },
  { link }: { link: string },
  farm: { name: string },
): void {
  if (isAllowedLink(link, parameters['aggregator.link_schemes'])) return;
  const members = { reason: 'link_not_allowed', farm: farm.name };
  throw new AppError('upstream_failed', 'The scheme of the link is not allowed', members);
}
