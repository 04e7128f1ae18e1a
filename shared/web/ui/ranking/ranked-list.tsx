import type { ComponentChildren, JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { frameText } from '../../text/texts.ts';
import { IconButton } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { inOrder, movedTo, type Ranked, tied } from './order.ts';
import classes from './ranked-list.module.css';

type RankedItem = Ranked & {
  name: string;
  /** Beside the name. */
  content?: ComponentChildren;
};

type RankedListProps = {
  label: string;
  items: readonly RankedItem[];
  /** All items with their new ranks, in order. */
  onOrder: (ranks: Ranked[]) => void;
  onRemove: (key: string) => void;
};

/** Items in an order that is changed by dragging or with buttons. An item can have the rank of the one before it. */
export function RankedList({ label, items, onOrder, onRemove }: RankedListProps): JSX.Element {
  const id = useId();
  const ordered = inOrder(items);
  const [moved, setMoved] = useState<Moved>();
  useFocusAfter(id, moved);
  const move = (key: string, at: number, side?: Side) => {
    if (at < 0 || at >= ordered.length) return;
    onOrder(movedTo(items, key, at));
    const name = ordered.find((item) => item.key === key)?.name ?? '';
    setMoved({ key, side, text: frameText('moved', { name, place: at + 1, count: ordered.length }) });
  };
  const drag = useDrag((key, over) =>
    move(
      key,
      ordered.findIndex((item) => item.key === over),
    ),
  );
  return (
    <>
      <ol class={classes.list} aria-label={label}>
        {ordered.map((item, at) => (
          <Row
            key={item.key}
            id={id}
            item={item}
            before={ordered[at - 1]}
            drag={drag}
            onMove={(side) => move(item.key, side === 'up' ? at - 1 : at + 1, side)}
            onTie={(isTied) => onOrder(tied(items, item.key, isTied))}
            onRemove={() => onRemove(item.key)}
          />
        ))}
      </ol>
      <p class="unseen" role="status">
        {moved?.text}
      </p>
    </>
  );
}

type Side = 'up' | 'down';
type Moved = { key: string; side: Side | undefined; text: string };

const buttonId = (id: string, key: string, side: Side): string => `${id}-${key}-${side}`;

/** A row that moves in the document loses the focus of its button. */
function useFocusAfter(id: string, moved: Moved | undefined): void {
  useEffect(() => {
    if (moved?.side) document.getElementById(buttonId(id, moved.key, moved.side))?.focus();
  }, [moved]);
}

/** The item that is dragged by its handle, also on a touch screen, and the one that it is over. */
function useDrag(onDrop: (key: string, over: string) => void) {
  const [drag, setDrag] = useState<{ key: string; over: string | undefined }>();
  return {
    over: drag?.over === drag?.key ? undefined : drag?.over,
    handleOf: (key: string) => ({
      onPointerDown: (event: TargetedPointerEvent<HTMLElement>) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ key, over: undefined });
      },
      onPointerMove: (event: PointerEvent) => drag && setDrag({ key, over: keyAt(event) }),
      onPointerUp: (event: PointerEvent) => {
        const over = keyAt(event);
        if (drag && over !== undefined && over !== key) onDrop(key, over);
        setDrag(undefined);
      },
      onPointerCancel: () => setDrag(undefined),
    }),
  };
}

/** The item below the pointer. */
const keyAt = ({ clientX, clientY }: PointerEvent): string | undefined =>
  document.elementFromPoint(clientX, clientY)?.closest('[data-item]')?.getAttribute('data-item') ?? undefined;

type RowProps = {
  id: string;
  item: RankedItem;
  before: RankedItem | undefined;
  drag: ReturnType<typeof useDrag>;
  onMove: (side: Side) => void;
  onTie: (isTied: boolean) => void;
  onRemove: () => void;
};

function Row({ id, item, before, drag, onMove, onTie, onRemove }: RowProps): JSX.Element {
  const { key, name, rank, content } = item;
  const isTied = before?.rank === rank;
  return (
    <li
      class={`${classes.row} ${drag.over === key ? classes.over : ''} ${isTied ? classes.tied : ''}`}
      data-item={key}
    >
      <span class={classes.handle} {...drag.handleOf(key)}>
        <Icon name="drag" />
      </span>
      <span class={classes.rank}>{rank}</span>
      <div class={classes.content}>
        <span class={classes.name}>{name}</span>
        {content}
        {before && (
          <label>
            <input
              type="checkbox"
              checked={isTied}
              onChange={({ currentTarget }) => onTie(currentTarget.checked)}
            />
            {frameText('equal_rank', { name: before.name })}
          </label>
        )}
      </div>
      <Buttons id={id} item={item} onMove={onMove} onRemove={onRemove} />
    </li>
  );
}

type ButtonsProps = Pick<RowProps, 'id' | 'item' | 'onMove' | 'onRemove'>;

const Buttons = ({ id, item: { key, name }, onMove, onRemove }: ButtonsProps): JSX.Element => (
  <div class={classes.buttons}>
    {(['up', 'down'] as const).map((side) => (
      <IconButton
        key={side}
        id={buttonId(id, key, side)}
        icon={side}
        label={frameText(side === 'up' ? 'move_up' : 'move_down', { name })}
        onClick={() => onMove(side)}
      />
    ))}
    <IconButton icon="close" label={frameText('remove', { name })} onClick={onRemove} />
  </div>
);
