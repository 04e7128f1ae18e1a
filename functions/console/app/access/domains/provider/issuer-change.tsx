import type { JSX } from 'preact';
import { Notice } from '../../../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../../../texts.ts';
import type { Params } from '../domain-values.ts';
import { type AtIssuer, useIdentities } from './former-people.tsx';

type IssuerChangeProps = { id: string; saved: Params; next: Params };

/** What a changed issuer or discovery address does to the people and sessions of the domain, before it is saved. */
export function IssuerChange({ id, saved, next }: IssuerChangeProps): JSX.Element | null {
  const isIssuerChanged = saved.issuer !== next.issuer;
  const isChanged = isIssuerChanged || (saved.discovery_url ?? null) !== (next.discovery_url ?? null);
  return isChanged ? <Effect id={id} issuer={isIssuerChanged ? next.issuer : undefined} /> : null;
}

/** @param issuer the new one; undefined if it stays */
function Effect({ id, issuer }: { id: string; issuer: unknown }): JSX.Element | null {
  const { data } = useIdentities(id);
  if (!data) return null;
  const present = data.items.filter(({ is_present }) => is_present);
  const [people, roles, sessions] = [
    sumOf(present, 'people'),
    sumOf(present, 'with_roles'),
    sumOf(present, 'sessions'),
  ];
  const former = data.items.find((of) => of.issuer === issuer && !of.is_present && of.people > 0);
  return (
    <Notice tone="warn" title={say('access_issuer_sessions', { sessions })} isAlert={true}>
      {issuer !== undefined && <p>{say('access_issuer_people', { people, roles })}</p>}
      {issuer !== undefined && people > 0 && <p>{say('access_issuer_back')}</p>}
      {former && <p>{say('access_issuer_again', { people: former.people })}</p>}
    </Notice>
  );
}

const sumOf = (items: readonly AtIssuer[], member: 'people' | 'with_roles' | 'sessions'): number =>
  items.reduce((sum, item) => sum + item[member], 0);
