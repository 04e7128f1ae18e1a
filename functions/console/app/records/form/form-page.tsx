import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Notice, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { addressOf, usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { editedFields, type Field, type Kind, type Parents, titleOf } from '../kinds.ts';
import { parentsOf } from '../list/list-address.ts';
import classes from '../record/record.module.css';
import { useRecord } from '../record/use-record.ts';
import type { RecordState, Target } from '../requests.ts';
import { initialValues, recordValues, type Values } from './form-values.ts';
import { RecordForm } from './record-form.tsx';

/** The form for a new record. Members that the query of the address names are filled in. */
export function CreatePage({ kind }: { kind: Kind }): JSX.Element {
  const { query } = usePlace();
  const parents = parentsOf(kind, query);
  // What the query says when the form is opened.
  const [start] = useState<Values>(() => ({
    ...initialValues(fieldsOfNew(kind)),
    ...given(fieldsOfNew(kind), query),
  }));
  return (
    <div class={classes.page}>
      <Trail kind={kind} parents={parents} />
      <h1>{kind.create?.label}</h1>
      <RecordForm kind={kind} parents={parents} fields={fieldsOfNew(kind)} start={start} />
    </div>
  );
}

/** A member that is never returned is written into an input that hides it. */
const fieldsOfNew = ({ create, columns }: Kind): Field[] =>
  (create?.fields ?? []).map((field) =>
    columns.some(({ name, type }) => name === field.name && type === 'secret')
      ? { ...field, type: 'secret' as const }
      : field,
  );

const given = (fields: readonly Field[], query: URLSearchParams): Values =>
  Object.fromEntries(
    fields.flatMap(({ name, isMany, type }) => {
      const text = query.get(name);
      const value = text === null || type !== 'object' ? text : objectIn(text);
      if (value === null) return [];
      return [[name, isMany && typeof value === 'string' ? value.split(',') : value]];
    }),
  );

/** An object in an address, as JSON. A reader may have changed it. */
function objectIn(text: string): Values | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? (value as Values | null) : null;
  } catch {
    return null;
  }
}

/** The form for an existing record. */
export function EditPage({ kind, parents, id }: Target): JSX.Element {
  const [read, setRead] = useState<RecordState>();
  // What is typed is compared with the record as it was when the form was opened.
  const { data, error } = useRecord({ kind, parents, id });
  if (data && !read) setRead(data);
  const isOutdated = read !== undefined && data !== undefined && data.etag !== read.etag;
  return (
    <div class={classes.page}>
      <Trail kind={kind} parents={parents} {...(read && { id, name: titleOf(kind, read.row) })} />
      {error !== null && !read && <ProblemNotice problem={problemOf(error)} />}
      {!read && error === null && <Skeleton height="16rem" />}
      {isOutdated && (
        <Notice tone="info" title={say('changed_meanwhile')} isAlert={true}>
          {say('changed_meanwhile_text')}
        </Notice>
      )}
      {read && <Editing target={{ kind, parents, id }} read={read} />}
    </div>
  );
}

function Editing({ target, read }: { target: Target; read: RecordState }): JSX.Element {
  const { kind, parents } = target;
  const secrets = new Set(fieldsOfNew(kind).flatMap(({ name, type }) => (type === 'secret' ? [name] : [])));
  const fields = editedFields(kind).map((field) =>
    secrets.has(field.name) ? { ...field, type: 'secret' as const } : field,
  );
  return (
    <>
      <h1>{say('edit_title', { name: titleOf(kind, read.row) })}</h1>
      <RecordForm
        kind={kind}
        parents={parents}
        fields={fields}
        start={recordValues(fields, read.row)}
        existing={{ target, etag: read.etag }}
      />
    </>
  );
}

type TrailProps = { kind: Kind; parents: Parents; id?: string; name?: string };

const Trail = ({ kind, parents, id, name }: TrailProps): JSX.Element => (
  <p class={classes.trail}>
    <a href={addressOf([kind.type], parents)}>{kind.many}</a>
    {id !== undefined && (
      <>
        {' › '}
        <a href={addressOf([kind.type, id], parents)}>{name}</a>
      </>
    )}
  </p>
);
