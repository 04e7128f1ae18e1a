import type { Language } from './languages.ts';

/** Texts of the pages on which a person allows a program or a device. Only one module has these pages. */
const texts = {
  en: {
    consent: 'A program asks for your account',
    own_program: 'Allow this only if you have just started the program yourself.',
    own_device: 'Allow this only if a device in front of you shows the code {code}.',
    effect: 'The program can do everything that you can do in the portal. Its name is not verified.',
    program: 'Program',
    unnamed: 'Without a name',
    address: 'Address',
    on_this_computer: '{address}, on this computer',
    requested_at: 'Time of the request',
    account: 'Account',
    allow: 'Allow',
    deny: 'Deny',
    device_allowed: 'The device is signed in',
    device_denied: 'The device was refused',
    return_to_device: 'Return to the device. You can close this page.',
    device: 'Sign in on a device',
    enter_code:
      'Enter the code that the device shows. Never enter a code that another person has sent to you.',
    code: 'Code',
    wrong_code: 'The code is not valid or has expired. Check it, or start again on the device.',
    continue: 'Continue',
  },
  ru: {
    consent: 'Программа запрашивает вашу учётную запись',
    own_program: 'Разрешайте, только если вы сами только что запустили эту программу.',
    own_device: 'Разрешайте, только если устройство перед вами показывает код {code}.',
    effect: 'Программа сможет делать в портале всё, что можете делать вы. Её название не проверено.',
    program: 'Программа',
    unnamed: 'Без названия',
    address: 'Адрес',
    on_this_computer: '{address}, на этом компьютере',
    requested_at: 'Время запроса',
    account: 'Учётная запись',
    allow: 'Разрешить',
    deny: 'Отклонить',
    device_allowed: 'Устройство вошло в систему',
    device_denied: 'Устройству отказано',
    return_to_device: 'Вернитесь к устройству. Эту страницу можно закрыть.',
    device: 'Вход на устройстве',
    enter_code:
      'Введите код, который показывает устройство. Никогда не вводите код, который вам прислал другой человек.',
    code: 'Код',
    wrong_code: 'Код неверен, или его срок истёк. Проверьте код или начните на устройстве заново.',
    continue: 'Продолжить',
  },
} as const satisfies Record<Language, Record<string, string>>;

export type ProgramText = keyof (typeof texts)['en'];

/** @param values by the names between braces */
export const programText = (
  name: ProgramText,
  language: Language,
  values: Readonly<Record<string, string>> = {},
): string => texts[language][name].replace(/\{(\w+)\}/g, (place, key: string) => values[key] ?? place);
