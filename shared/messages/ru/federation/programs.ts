/** Refusals of programs and devices that ask for a session. */
export const programs = {
  'The request of the program was not started in this browser, or has expired':
    'Запрос программы начат в другом браузере, или его срок истёк',
  'The program asks for an account of another domain': 'Программа запрашивает учётную запись другого домена',
  'Another account has signed in since the page was opened':
    'После открытия страницы вошёл пользователь с другой учётной записью',
  'A code challenge with the method S256 is required': 'Требуется code_challenge с методом S256',
  'Must be http://127.0.0.1 or http://[::1], with any port and path':
    'Должен быть http://127.0.0.1 или http://[::1] с любым портом и путём',
  'Must be a SHA-256 in base64url': 'Должен быть SHA-256 в base64url',
  'Must consist of printable ASCII characters': 'Должен состоять из печатных символов ASCII',
};
