import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { FileDrop } from '../../../../../shared/web/ui/pictures/file-drop.tsx';
import type { InputProps } from '../../records/form/input-props.ts';
import { kindOf, useKinds } from '../../records/kinds.ts';
import { useNames } from '../../records/references.ts';
import { say } from '../../texts.ts';
import { serviceSide } from '../faults.ts';
import classes from '../gallery.module.css';
import { usePicture } from '../use-picture.ts';
import { Below, Preview, RemoveButton } from './below.tsx';
import { Chooser } from './chooser.tsx';
import { useFile } from './use-file.ts';

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A stored picture: one of the gallery, or a file that is stored with the record. */
export function StoredPictureInput(props: InputProps): JSX.Element {
  const { field, value, onChange, place, faults, setter } = props;
  const { label, help } = field;
  const id = useId();
  const file = useFile(serviceSide, (uri) => setter?.onChange(uri));
  const [stored, given] = [textIn(value), textIn(setter?.value)];
  const set = (chosen: string | null) => {
    file.forget();
    setter?.onChange(undefined);
    onChange(chosen);
  };
  const parts = (
    <>
      <Shown label={label} stored={stored} file={given} />
      <ChooseButton chosen={given === undefined ? stored : undefined} onChoose={set} />
    </>
  );
  const actions = (stored ?? given) !== undefined && <RemoveButton onRemove={() => set(null)} />;
  return (
    <fieldset class={classes.input} aria-describedby={`${id}-about`}>
      <legend>{label}</legend>
      {setter ? (
        <FileDrop label={label} button={say('gallery_choose_file')} onFiles={file.take} actions={actions}>
          {parts}
        </FileDrop>
      ) : (
        <div class={classes.buttons}>
          {parts}
          {actions}
        </div>
      )}
      <Below
        id={`${id}-about`}
        help={help}
        state={file.state}
        fault={faults.get(place) ?? (setter && faults.get(setter.place))}
      />
    </fieldset>
  );
}

type ShownProps = { label: string; stored: string | undefined; file: string | undefined };

function Shown({ label, stored, file }: ShownProps): JSX.Element | null {
  const src = usePicture(stored);
  const name = useNames('picture', stored === undefined ? [] : [stored]).of(stored ?? '')?.name;
  if (file !== undefined) return <Preview src={file} alt={say('gallery_preview', { name: label })} />;
  return stored === undefined ? null : (
    <Preview src={src} alt={name ?? say('gallery_own_picture')} name={name} />
  );
}

type ChooseButtonProps = { chosen: string | undefined; onChoose: (id: string) => void };

/** Opens the gallery, if the user may read it. */
function ChooseButton({ chosen, onChoose }: ChooseButtonProps): JSX.Element | null {
  const gallery = kindOf(useKinds(), 'picture');
  const [isOpen, setOpen] = useState(false);
  if (!gallery) return null;
  return (
    <>
      <Button look="plain" icon="records" onClick={() => setOpen(true)}>
        {say('gallery_choose')}
      </Button>
      {isOpen && (
        <Chooser
          chosen={chosen}
          onClose={() => setOpen(false)}
          onChoose={(id) => {
            setOpen(false);
            onChoose(id);
          }}
        />
      )}
    </>
  );
}
