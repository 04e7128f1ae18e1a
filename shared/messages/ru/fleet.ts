/** Sites, farms, dispatchers, rules, pools, workplaces, gateways. */
export const fleet = {
  'The farm has no enabled dispatcher node': 'У фермы нет включённых узлов диспетчера',
  'The farm has no dispatcher node that may be asked': 'У фермы нет узла диспетчера, который можно опросить',
  'The nodes of the farm failed and are not asked for a while':
    'Узлы фермы отказали и временно не опрашиваются',
  'No farm of the service can be reached': 'Ни одна ферма этого сервиса не доступна',
  'No farm of the site answered': 'Ни одна ферма площадки не ответила',
  'The farm is disabled, or its site': 'Ферма или её площадка отключена',
  'Several farms have it: name one by farm_id': 'Он есть на нескольких фермах: назовите одну в farm_id',
  'Rules of its site name the farm': 'Ферму называют правила её площадки',
  'A rule has either members or match_tags': 'У правила есть либо members, либо match_tags',
  'Only with ALLOW_INSECURE_DISPATCHERS=1': 'Только при ALLOW_INSECURE_DISPATCHERS=1',
  'The link has a scheme that is not allowed': 'Схема ссылки не разрешена',
  '{type} is a file of another protocol': '{type} — файл другого протокола',
  'Must be later than start_at': 'Должно быть позже start_at',
  'The template ends before it could begin': 'Шаблон заканчивается раньше, чем мог бы начаться',
  'A user is working there; `force` ends the work': 'Там работает пользователь; `force` прервёт его работу',
  'The dispatcher does not report whether a user is working there; `force` does it anyway':
    'Диспетчер не сообщает, работает ли там пользователь; `force` выполнит действие всё равно',
  'The domain has no such user': 'В домене нет такого пользователя',
  'The user already has a workplace of this pool, or the owner of this one is being changed':
    'У пользователя уже есть рабочее место этого пула, или владельца этого места сейчас меняет кто-то другой',
  'The workplace has an owner; free it first': 'У рабочего места есть владелец; сначала освободите его',
  'The service is in maintenance': 'Сервис на обслуживании',
  'There is no site with the uri of `site`': 'Площадки с uri из `site` нет',
  'The dispatcher does not report whether the service is ready': 'Диспетчер не сообщает, готов ли сервис',
  'The tag belongs to a dispatcher: rename or delete it there':
    'Тег принадлежит диспетчеру: переименуйте или удалите его там',
  'It is not known whether a user is working there; `force` does it anyway':
    'Неизвестно, работает ли там пользователь; `force` выполнит действие всё равно',
  'The dispatcher gave no usable answer': 'Диспетчер дал непригодный ответ',
  'The dispatcher refused the request': 'Диспетчер отклонил запрос',
  'The TLS connection to the dispatcher failed': 'Соединение TLS с диспетчером не удалось',
  'The dispatcher did not answer in time': 'Диспетчер не ответил вовремя',
  'The service is not offered by {protocols}': 'Сервис не предоставляется по {protocols}',
} as const;
