import { checkAddress, isSafeLink } from '../kernel/addresses/check.ts';
import { AppError } from '../kernel/errors.ts';
import { forbiddenSchemes, viewerSchemes } from '../kernel/link-schemes.ts';
import type { Parameters } from '../kernel/system-parameters.ts';

/** The parameters that decide about links, by their names without the section. */
export type LinkSettings = { link_schemes: string; confirmed_link_schemes: string };

/** The schemes of a parameter. */
export const schemesIn = (text: string): string[] => text.split(',').filter((scheme) => scheme !== '');

/** The allowed schemes that belong to no known viewer and are not confirmed. They are stored, and not used. */
export const unconfirmedSchemes = ({ link_schemes, confirmed_link_schemes }: LinkSettings): string[] => {
  const known = new Set([...viewerSchemes, ...schemesIn(confirmed_link_schemes)]);
  return schemesIn(link_schemes).filter((scheme) => !known.has(scheme));
};

/**
 * True if a client may open a link of a node: an absolute `https` URL, or a URL with a scheme that administrators
 * allow, without a user name or password.
 */
export function isAllowedLink(link: string, settings: LinkSettings): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(link)?.[1]?.toLowerCase();
  if (scheme === undefined || forbiddenSchemes.includes(scheme)) return false;
  if (scheme === 'https') return checkAddress(link, 'link').ok;
  const isUsed =
    schemesIn(settings.link_schemes).includes(scheme) && !unconfirmedSchemes(settings).includes(scheme);
  return isUsed && isSafeLink(link);
}

export const linkSettings = (parameters: Parameters): LinkSettings => ({
  link_schemes: parameters['aggregator.link_schemes'],
  confirmed_link_schemes: parameters['aggregator.confirmed_link_schemes'],
});

/** @throws AppError `upstream_failed` for a link of a node that clients must not open */
export function assertAllowedLink(
  { parameters }: { parameters: Parameters },
  { link }: { link: string },
  farm: { name: string },
): void {
  if (isAllowedLink(link, linkSettings(parameters))) return;
  const members = { reason: 'link_not_allowed', farm: farm.name };
  throw new AppError('upstream_failed', 'The scheme of the link is not allowed', members);
}
