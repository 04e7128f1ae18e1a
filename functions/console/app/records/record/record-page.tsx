import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { filledPath } from '../../../../../shared/web/client/request.ts';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { forgetRecent, noteRecent } from '../../palette/recent.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { useExtension } from '../extensions.ts';
import { isNamedByUser, NameBadge } from '../fields/person-badges.tsx';
import { allowed, type Kind, titleOf, useKinds } from '../kinds.ts';
import { curlOf, pathValues, type RecordState, type Target } from '../requests.ts';
import { CopyCommand } from './copy-command.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { History } from './history.tsx';
import { Members } from './members.tsx';
import classes from './record.module.css';
import { useRecord } from './use-record.ts';

/** One record with everything that the portal knows about it. */
export function RecordPage({ kind, parents, id }: Target): JSX.Element {
  const { data, error } = useRecord({ kind, parents, id });
  const name = data && titleOf(kind, data.row);
  const isGone = error !== null && problemOf(error).code === 'not_found';
  useEffect(() => {
    if (isGone) forgetRecent({ type: kind.type, id });
    else if (name !== undefined) noteRecent({ type: kind.type, id, name, parents });
  }, [name, isGone]);
  return (
    <div class={classes.page}>
      <p class={classes.trail}>
        <a href={addressOf([kind.type], parents)}>{kind.many}</a>
      </p>
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {!data && error === null && <Skeleton height="16rem" />}
      {data && <Content target={{ kind, parents, id }} state={data} />}
    </div>
  );
}

function Content({ target, state }: { target: Target; state: RecordState }): JSX.Element {
  const { kind, parents, id } = target;
  const { row } = state;
  const { RecordActions, RecordParts, inParts = [] } = useExtension(kind) ?? {};
  const [isDeleting, setDeleting] = useState(false);
  const path = filledPath((kind.get ?? kind.list).path, pathValues(kind, parents, id));
  return (
    <>
      <div class={classes.heading}>
        <h1>
          {titleOf(kind, row)}
          {isNamedByUser(kind) && <NameBadge name={titleOf(kind, row)} />}
        </h1>
        <CopyCommand command={() => curlOf({ method: 'GET', path })} />
        {RecordActions && <RecordActions target={target} state={state} />}
        {allowed(kind.update) && row.builtin !== true && (
          <LinkButton look="plain" href={addressOf([kind.type, id, 'edit'], parents)} shortcut="e">
            {kind.update?.label}
          </LinkButton>
        )}
        {allowed(kind.delete) && row.builtin !== true && (
          <Button look="danger" onClick={() => setDeleting(true)}>
            {kind.delete?.label}
          </Button>
        )}
      </div>
      <Related kind={kind} id={id} />
      <section class={classes.card}>
        <Members fields={kind.columns.filter(({ name }) => !inParts.includes(name))} row={row} />
      </section>
      {RecordParts && <RecordParts target={target} state={state} />}
      {allowed(kind.history?.list) && <History target={target} state={state} />}
      {isDeleting && <DeleteDialog target={target} state={state} onClose={() => setDeleting(false)} />}
    </>
  );
}

/** Lists of other kinds that can be limited to this record: by a filter, or because they belong to it. */
function Related({ kind, id }: { kind: Kind; id: string }): JSX.Element | null {
  const related = (useKinds() ?? []).flatMap((other) => relationOf(other, kind, id));
  if (related.length === 0) return null;
  return (
    <ul class={classes.related} aria-label={say('related')}>
      {related.map(({ text, query, type }) => (
        <li key={type}>
          <a href={addressOf([type], query)}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

type Relation = { type: string; text: string; query: Record<string, string> };

function relationOf({ type, many, list, parents }: Kind, { type: own }: Kind, id: string): Relation[] {
  const filter = list.filters.find(({ reference }) => reference === own);
  if (filter && parents.length === 0) return [{ type, text: many, query: { [filter.name]: id } }];
  const [parent, ...further] = parents;
  if (parent === undefined || further.length > 0 || ownerTypes[parent] !== own) return [];
  return [{ type, text: many, query: { [parent]: id } }];
}

/** Types of the records that a parameter of a path names. */
const ownerTypes: Readonly<Record<string, string>> = { auth_uuid: 'authenticator' };
