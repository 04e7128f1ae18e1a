import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { problemOf } from '../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { Notice, Skeleton } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { addressOf, open, usePlace } from '../router/place.ts';
import { say } from '../texts.ts';
import { CreatePage, EditPage } from './form/form-page.tsx';
import { allowed, type Kind } from './kinds.ts';
import { parentsOf } from './list/list-address.ts';
import { ListPage } from './list/list-page.tsx';
import { RecordPage } from './record/record-page.tsx';
import { readOwner } from './references.ts';

/** The pages of a kind: its list, the form for a new record, a record, and the form for it. */
export function RecordsPage({ kind }: { kind: Kind }): JSX.Element {
  const { segments, query } = usePlace();
  const [, id, action] = segments;
  const parents = parentsOf(kind, query);
  const missing = kind.parents.find((name) => parents[name] === '');
  if (missing !== undefined)
    return id === undefined ? <NoParent kind={kind} /> : <OwnerOf kind={kind} id={id} owner={missing} />;
  if (id === undefined) return <ListPage key={JSON.stringify(parents)} kind={kind} />;
  if (id === 'new' && allowed(kind.create)) return <CreatePage kind={kind} />;
  const target = { kind, parents, id };
  if (action === 'edit' && allowed(kind.update)) return <EditPage key={id} {...target} />;
  return <RecordPage key={id} {...target} />;
}

/** The records of some kinds belong to another record, which the address must name. */
const NoParent = ({ kind }: { kind: Kind }): JSX.Element => (
  <Notice tone="info" title={say('no_parent', { name: kind.many })}>
    <a href={addressOf(['authenticator'])}>{say('choose_parent')}</a>
  </Notice>
);

type OwnerOfProps = { kind: Kind; id: string; owner: string };

/** References do not name the domain of a user or group. Its page opens as soon as the domain is found. */
function OwnerOf({ kind, id, owner }: OwnerOfProps): JSX.Element {
  const { data, error } = useQuery({
    queryKey: ['owner', kind.type, id],
    queryFn: ({ signal }) => readOwner(kind, id, signal),
  });
  useEffect(() => {
    if (data) open(addressOf([kind.type, id], { [owner]: data }), { isSame: true });
  }, [data]);
  if (error !== null) return <ProblemNotice problem={problemOf(error)} />;
  return data === null ? <NoParent kind={kind} /> : <Skeleton height="16rem" />;
}
