import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Empty, Skeleton } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { FileDrop } from '../../../../shared/web/ui/pictures/file-drop.tsx';
import { allowed, type Kind, type Row } from '../records/kinds.ts';
import type { Rows } from '../records/list/use-rows.ts';
import { addressOf, changedQuery, open, usePlace } from '../router/place.ts';
import { say } from '../texts.ts';
import classes from './gallery.module.css';
import { Tile } from './tile.tsx';
import { UploadList } from './upload-list.tsx';
import { useSeen } from './use-seen.ts';
import { useUploads } from './use-uploads.ts';

/** The pictures as tiles, and a place for new ones. */
export function Gallery({ kind, rows }: { kind: Kind; rows: Rows }): JSX.Element {
  const uploads = useUploads();
  const mayAdd = allowed(kind.create) !== undefined;
  usePasted(mayAdd ? uploads.add : undefined);
  return (
    <>
      {mayAdd && (
        <FileDrop
          label={say('gallery_files')}
          button={say('gallery_choose_files')}
          isMany={true}
          onFiles={uploads.add}
        >
          <span class={classes.invitation}>{say('gallery_drop')}</span>
        </FileDrop>
      )}
      <UploadList uploads={uploads} />
      {rows.count === 0 && !rows.isLoading ? (
        <Empty icon="records" title={say('gallery_empty')}>
          {say('gallery_empty_text')}
        </Empty>
      ) : (
        <Tiles kind={kind} rows={rows} />
      )}
    </>
  );
}

/** Files that are pasted anywhere in the page, unless another part of it takes them. */
function usePasted(add: ((files: File[]) => void) | undefined): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (add && files.length > 0 && !event.defaultPrevented) add(files);
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, [add]);
}

function Tiles({ kind, rows }: { kind: Kind; rows: Rows }): JSX.Element {
  const { count, rowAt, onRange } = rows;
  const items = Array.from({ length: count }, (_, index) => rowAt(index));
  return (
    <>
      <Order kind={kind} />
      <ul class={classes.tiles} aria-label={kind.many}>
        {items.map((row, index) =>
          row ? (
            <Tile key={idIn(row)} kind={kind} row={row} />
          ) : (
            <Unread key={`unread ${index}`} onSeen={() => onRange({ first: 0, last: index + 1 })} />
          ),
        )}
      </ul>
    </>
  );
}

/** The tiles have no headers by which they could be sorted. */
function Order({ kind: { type, list } }: { kind: Kind }): JSX.Element {
  const { query } = usePlace();
  const orders = { name: say('gallery_order_name'), '-created_at': say('gallery_order_new') };
  return (
    <label class={classes.order}>
      {say('gallery_order')}
      <select
        value={query.get('sort') ?? list.defaultSort}
        onChange={({ currentTarget: { value: sort } }) =>
          open(addressOf([type], changedQuery(query, { sort })), { isSame: true })
        }
      >
        {Object.entries(orders).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

const idIn = ({ id }: Row): string => String(id);

/** A tile whose page of the list is read when it comes into view. */
function Unread({ onSeen }: { onSeen: () => void }): JSX.Element {
  const [place, isSeen] = useSeen<HTMLLIElement>();
  useEffect(() => {
    if (isSeen) onSeen();
  }, [isSeen]);
  return (
    <li ref={place}>
      <Skeleton height="15rem" />
    </li>
  );
}
