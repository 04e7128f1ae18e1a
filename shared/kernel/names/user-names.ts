import { foldName } from '../text.ts';

/** A user as dispatchers and agents name one. `domain` is empty if it is not known. */
export type NodeUser = { domain: string; name: string };

/**
 * Reads the name of a user as dispatchers and agents write it: `DOMAIN\user`, `user@suffix` or `user`. The domain of the
 * row, a label of the portal, outweighs the one in the name, which may be a NetBIOS name. A suffix stays part of the
 * name if the domain is known, because names of the portal can have one; `isKeyOfUser` compares both forms.
 */
export function parseUserName(text: string, domain = ''): NodeUser {
  const [, qualifier = '', bare = text] = /^([^\\]*)\\(.+)$/su.exec(text) ?? [];
  const label = domain || qualifier;
  if (label !== '') return { domain: label, name: bare };
  const [, local, suffix] = /^(.+)@([^@]+)$/su.exec(bare) ?? [];
  return local !== undefined && suffix !== undefined
    ? { domain: suffix, name: local }
    : { domain: '', name: bare };
}

/** A login name without the part from `@` on. */
export const withoutSuffix = (name: string): string => name.replace(/@.*$/su, '');

/** The key of a user in the snapshot: label and name, both case-folded. */
export const personKey = ({ domain, name }: NodeUser): string => `${foldName(domain)}\\${foldName(name)}`;
