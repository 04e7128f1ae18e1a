import { describe, expect, it } from 'vitest';
import { dataUriOf, maxPictureBytes, readPicture } from '../../../shared/kernel/pictures/pictures.ts';
import { dataUri, png, svg, webp } from '../../support/pictures.ts';

const faultOf = async (uri: string): Promise<string | undefined> => {
  const read = await readPicture(uri);
  return 'fault' in read ? String(read.fault) : undefined;
};

describe('an image', () => {
  it.each([
    ['image/png', png(3, 2)],
    ['image/png', png(4096, 1)],
    ['image/webp', webp(3, 2)],
    ['image/webp', webp(4096, 4096)],
  ])('of %s is stored unchanged', async (mediaType, bytes) => {
    const uri = `data:${mediaType};base64,${bytes.toString('base64')}`;
    const read = await readPicture(uri);
    expect(read).toMatchObject({ mediaType, bytes: bytes.length, content: bytes.toString('base64') });
    expect('fault' in read || dataUriOf(read)).toBe(uri);
  });

  it('in SVG is sanitised, in any encoding', async () => {
    const dirty = svg('<script>x</script><path d="M0 0"/>');
    const clean = dataUri('svg+xml', svg('<path d="M0 0"/>'));
    for (const uri of [
      dataUri('svg+xml', dirty),
      `data:image/svg+xml,${encodeURIComponent(dirty)}`,
      `data:image/svg+xml;charset=utf-8,${encodeURIComponent(dirty)}`,
      `DATA:IMAGE/SVG+XML;BASE64,${Buffer.from(dirty).toString('base64')}`,
    ]) {
      const read = await readPicture(uri);
      expect('fault' in read ? read : dataUriOf(read)).toBe(clean);
    }
  });

  it('has at most 256 KiB', async () => {
    const padding = maxPictureBytes - png().length;
    expect(png(1, 1, padding)).toHaveLength(maxPictureBytes);
    expect(await faultOf(dataUri('png', png(1, 1, padding)))).toBeUndefined();
    expect(await faultOf(dataUri('png', png(1, 1, padding + 1)))).toMatch('256 KiB');
    // Shorter as sent than as written.
    const growing = svg(`<text>${'>'.repeat(maxPictureBytes / 2)}</text>`);
    expect(await faultOf(dataUri('svg+xml', growing))).toMatch('256 KiB');
  });

  it.each([
    ['another type', `data:image/gif;base64,${Buffer.from('GIF89a').toString('base64')}`],
    ['a page', `data:text/html,${encodeURIComponent('<script>x</script>')}`],
    ['no data URI', 'https://example.com/logo.png'],
    ['nothing', ''],
    ['no data', 'data:image/png;base64,'],
    ['a WebP that calls itself PNG', dataUri('png', webp())],
    ['a PNG that calls itself WebP', dataUri('webp', png())],
    ['a page that calls itself PNG', dataUri('png', '<html><script>alert(1)</script></html>')],
    ['a PNG cut off in its header', dataUri('png', png().subarray(0, 32))],
    ['a WebP cut off', dataUri('webp', webp(3, 2).subarray(0, 28))],
    [
      'a WebP of another kind of RIFF',
      dataUri('webp', Buffer.from(webp().toString('latin1').replace('VP8L', 'WAVE'), 'latin1')),
    ],
    ['a side too long', dataUri('png', png(4097, 1))],
    ['a WebP too high', dataUri('webp', webp(1, 4097))],
    ['no width', dataUri('png', png(0, 1))],
    ['base64 that is none', 'data:image/png;base64,iVBO*w=='],
    ['base64 with gaps', `${dataUri('png', png()).slice(0, 40)} ${dataUri('png', png()).slice(40)}`],
    ['an encoding that is none', 'data:image/svg+xml,%zz'],
    ['an SVG that is no UTF-8', dataUri('svg+xml', Buffer.from([0x3c, 0x73, 0xff, 0xfe]))],
    ['an SVG with entities', dataUri('svg+xml', '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>')],
  ])('is rejected when it is %s', async (_, uri) => expect(await faultOf(uri)).toMatch(/\w/));
});
