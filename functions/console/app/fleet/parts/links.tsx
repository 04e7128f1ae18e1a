import type { ComponentChildren, JSX } from 'preact';
import { kindOf, type Row, useKinds } from '../../records/kinds.ts';
import { addressOf, type Query } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './parts.module.css';

type ListLinkProps = { type: string; query: Query; children: ComponentChildren };

/** A link to a list of records, if the user may read it. */
export function ListLink({ type, query, children }: ListLinkProps): JSX.Element {
  const kind = kindOf(useKinds(), type);
  if (!kind) return <span>{children}</span>;
  return (
    <a class={classes.link} href={addressOf([type], query)}>
      {children}
    </a>
  );
}

/** Lists of what belongs to a record. Those that the user may not read are left out. */
export function Links({ links }: { links: readonly (ListLinkProps | undefined)[] }): JSX.Element | null {
  const kinds = useKinds();
  const shown = links.filter((link) => link !== undefined).filter(({ type }) => kindOf(kinds, type));
  if (shown.length === 0) return null;
  return (
    <ul class={classes.links} aria-label={say('related')}>
      {shown.map((link) => (
        <li key={`${link.type} ${JSON.stringify(link.query)}`}>
          <ListLink {...link} />
        </li>
      ))}
    </ul>
  );
}

export const textIn = (row: Row, name: string): string | undefined => {
  const value = row[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** A user as the filters of the lists name it. */
export const personText = (domain: string | undefined, name: string): string =>
  domain === undefined ? name : `${domain}\\${name}`;
