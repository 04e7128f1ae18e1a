/** Refusals of requests: their form, their members, records in general. */
export const requests = {
  'The domain has no identity provider': 'У домена нет провайдера удостоверений',
  'A request body is required': 'Требуется тело запроса',
  'A field name occurs twice': 'Имя поля указано дважды',
  'Objects and arrays must be nested at most {limit} levels deep':
    'Вложенность объектов и массивов не должна превышать {limit}',
  'An object must have at most {limit} fields': 'Объект должен содержать не более {limit} полей',
  'A body must have at most {limit} different field names':
    'Тело запроса должно содержать не более {limit} разных имён полей',
  'A body must have at most {limit} fields and array elements in total':
    'Тело запроса должно содержать не более {limit} полей и элементов массивов',
  'The body is incomplete': 'Тело запроса получено не полностью',
  'The body is not valid UTF-8': 'Тело запроса не в кодировке UTF-8',
  'The body must be a JSON object': 'Тело запроса должно быть объектом JSON',
  'The body must not be compressed': 'Тело запроса не должно быть сжатым',
  'The request line or a header is malformed': 'Некорректная строка запроса или заголовок',
  'The portal is starting': 'Портал запускается',
  'Must occur only once': 'Значение можно указать только один раз',
  'Unknown field': 'Неизвестное поле',
  'The text contains a character that cannot be stored': 'Текст содержит символ, который нельзя сохранить',
  'Must be true or false': 'Должно быть true или false',
  'Must be 1 to 255 printable ASCII characters': 'Должно быть от 1 до 255 печатных символов ASCII',
  'This operation does not support dry runs': 'Операция не поддерживает пробное выполнение',
  'The first response was sent when the caller had more permissions than now':
    'Первый ответ получен, когда у вас было больше разрешений, чем сейчас',
  'Cannot be changed after creation': 'Нельзя изменить после создания',
  'The value is already in use': 'Значение уже используется',
  'Another domain has one of these e-mail domains':
    'Один из этих доменов электронной почты уже есть у другого домена',
  'The object does not exist': 'Объект не найден',
  'The audit log gives this name to work without a user':
    'Этим именем журнал аудита обозначает работу без пользователя',
  'This name is reserved for the portal on dispatchers': 'Это имя зарезервировано на диспетчерах для портала',
  'Must not contain invisible characters': 'Не должно содержать невидимых символов',
  'The permission is required for all sites': 'Требуется разрешение на все площадки',
  'The permission is required for all sites that the object belongs to':
    'Требуется разрешение на все площадки, к которым относится объект',
  'No role of the caller grants this permission': 'Ни одна из ваших ролей не даёт это разрешение',
  'No role of the caller grants a permission to read': 'Ни одна из ваших ролей не даёт разрешения на чтение',
  'Too many streams of changes are open': 'Открыто слишком много потоков изменений',
  'The caller has too many open streams of changes': 'У вас открыто слишком много потоков изменений',
  'No role of the caller permits this explanation':
    'Ни одна из ваших ролей не разрешает запрашивать это объяснение',
  'Callers can grant only permissions that they have':
    'Можно выдать только те разрешения, которые есть у вас',
  'The caller lacks permissions that the change affects':
    'У вас нет разрешений, которые затрагивает изменение',
  'A login session is required; service tokens are not accepted':
    'Требуется сеанс входа; сервисный токен не подходит',
  'A session on the administrator portal is required': 'Требуется сеанс на портале администратора',
  'A user account is required; peer aggregators do not have one':
    'Требуется учётная запись пользователя; у агрегатора-партнёра её нет',
  'A gateway token is required': 'Требуется токен шлюза',
  'A session agent token is required': 'Требуется токен агента сеанса',
  'Must be sent without a session': 'Следует отправлять без сеанса',
  'Referenced by {referrer}': 'На объект ссылается {referrer}',
  'The file size is {bytes} bytes': 'Размер файла: {bytes} байт',
  'The export failed; request it again': 'Экспорт не выполнен; запросите его заново',
  'The same export was finished a moment ago': 'Такой же экспорт только что завершён',
  'The object store is unreachable': 'Объектное хранилище недоступно',
  'The object store did not execute the request': 'Объектное хранилище не выполнило запрос',
  'The object store does not support downloads from an offset':
    'Объектное хранилище не поддерживает скачивание с указанной позиции',
  'The gallery has this picture already': 'Это изображение уже есть в галерее',
  'The gallery can have at most 1000 pictures': 'В галерее может быть не более 1000 изображений',
  'A picture must not exceed 256 KiB': 'Размер изображения не должен превышать 256 КиБ',
  'The data URI is not encoded correctly': 'URI данных закодирован неверно',
  'The data is not of the type {media_type}': 'Данные не соответствуют типу {media_type}',
  'Must be a data URI of image/png, image/webp or image/svg+xml':
    'Должен быть data URI типа image/png, image/webp или image/svg+xml',
  'The width and height of a picture must be 1 to {pixels} pixels':
    'Ширина и высота изображения должны быть от 1 до {pixels} пикселей',
  'The SVG is not valid UTF-8': 'SVG не в кодировке UTF-8',
  'A request must have exactly one header Host': 'В запросе должен быть ровно один заголовок Host',
  'Must be a URL': 'Должно быть URL',
  'The URL must begin with https://': 'URL должен начинаться с https://',
  'The URL must begin with https:// or http://': 'URL должен начинаться с https:// или http://',
  'The URL must not contain a path': 'URL не должен содержать пути',
  'The URL must not contain spaces or backslashes': 'URL не должен содержать пробелов и обратных косых черт',
  'The URL must not contain a user name or password': 'URL не должен содержать имени пользователя и пароля',
  'The URL must not contain a fragment': 'URL не должен содержать фрагмента',
  'The URL must not contain a query': 'URL не должен содержать параметров запроса',
  'Private addresses must be in the networks of ALLOWED_PRIVATE_NETWORKS':
    'Частные адреса должны входить в сети из ALLOWED_PRIVATE_NETWORKS',
  'Private addresses must be in the networks of WEBHOOK_NETWORKS':
    'Частные адреса должны входить в сети из WEBHOOK_NETWORKS',
  'Enter the query as well: it is not shown': 'Укажите и параметры запроса: они не показываются',
  'An installation can have at most 100 webhooks': 'В установке может быть не более 100 вебхуков',
  'Only the owner of the webhook can do this, with a login session. Take over the ownership first':
    'Это может только владелец вебхука в сеансе входа. Сначала станьте владельцем',
  'The caller owns the webhook already': 'Вы уже владелец этого вебхука',
  'The webhook is disabled': 'Вебхук отключён',
  'Too many events of the webhook are waiting': 'Слишком много событий вебхука ожидает отправки',
  'The delivery waits for its next attempt': 'Доставка ожидает следующей попытки',
  'The SVG is incomplete': 'SVG неполный',
  'The SVG must not contain nested use elements': 'SVG не должен содержать вложенных элементов use',
  'The SVG is not well-formed or contains content that is not accepted':
    'SVG некорректен или содержит недопустимое содержимое',
  'The SVG is not well-formed': 'SVG некорректен',
  'The root element must be a single svg element': 'Корневым должен быть один элемент svg',
  'The SVG has too many elements': 'В SVG слишком много элементов',
  'A style element must contain only text': 'Элемент style должен содержать только текст',
  'The opening and closing tags of the SVG do not match': 'Открывающие и закрывающие теги SVG не согласованы',
  'There is text outside the svg element': 'Вне элемента svg есть текст',
  'An attribute occurs twice': 'Атрибут указан дважды',
  'An element of the SVG has too many attributes': 'У элемента SVG слишком много атрибутов',
  'The SVG contains an unknown entity': 'SVG содержит неизвестную сущность',
  'The SVG contains characters that XML does not allow': 'SVG содержит символы, недопустимые в XML',
  'Send the header `Authorization: Token <key>` with the value of {variable} as key':
    'Отправьте заголовок `Authorization: Token <ключ>`, где ключ — значение {variable}',
  'The key in the header Authorization is not the value of {variable}':
    'Ключ в заголовке Authorization не совпадает со значением {variable}',
  'Unknown parameter: the operation has no parameters': 'Неизвестный параметр: у операции нет параметров',
  'Unknown parameter. Supported parameters: {names}': 'Неизвестный параметр. Допустимые параметры: {names}',
  'Unknown parameter. Supported parameters: {names}. Page numbers are not supported: send `next` of a page as `cursor` to read the next page, and the page size as `limit`':
    'Неизвестный параметр. Допустимые параметры: {names}. Номера страниц не поддерживаются: чтобы получить следующую страницу, передайте `next` в параметре `cursor`, а размер страницы — в `limit`',
  'Send the session token in the header X-Auth-Token; Authorization: Bearer is not supported here':
    'Передайте токен сеанса в заголовке X-Auth-Token; Authorization: Bearer здесь не поддерживается',
  'A user account is required; operators do not have one':
    'Требуется учётная запись пользователя; у оператора её нет',
  'A user account or a peer aggregator is required':
    'Требуется учётная запись пользователя или агрегатор-партнёр',
} as const;
