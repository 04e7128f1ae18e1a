import { foldName } from '../../kernel/text.ts';

/**
 * The folded names that a typed text can mean: the whole text, without `DOMAIN\`, and without `DOMAIN\` and `@domain`.
 */
export function namesIn(typed: string): { typed: string; address: string; bare: string } {
  const address = typed.slice(typed.lastIndexOf('\\') + 1);
  const at = address.indexOf('@');
  const bare = at < 0 ? address : address.slice(0, at);
  return { typed: foldName(typed), address: foldName(address), bare: foldName(bare) };
}

/** A name from the portal itself, which has only one meaning: `alice@other` must not match `alice`. */
export const exactly = (name: string): ReturnType<typeof namesIn> => {
  const key = foldName(name);
  return { typed: key, address: key, bare: key };
};
