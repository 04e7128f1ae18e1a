import type { ComponentChildren, JSX } from 'preact';
import { humanized } from '../../../../../shared/client/catalogue/words.ts';
import { momentText } from '../../../../../shared/web/text/moments.ts';
import { IconButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import type { CellProps } from '../../records/extension.ts';
import { Pairs } from '../../records/fields/pairs.tsx';
import { ActorBadge, NameBadge } from '../../records/fields/person-badges.tsx';
import { choiceText, nothing } from '../../records/fields/value.tsx';
import { fieldOf, type Kind, kindOf, type Row, useKinds } from '../../records/kinds.ts';
import { Changes } from '../../records/record/changes.tsx';
import type { Change } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './audit.module.css';
import { objectTitle } from './event-words.ts';

type EventPartsProps = { kind: Kind; row: Row; onClose: () => void };

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The user of an event in a list, with what acted. */
export const ActorCell = ({ row }: CellProps): JSX.Element => (
  <>
    {text(row.user) || nothing}
    <NameBadge name={row.user} />
    <ActorBadge actor={row.actor} />
  </>
);

/** An event with its circumstances and changes. */
export function EventParts({ kind, row, onClose }: EventPartsProps): JSX.Element {
  const about = kindOf(useKinds(), text(row.object_type));
  const changes = (Array.isArray(row.changes) ? row.changes : []) as Change[];
  return (
    <>
      {text(row.message) !== '' && <p class={classes.message}>{text(row.message)}</p>}
      <Circumstances kind={kind} row={row} onClose={onClose} />
      {changes.length > 0 && (
        <section class={classes.changes}>
          <h3>{say('journal_changes')}</h3>
          <Changes kind={about ?? kind} changes={changes} />
        </section>
      )}
      <Details details={row.details} />
    </>
  );
}

/** Time, result, user, address, object and request. */
function Circumstances({ kind, row, onClose }: EventPartsProps): JSX.Element {
  return (
    <dl class={classes.facts}>
      <Fact label={say('journal_when')}>
        <time dateTime={text(row.at)}>{momentText(text(row.at))}</time>
        {Number(row.count) > 1 && (
          <p class={classes.quiet}>{say('journal_times', { count: Number(row.count) })}</p>
        )}
      </Fact>
      <Fact label={say('journal_result')}>
        <Result kind={kind} row={row} />
      </Fact>
      <Fact label={say('journal_who')}>
        <Actor row={row} onClose={onClose} />
      </Fact>
      <Fact label={say('journal_where')}>
        <Origin row={row} onClose={onClose} />
      </Fact>
      <Fact label={say('journal_object')}>
        <About row={row} onClose={onClose} />
      </Fact>
      {text(row.request_id) !== '' && (
        <Fact label={say('journal_request')}>
          <RequestId id={text(row.request_id)} row={row} />
        </Fact>
      )}
    </dl>
  );
}

const Fact = ({ label, children }: { label: string; children: ComponentChildren }): JSX.Element => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const Result = ({ kind, row }: { kind: Kind; row: Row }): JSX.Element => {
  const field = fieldOf(kind, 'result');
  const isGood = row.result === 'success';
  return (
    <Mark tone={isGood ? 'good' : 'bad'}>{field ? choiceText(field, row.result) : String(row.result)}</Mark>
  );
};

type PartProps = { row: Row; onClose: () => void };

/** A link to a list with a filter. The dialog closes, because it would cover the list. */
const Filtered = ({
  query,
  onClose,
  children,
}: {
  query: Record<string, string>;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element => (
  <a href={addressOf(['audit'], query)} onClick={onClose}>
    {children}
  </a>
);

function Actor({ row, onClose }: PartProps): JSX.Element {
  const user = text(row.user);
  if (user === '')
    return (
      <>
        {nothing}
        <ActorBadge actor={row.actor} />
      </>
    );
  return (
    <>
      {[user, text(row.domain)].filter(Boolean).join(' @ ')}
      <NameBadge name={user} />
      <ActorBadge actor={row.actor} />
      {text(row.service_token) !== '' && (
        <p class={classes.quiet}>{say('journal_by_token', { name: text(row.service_token) })}</p>
      )}
      <p>
        <Filtered query={{ user }} onClose={onClose}>
          {say('journal_of_user')}
        </Filtered>
      </p>
    </>
  );
}

function Origin({ row, onClose }: PartProps): JSX.Element {
  const source_ip = text(row.source_ip);
  if (source_ip === '') return <>{nothing}</>;
  return (
    <>
      {source_ip}
      {text(row.user_agent) !== '' && <p class={classes.quiet}>{text(row.user_agent)}</p>}
      <p>
        <Filtered query={{ source_ip }} onClose={onClose}>
          {say('journal_of_address')}
        </Filtered>
      </p>
    </>
  );
}

/** The object, with links to it and to everything that happened to it. */
function About({ row, onClose }: PartProps): JSX.Element {
  const kinds = useKinds() ?? [];
  const about = kindOf(kinds, text(row.object_type));
  const [object_type, object_id] = [text(row.object_type), text(row.object_id)];
  if (object_type === '') return <>{nothing}</>;
  const title = objectTitle(row, kinds);
  const isLinked = about?.get && about.parents.length === 0 && object_id !== '' && row.action !== 'delete';
  return (
    <>
      {isLinked ? <a href={addressOf([object_type, object_id])}>{title}</a> : title}
      {object_id !== '' && (
        <p>
          <Filtered query={{ object_type, object_id }} onClose={onClose}>
            {say('journal_of_object')}
          </Filtered>
        </p>
      )}
    </>
  );
}

const RequestId = ({ id, row }: { id: string; row: Row }): JSX.Element => (
  <>
    <span class={classes.request}>
      <code>{id}</code>
      <IconButton
        icon="copy"
        label={say('journal_copy_request')}
        onClick={() =>
          navigator.clipboard.writeText(id).then(
            () => toast(say('journal_request_copied')),
            () => toast(say('not_copied'), { isFault: true }),
          )
        }
      />
    </span>
    {text(row.method) !== '' && (
      <p class={classes.quiet}>
        {text(row.method)} {text(row.path)}
      </p>
    )}
  </>
);

/** Further facts, whose names depend on the event. */
function Details({ details }: { details: unknown }): JSX.Element | null {
  const entries = Object.entries((details ?? {}) as Record<string, unknown>);
  if (entries.length === 0) return null;
  return (
    <section class={classes.changes}>
      <h3>{say('journal_details')}</h3>
      <dl class={classes.facts}>
        {entries.map(([name, value]) => (
          <Fact key={name} label={humanized(name)}>
            <Pairs value={value} />
          </Fact>
        ))}
      </dl>
    </section>
  );
}
