import type { ComponentChildren, JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import classes from './overlays.module.css';

type MenuProps = {
  /** The button that opens the menu; it gets these attributes. */
  trigger: (attributes: TriggerAttributes) => JSX.Element;
  /** Buttons and links. A click on one of them closes the menu. */
  children: ComponentChildren;
};

type TriggerAttributes = { popovertarget: string; 'aria-expanded': boolean; 'aria-controls': string };

const gap = 6;

/** Actions that a button opens. The browser closes it by the Escape key and by clicks outside. */
export function Menu({ trigger, children }: MenuProps): JSX.Element {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const onToggle = ({ newState }: { newState: string }) => {
    setOpen(newState === 'open');
    if (newState === 'open' && panel.current && place.current) putBeside(panel.current, place.current);
  };
  return (
    <div ref={place} class={classes.place}>
      {trigger({ popovertarget: id, 'aria-expanded': isOpen, 'aria-controls': id })}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: clicks arrive from its buttons, also those by keyboard */}
      <div
        ref={panel}
        id={id}
        popover="auto"
        class={classes.menu}
        onToggle={onToggle}
        onClick={() => panel.current?.hidePopover()}
      >
        {children}
      </div>
    </div>
  );
}

/** Below the button, or above it if there is no room, and within the window. */
function putBeside(panel: HTMLElement, place: HTMLElement): void {
  const at = place.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const below = at.bottom + gap;
  const isBelow = below + height <= innerHeight || at.top < height + gap;
  const left = Math.min(Math.max(gap, at.right - width), innerWidth - width - gap);
  Object.assign(panel.style, {
    left: `${Math.max(gap, left)}px`,
    top: `${isBelow ? below : at.top - height - gap}px`,
  });
}
