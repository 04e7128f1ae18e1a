/** Pages with one message. */
export const pages = {
  'Access denied': 'Доступ запрещён',
  'Sign in as another user': 'Войти как другой пользователь',
  'Go to the start page': 'Перейти на начальную страницу',
  'Try again': 'Повторить',
  'Wait a moment, then try again.': 'Подождите немного и повторите попытку.',
  'Request ID': 'Идентификатор запроса',
  Support: 'Поддержка',
  'The page does not exist': 'Такой страницы нет',
  'Check the address. The page may have been moved or deleted.':
    'Проверьте адрес. Возможно, страница перемещена или удалена.',
  'The address is part of the API and cannot be opened as a page.':
    'Этот адрес относится к API, и его нельзя открыть как страницу.',
  'Check the address, or open the page from the start page.':
    'Проверьте адрес или откройте страницу с начальной.',
  'Open the address with https:// instead of http://.': 'Откройте адрес с https:// вместо http://.',
  'Try again later. If the error persists, report the request ID to the support.':
    'Повторите попытку позже. Если ошибка повторяется, сообщите идентификатор запроса в поддержку.',
} as const;
