import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Button } from '../controls/button.tsx';
import { acceptedFiles } from './picture-files.ts';
import classes from './pictures.module.css';

type FileDropProps = {
  /** Of the button that opens the dialog for files. */
  button: string;
  /** What the files are for, for screen readers. */
  label: string;
  onFiles: (files: File[]) => void;
  isMany?: boolean;
  children?: ComponentChildren;
  /** Buttons after that of the files. */
  actions?: ComponentChildren;
};

/** A place for picture files: chosen by a button, dropped, or pasted while something in it has the focus. */
export function FileDrop({
  button,
  label,
  onFiles,
  isMany = false,
  children,
  actions,
}: FileDropProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const take = (list: FileList | null | undefined): boolean => {
    const files = [...(list ?? [])];
    if (files.length > 0) onFiles(isMany ? files : files.slice(0, 1));
    return files.length > 0;
  };
  const { isOver, handlers } = useDropped(take);
  return (
    <div class={`${classes.drop} ${isOver ? classes.over : ''}`} {...handlers}>
      <input
        ref={input}
        type="file"
        hidden={true}
        aria-label={label}
        accept={acceptedFiles}
        multiple={isMany}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      {children}
      <Button look="plain" icon="add" onClick={() => input.current?.click()}>
        {button}
      </Button>
      {actions}
    </div>
  );
}

/** @param take returns whether there were files */
function useDropped(take: (list: FileList | null | undefined) => boolean) {
  const [isOver, setOver] = useState(false);
  const handlers = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      take(event.dataTransfer?.files);
    },
    onPaste: (event: ClipboardEvent) => {
      if (take(event.clipboardData?.files)) event.preventDefault();
    },
  };
  return { isOver, handlers };
}
