/** Limits of the portal. */
const mostBytes = 262_144;
const mostPixels = 4_096;

/** Formats that the portal stores. Other ones that the browser can read are converted. */
const stored = ['image/png', 'image/webp', 'image/svg+xml'];

/** What a dialog for files offers. */
export const acceptedFiles = [...stored, 'image/jpeg', 'image/gif', 'image/avif', 'image/bmp'].join();

export type PictureFault = 'no_picture' | 'too_large';

/** `isConverted`: the browser has drawn the picture anew, in another size or format. */
export type ReadPicture = { uri: string; bytes: number; isConverted: boolean } | { fault: PictureFault };

/**
 * Reads a file as a picture that the portal accepts. A photo is reduced to the limits; what it says about its place
 * and camera is lost with that.
 * @param side most pixels of the width and the height of a picture that is converted
 */
export async function readPictureFile(file: Blob, side: number): Promise<ReadPicture> {
  if (file.type === 'image/svg+xml')
    return file.size > mostBytes ? { fault: 'too_large' } : asItIs(file, file.type);
  const type = typeOf(new Uint8Array(await file.slice(0, 16).arrayBuffer()));
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap) return { fault: 'no_picture' };
  const { width, height } = bitmap;
  try {
    const isAccepted = file.size <= mostBytes && Math.max(width, height) <= mostPixels;
    return isAccepted && type !== undefined ? await asItIs(file, type) : await converted(bitmap, side);
  } finally {
    bitmap.close();
  }
}

/** The format by the first bytes, because the name of a file can be wrong. */
function typeOf(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head);
  if (text.startsWith('\x89PNG')) return 'image/png';
  return text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}

const asItIs = async (file: Blob, type: string): Promise<ReadPicture> => ({
  uri: await dataUriOf(file.slice(0, file.size, type)),
  bytes: file.size,
  isConverted: false,
});

/** Halves the size until the picture is small enough. */
async function converted(bitmap: ImageBitmap, side: number): Promise<ReadPicture> {
  for (let most = side; most >= 64; most /= 2) {
    const picture = await drawn(bitmap, most);
    if (picture && picture.size <= mostBytes)
      return { uri: await dataUriOf(picture), bytes: picture.size, isConverted: true };
  }
  return { fault: 'too_large' };
}

/** Browsers that cannot write WebP write PNG. */
async function drawn(bitmap: ImageBitmap, most: number): Promise<Blob | null> {
  const scale = Math.min(1, most / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/webp', 0.9));
}

const dataUriOf = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
