import type { JSX } from 'preact';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { say } from '../texts.ts';
import { readBytes } from './use-picture.ts';

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
};

/** Saves the bytes of a picture under its name. */
export function DownloadButton({ id, name }: { id: string; name: string }): JSX.Element {
  const { problem, isBusy, run } = useRequest();
  const download = () =>
    run(async () => {
      const bytes = await readBytes(id, AbortSignal.timeout(30_000));
      const link = document.createElement('a');
      link.href = URL.createObjectURL(bytes);
      link.download = `${name}.${endings[bytes.type] ?? 'bin'}`;
      link.click();
      // The browser reads the address after the click.
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    });
  return (
    <>
      <Button look="plain" icon="save" busy={isBusy} onClick={() => void download()}>
        {say('gallery_download')}
      </Button>
      {problem && <ProblemNotice problem={problem} />}
    </>
  );
}
