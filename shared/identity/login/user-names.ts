import { foldName } from '../../kernel/text.ts';

/** Folded names that one typed text may mean: as it is, without `DOMAIN\`, and without `@domain` as well. */
export function namesIn(typed: string): { typed: string; address: string; bare: string } {
  const address = typed.slice(typed.lastIndexOf('\\') + 1);
  const at = address.indexOf('@');
  const bare = at < 0 ? address : address.slice(0, at);
  return { typed: foldName(typed), address: foldName(address), bare: foldName(bare) };
}

/** A name from the portal itself, which has one meaning only: of `alice@other` no part may be taken for `alice`. */
export const exactly = (name: string): ReturnType<typeof namesIn> => {
  const key = foldName(name);
  return { typed: key, address: key, bare: key };
};
