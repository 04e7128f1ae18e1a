import type { ComponentChildren, ComponentProps, JSX } from 'preact';
import classes from './controls.module.css';
import { Icon, type IconName } from './icon.tsx';

type Look = 'main' | 'plain' | 'quiet' | 'danger';

type ButtonProps = Omit<ComponentProps<'button'>, 'class' | 'icon'> & {
  look?: Look;
  icon?: IconName;
  busy?: boolean;
};

/** A button with a text. While it is busy, further clicks have no effect. */
export const Button = ({
  look = 'main',
  icon,
  busy = false,
  children,
  onClick,
  ...rest
}: ButtonProps): JSX.Element => (
  <button
    type="button"
    {...rest}
    class={`${classes.button} ${classes[look]}`}
    aria-busy={busy}
    {...(!busy && onClick && { onClick })}
  >
    {busy ? <span class={classes.busy} /> : icon && <Icon name={icon} />}
    <span>{children}</span>
  </button>
);

type LinkButtonProps = {
  href: string;
  look?: Look;
  icon?: IconName;
  /** A key that opens it. */
  shortcut?: string;
  children: ComponentChildren;
};

/** A link that looks like a button. */
export const LinkButton = ({
  href,
  look = 'main',
  icon,
  shortcut,
  children,
}: LinkButtonProps): JSX.Element => (
  <a
    href={href}
    class={`${classes.button} ${classes[look]}`}
    {...(shortcut !== undefined && { 'aria-keyshortcuts': shortcut })}
  >
    {icon && <Icon name={icon} />}
    <span>{children}</span>
  </a>
);

type IconButtonProps = Omit<ComponentProps<'button'>, 'class' | 'icon' | 'label'> & {
  icon: IconName;
  label: string;
  filled?: boolean;
};

/** A button that shows a symbol only. Its label is read out, and shown as a tooltip. */
export const IconButton = ({ icon, label, filled = false, ...rest }: IconButtonProps): JSX.Element => (
  <button
    type="button"
    {...rest}
    class={`${classes.button} ${classes.symbol}`}
    aria-label={label}
    title={label}
  >
    <Icon name={icon} filled={filled} />
  </button>
);
