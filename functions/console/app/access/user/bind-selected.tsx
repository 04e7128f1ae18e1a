import type { ComponentProps, JSX } from 'preact';
import { allowed, type Kind, type Parents, titleOf } from '../../records/kinds.ts';
import type { Selected } from '../../records/list/use-selection.ts';
import { BindButton } from './bind-dialog.tsx';
import { useAccess } from './use-access.ts';

type BindSelectedProps = { kind: Kind; parents: Parents; selection: Selected };

/** Users that one request binds. */
const most = 100;

export const canBind = (kind: Kind): boolean => allowed(kind.update) !== undefined;

/** Binds the selected users. The first one determines how, because all of them are in the same domain. */
export function BindSelected({ kind, parents, selection }: BindSelectedProps): JSX.Element | null {
  const people = selection.keys.filter((key) => selection.rowOf(key)?.kind === 'person');
  const [first] = people;
  const { auth_uuid: domainId } = parents;
  if (!canBind(kind) || first === undefined || domainId === undefined || people.length > most) return null;
  const users = people.map((id) => ({ id, name: titleOf(kind, selection.rowOf(id) ?? {}) }));
  return <BindAsFirst domainId={domainId} first={first} users={users} onDone={selection.clear} />;
}

type BindFirstProps = Omit<ComponentProps<typeof BindButton>, 'access'> & { first: string };

function BindAsFirst({ first, ...binding }: BindFirstProps): JSX.Element | null {
  const { data: access } = useAccess(first);
  return access && access.binding !== 'none' ? <BindButton {...binding} access={access} /> : null;
}
