import type { PictureFault } from '../../../../shared/web/ui/pictures/picture-files.ts';
import { say } from '../texts.ts';

/** Pixels to which photos for services are reduced: cards show them in a tenth of that. */
export const serviceSide = 512;

export const faultText = (fault: PictureFault): string =>
  fault === 'no_picture' ? say('gallery_no_picture') : say('gallery_too_large');
