/** Sites, farms, dispatchers, rules, pools, workplaces, gateways. */
export const fleet = {
  'The farm has no enabled dispatcher node': 'У фермы нет включённых узлов диспетчера',
  'The farm has no dispatcher node that can be called':
    'У фермы нет узла диспетчера, к которому можно обратиться',
  'The nodes of the farm have failed and are temporarily not called':
    'Узлы фермы отказали и временно исключены из обращений',
  'No farm of the service is reachable': 'Ни одна ферма сервиса не доступна',
  'No farm of the site responded': 'Ни одна ферма площадки не ответила',
  'The farm or its site is disabled': 'Ферма или её площадка отключена',
  'Several farms have this pool; select one with farm_id':
    'Пул есть на нескольких фермах; укажите ферму в farm_id',
  'Rules of the current site refer to the farm': 'На ферму ссылаются правила текущей площадки',
  'Set either members or match_tags': 'Укажите либо members, либо match_tags',
  'Allowed only with ALLOW_INSECURE_DISPATCHERS=1': 'Допустимо только при ALLOW_INSECURE_DISPATCHERS=1',
  'The other nodes of the farm are of another kind': 'Остальные узлы фермы другого вида',
  'Nodes of this kind do not have it': 'У узлов этого вида этого нет',
  'Dispatchers of this kind cannot do this': 'Диспетчеры этого вида так не умеют',
  'The scheme of the link is not allowed': 'Схема ссылки не разрешена',
  'The file type {type} belongs to another protocol': 'Тип файла {type} относится к другому протоколу',
  'Must be later than start_at': 'Должно быть позже start_at',
  'The end of the template is in the past': 'Срок окончания в шаблоне уже прошёл',
  'A user is working at the workplace; set `force` to interrupt the work':
    'На рабочем месте работает пользователь; чтобы прервать его работу, укажите `force`',
  'The dispatcher does not report whether a user is working at the workplace; set `force` to continue anyway':
    'Диспетчер не сообщает, занято ли рабочее место; чтобы всё равно выполнить действие, укажите `force`',
  'The domain has no user with this identifier': 'В домене нет пользователя с таким идентификатором',
  'The user already has a workplace of this pool, or the owner of this workplace is being changed':
    'У пользователя уже есть рабочее место этого пула, или сейчас меняется владелец этого рабочего места',
  'The workplace has an owner; remove the owner first':
    'У рабочего места есть владелец; сначала снимите назначение',
  'The service is in maintenance': 'Сервис находится на обслуживании',
  'No site has the uri in `site`': 'Площадки с uri из `site` нет',
  'The dispatcher does not report whether the service is ready': 'Диспетчер не сообщает, готов ли сервис',
  'The tag is managed by a dispatcher; rename or delete it there':
    'Тегом управляет диспетчер; переименуйте или удалите его там',
  'It is unknown whether a user is working at the workplace; set `force` to continue anyway':
    'Неизвестно, занято ли рабочее место; чтобы всё равно выполнить действие, укажите `force`',
  'The dispatcher did not return a valid response': 'Диспетчер не вернул корректный ответ',
  'The dispatcher rejected the request': 'Диспетчер отклонил запрос',
  'The dispatcher does not accept the account of the user':
    'Диспетчер не принимает учётную запись пользователя',
  'The TLS connection to the dispatcher failed': 'Не удалось установить TLS-соединение с диспетчером',
  'The dispatcher did not respond in time': 'Диспетчер не ответил вовремя',
  'The dispatcher did not respond, and may have prepared the connection':
    'Диспетчер не ответил и, возможно, подготовил подключение',
  'The service is not available over {protocols}': 'Сервис недоступен по протоколу {protocols}',
  'A user can have at most 500 favourites': 'У пользователя может быть не более 500 избранных сервисов',
} as const;
