import { allowed, type Kind, kindOf, useKinds } from '../../records/kinds.ts';
import type { Write } from '../../records/requests.ts';

/** Kinds whose records have tags of the portal. Those of pools and workplaces come from dispatchers. */
const taggedTypes = ['authenticator', 'portal'] as const;
export type TaggedType = (typeof taggedTypes)[number];

export const isTaggedType = (type: string): type is TaggedType => taggedTypes.some((one) => one === type);

/** The kind of tags, if the user may change them. */
export function useTagKind(): Kind | undefined {
  const kind = kindOf(useKinds(), 'tag');
  return kind && allowed(kind.update) ? kind : undefined;
}

export type Tagging = { tagId: string; type: TaggedType; ids: readonly string[]; isRemoval: boolean };

export const taggingOf = (kind: Kind, { tagId, type, ids, isRemoval }: Tagging): Write => ({
  verb: kind.update ?? kind.list,
  path: { [kind.idParam ?? 'id']: tagId },
  body: { [isRemoval ? 'detach' : 'attach']: ids.map((id) => ({ type, id })) },
});
