import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { textsOf } from '../../../../../shared/web/problems/problem-texts.ts';
import { Button, IconButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Icon } from '../../../../../shared/web/ui/controls/icon.tsx';
import { Menu } from '../../../../../shared/web/ui/overlays/menu.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { copyLink } from '../../palette/entries.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import type { Kind } from '../kinds.ts';
import { parentsOf } from '../list/list-address.ts';
import { all, type SavedView, storedQuery, useViews, useViewWrites, viewAddress } from './use-views.ts';
import { DeleteView, NameView } from './view-dialogs.tsx';
import classes from './views.module.css';

type SavedViewsProps = { kind: Kind; query: URLSearchParams };

/** The saved views of a list, and a button that saves what it shows now. */
export function SavedViews({ kind, query }: SavedViewsProps): JSX.Element | null {
  const views = useViews(kind);
  const [isSaving, setSaving] = useState(false);
  const now = storedQuery(kind, query);
  const isSaved = views.some((view) => view.query === now);
  const canSave = now !== '' && !isSaved;
  if (views.length === 0 && !canSave) return null;
  return (
    <div class={classes.bar}>
      {views.length > 0 && <Chips kind={kind} query={query} views={views} now={now} />}
      {canSave && (
        <Button look="quiet" icon="star" onClick={() => setSaving(true)}>
          {say('view_save')}
        </Button>
      )}
      {isSaving && (
        <NameView
          view={{ list: kind.type, name: '', query: now, is_default: false }}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  );
}

type ChipsProps = SavedViewsProps & { views: readonly SavedView[]; now: string };

const Chips = ({ kind, query, views, now }: ChipsProps): JSX.Element => (
  <ul class={classes.views} aria-label={say('views')}>
    <li class={classes.view}>
      <a href={addressOf([kind.type], { ...parentsOf(kind, query), [all]: '1' })} {...currentIf(now === '')}>
        {say('views_all')}
      </a>
    </li>
    {views.map((view) => (
      <li key={view.id} class={classes.view}>
        <a href={viewAddress(kind, query, view)} {...currentIf(view.query === now)}>
          {view.is_default && <Icon name="star" filled={true} />}
          {view.name}
          {view.is_default && <span class="unseen"> {say('view_default_mark')}</span>}
        </a>
        <ViewMenu kind={kind} query={query} view={view} now={now} />
      </li>
    ))}
  </ul>
);

const currentIf = (isCurrent: boolean) => (isCurrent ? { 'aria-current': 'true' as const } : {});

type ViewMenuProps = SavedViewsProps & { view: SavedView; now: string };

/** What can be done with a view. */
function ViewMenu(props: ViewMenuProps): JSX.Element {
  const { view } = props;
  const [asking, setAsking] = useState<'rename' | 'delete'>();
  const close = () => setAsking(undefined);
  return (
    <>
      <Menu
        trigger={(attributes) => (
          <IconButton icon="more" label={say('view_menu', { name: view.name })} {...attributes} />
        )}
      >
        <MenuItems {...props} onAsk={setAsking} />
      </Menu>
      {asking === 'rename' && <NameView view={view} onClose={close} />}
      {asking === 'delete' && <DeleteView view={view} onClose={close} />}
    </>
  );
}

type MenuItemsProps = ViewMenuProps & { onAsk: (what: 'rename' | 'delete') => void };

function MenuItems({ kind, query, view, now, onAsk }: MenuItemsProps): JSX.Element {
  const { replace } = useViewWrites();
  const change = (changes: Partial<SavedView>) =>
    replace({ ...view, ...changes }).then(
      () => toast(say('view_saved', { name: view.name })),
      (error: unknown) => toast(textsOf(problemOf(error)).title, { isFault: true }),
    );
  const link = new URL(viewAddress(kind, query, view), location.href).href;
  return (
    <>
      <Button look="quiet" onClick={() => onAsk('rename')}>
        {say('view_rename')}
      </Button>
      {now !== view.query && (
        <Button look="quiet" onClick={() => change({ query: now })}>
          {say('view_overwrite')}
        </Button>
      )}
      <Button look="quiet" onClick={() => change({ is_default: !view.is_default })}>
        {view.is_default ? say('view_no_default') : say('view_make_default')}
      </Button>
      <Button look="quiet" onClick={() => copyLink(link)}>
        {say('view_copy_link')}
      </Button>
      <Button look="quiet" onClick={() => onAsk('delete')}>
        {say('delete')}
      </Button>
    </>
  );
}
