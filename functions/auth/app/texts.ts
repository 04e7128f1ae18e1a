import { type FrameText, type Say, sayText } from '../../../shared/web/text/texts.ts';

export type SignInText = keyof typeof import('../../../shared/messages/pages/signin.en.json');

/** Texts of the sign-in page, and of the frame. */
export const say: Say<SignInText | FrameText> = sayText;
