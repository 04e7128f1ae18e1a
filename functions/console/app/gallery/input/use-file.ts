import { useState } from 'preact/hooks';
import { sizeText } from '../../../../../shared/web/text/numbers.ts';
import { readPictureFile } from '../../../../../shared/web/ui/pictures/picture-files.ts';
import { say } from '../../texts.ts';
import { faultText } from '../faults.ts';

/** What happened to the last file, or why it was refused. */
export type FileState = { note?: string; fault?: string };

/**
 * Reads the file of an input.
 * @param side most pixels of a picture that is converted
 */
export function useFile(side: number, onPicture: (uri: string) => void) {
  const [state, setState] = useState<FileState>({});
  const take = async ([file]: readonly File[]): Promise<void> => {
    if (!file) return;
    const picture = await readPictureFile(file, side);
    if ('fault' in picture) {
      setState({ fault: faultText(picture.fault) });
      return;
    }
    setState(
      picture.isConverted ? { note: say('gallery_converted', { size: sizeText(picture.bytes) }) } : {},
    );
    onPicture(picture.uri);
  };
  return { state, take: (files: readonly File[]) => void take(files), forget: () => setState({}) };
}
