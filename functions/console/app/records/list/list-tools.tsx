import type { JSX } from 'preact';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Menu } from '../../../../../shared/web/ui/overlays/menu.tsx';
import { ExportButton } from '../../journal/exports/export-button.tsx';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { useExtension } from '../extensions.ts';
import { allowed, type Kind } from '../kinds.ts';
import { CopyCommand } from '../record/copy-command.tsx';
import { curlOf, listPath } from '../requests.ts';
import { chosenColumns, possibleColumns } from './columns.tsx';
import classes from './list.module.css';
import { type ListView, listQueryOf } from './list-address.ts';

type ListToolsProps = { kind: Kind; view: ListView; onColumns: (names: string[] | undefined) => void };

/** What can be done with a list as a whole. */
export const ListTools = ({ kind, view, onColumns }: ListToolsProps): JSX.Element => (
  <>
    <CopyCommand
      command={() =>
        curlOf({ method: 'GET', path: listPath(kind, view.parents), query: listQueryOf(kind, view) })
      }
    />
    <ExportButton kind={kind} query={listQueryOf(kind, view)} />
    <ColumnMenu kind={kind} view={view} onColumns={onColumns} />
    <CreateButtons kind={kind} view={view} />
  </>
);

/** How a record is created: by its form, and by what the kind offers besides. */
export function CreateButtons({ kind, view }: Pick<ListToolsProps, 'kind' | 'view'>): JSX.Element {
  const ListActions = useExtension(kind)?.ListActions;
  return (
    <>
      {allowed(kind.create) && (
        <LinkButton
          look={ListActions ? 'plain' : 'main'}
          shortcut="c"
          href={addressOf([kind.type, 'new'], view.parents)}
        >
          {kind.create?.label}
        </LinkButton>
      )}
      {ListActions && <ListActions />}
    </>
  );
}

function ColumnMenu({ kind, view, onColumns }: ListToolsProps): JSX.Element | null {
  const ListBody = useExtension(kind)?.ListBody;
  const [, ...possible] = possibleColumns(kind);
  const shown = new Set(chosenColumns(kind, view.columns).map(({ name }) => name));
  const toggle = (name: string) => {
    const names = possible.map((field) => field.name).filter((one) => (one === name) !== shown.has(one));
    onColumns(names);
  };
  // Only a table has columns.
  if (ListBody) return null;
  return (
    <Menu
      trigger={(attributes) => (
        <Button look="plain" icon="columns" {...attributes}>
          {say('columns')}
        </Button>
      )}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the menu stays open while boxes are clicked */}
      <div class={classes.columns} onClick={(event) => event.stopPropagation()}>
        {possible.map(({ name, label }) => (
          <label key={name}>
            <input type="checkbox" checked={shown.has(name)} onChange={() => toggle(name)} />
            {label}
          </label>
        ))}
        <Button look="quiet" onClick={() => onColumns(undefined)}>
          {say('usual_columns')}
        </Button>
      </div>
    </Menu>
  );
}
