import type { JSX } from 'preact';
import classes from './pictures.module.css';

type PictureBoxProps = {
  /** Undefined until it is read. */
  src: string | undefined;
  /** Empty if the text beside it says the same. */
  alt?: string;
  size?: 'small' | 'medium' | 'large';
  onSize?: (width: number, height: number) => void;
};

/** A whole picture on a pattern that shows what is transparent. */
export const PictureBox = ({ src, alt = '', size = 'medium', onSize }: PictureBoxProps): JSX.Element => (
  <span class={`${classes.box} ${classes[size]}`}>
    {src !== undefined && (
      <img
        src={src}
        alt={alt}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => onSize?.(naturalWidth, naturalHeight)}
      />
    )}
  </span>
);
