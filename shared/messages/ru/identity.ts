/** Logins, domains, users, groups, tokens. */
export const identity = {
  'The password must have at least {n} characters': 'Пароль должен содержать не менее {n} символов',
  'The password must have at most {n} characters': 'Пароль должен содержать не более {n} символов',
  'The password is too common': 'Этот пароль слишком распространён',
  'The password contains the user name': 'Пароль содержит имя пользователя',
  'The password must differ from the current one and the previous five':
    'Пароль должен отличаться от текущего и пяти предыдущих',
  'The portal does not store a password for this account':
    'Пароль этой учётной записи не хранится на портале',
  'Sign in at the identity provider again, and repeat this within ten minutes':
    'Войдите у провайдера удостоверений ещё раз и повторите это в течение десяти минут',
  'No enrolment is in progress; start one by sending the password':
    'Подключение второго фактора не начато; начните его, отправив пароль',
  'The account has no second factor': 'У учётной записи нет второго фактора',
  'The account already has a second factor; remove it before you set up another one':
    'У учётной записи уже есть второй фактор; удалите его, прежде чем подключать другой',
  'authId, auth and authSmallName must identify the same domain':
    'authId, auth и authSmallName должны указывать на один и тот же домен',
  'The domain does not accept logins of this kind of user': 'Домен не допускает вход таких пользователей',
  'The user has no access to this portal': 'У пользователя нет доступа к этому порталу',
  'Browsers can sign in only on pages of {url}': 'Войти в браузере можно только на страницах {url}',
  'The user name is reserved for the portal on dispatchers':
    'Имя пользователя зарезервировано на диспетчерах для портала',
  'An administrator must bind the user {name} of {domain} to the directory entry':
    'Администратор должен связать пользователя {name} домена {domain} с записью каталога',
  'The user is already bound to a person': 'Пользователь уже связан с человеком',
  'Another user of the domain is bound to this person':
    'С этим человеком уже связан другой пользователь домена',
  'A service user does not sign in': 'Служебный пользователь не входит в систему',
  'The identity provider requires this member': 'Для провайдера удостоверений это поле обязательно',
  'The portal finds the directory entry by the name of the user':
    'Портал находит запись каталога по имени пользователя',
  'The domain does not allow this tenant': 'Домен не разрешает этого арендатора',
  'Must be 1 to 255 visible ASCII characters': 'Должно быть от 1 до 255 видимых символов ASCII',
  'The directory rejected the password of the search account; the next attempt is at {time}':
    'Каталог отклонил пароль учётной записи для поиска; следующая попытка в {time}',
  'The search account of the directory has no password':
    'Для учётной записи поиска в каталоге не задан пароль',
  'The search account cannot read an immutable identifier of the user':
    'Учётная запись для поиска не может прочитать неизменяемый идентификатор пользователя',
  'The directory does not allow anonymous searches; set a search account':
    'Каталог не допускает анонимный поиск; укажите учётную запись для поиска',
  'The directory has no entry with this name that is allowed to log in, or several':
    'В каталоге нет записи с этим именем, которой разрешён вход, или таких записей несколько',
  'The servers of the domain belong to another directory than before':
    'Серверы домена относятся к другому каталогу, чем прежде',
  'The servers of the domain have not shown this directory': 'Серверы домена не сообщали об этом каталоге',
  'The directory has several users with this name': 'В каталоге несколько пользователей с этим именем',
  'The passwords of this domain are stored in the directory': 'Пароли этого домена хранятся в каталоге',
  'The name of a directory user cannot be changed here': 'Имя пользователя каталога здесь изменить нельзя',
  'The directory of the domain is unreachable': 'Каталог домена недоступен',
  'The identifier of the entry belongs to several users':
    'Идентификатор записи принадлежит нескольким пользователям',
  'The user filter is not a valid filter (RFC 4515)': 'Фильтр пользователей некорректен (RFC 4515)',
  'The domain has no Kerberos parameters': 'Для домена не заданы параметры Kerberos',
  'The realm does not accept certificates': 'Область Kerberos не принимает сертификаты',
  'The KDC of the domain returned an invalid response': 'KDC домена вернул некорректный ответ',
  'The KDC of the domain rejected the request': 'KDC домена отклонил запрос',
  'The reply of the KDC could not be verified': 'Ответ KDC не прошёл проверку подлинности',
  'Required unless `raw` was called before': 'Обязательно, если раньше не был вызван `raw`',
  'Must be one X.509 certificate in PEM or base64-encoded DER, with an RSA key of at least 2048 bits or a P-256 key':
    'Должен быть один сертификат X.509 в формате PEM или DER в кодировке base64 с ключом RSA не короче 2048 бит или ключом P-256',
  'The peer has no access to this portal': 'У агрегатора-партнёра нет доступа к этому порталу',
  'The token is not valid': 'Токен недействителен',
  'A peer cannot change or delete itself': 'Агрегатор-партнёр не может изменить или удалить сам себя',
  'The keys of the peer could not be read': 'Не удалось прочитать ключи агрегатора-партнёра',
  'Set either `jwks` or `jwks_url`': 'Укажите либо `jwks`, либо `jwks_url`',
  'Must be a public key for RS256 (at least 2048 bits), ES256 or EdDSA (Ed25519)':
    'Должен быть открытый ключ для RS256 (не короче 2048 бит), ES256 или EdDSA (Ed25519)',
  'The name of a portal of a peer must not contain a slash':
    'Имя портала партнёра не должно содержать косую черту',
  'A meta group must contain at least one group': 'Метагруппа должна содержать хотя бы одну группу',
  'Only meta groups can contain groups': 'Только метагруппа может состоять из групп',
  'Meta groups have no directory name': 'У метагрупп нет имени в каталоге',
  'Must be a distinguished name (RFC 4514)': 'Должно быть отличительным именем (RFC 4514)',
  '`skip_two_factor` requires every permission for all sites':
    'Для `skip_two_factor` требуются все разрешения на все площадки',
  'Deleting a group with `skip_two_factor` requires every permission for all sites':
    'Для удаления группы с `skip_two_factor` требуются все разрешения на все площадки',
  'A user of the kind `person` requires a password': 'Для пользователя вида `person` нужен пароль',
  'A user of the kind `service` cannot have a password': 'У пользователя вида `service` не может быть пароля',
  'You cannot delete your own account': 'Нельзя удалить собственную учётную запись',
  'You cannot change the state, kind, password, second factor or roles of your own account here':
    'Состояние, вид, пароль, второй фактор и роли собственной учётной записи здесь изменить нельзя',
  'At least one administrator must remain': 'Должен остаться хотя бы один администратор',
  'The user has permissions that the caller lacks': 'У пользователя есть разрешения, которых нет у вас',
  'A user of the domain has permissions that the caller lacks':
    'У одного из пользователей домена есть разрешения, которых нет у вас',
  'The domain of the user has no directory': 'У домена пользователя нет каталога',
  'The domain has no directory': 'У домена нет каталога',
  'The built-in domain cannot be changed or deleted': 'Встроенный домен нельзя изменить или удалить',
  'The built-in domain cannot be deleted': 'Встроенный домен нельзя удалить',
  'The domain contains your own account': 'Домен содержит вашу учётную запись',
  'No domain of this type has this identifier': 'Домена этого типа с таким идентификатором нет',
  'Must be the type of the tested domain': 'Должен совпадать с типом проверяемого домена',
  'This attribute must not be read; add it to `directory.extra_attributes` to allow it':
    'Читать этот атрибут не разрешено; чтобы разрешить, добавьте его в `directory.extra_attributes`',
  'Reading {attribute} is not allowed': 'Читать {attribute} не разрешено',
  'Must have at most {n} attributes': 'Должно быть не более {n} атрибутов',
  'The destination has changed': 'Изменился адрес назначения',
  'The search account, base or filter has changed': 'Изменились учётная запись, база или фильтр поиска',
  'Built-in roles cannot be changed': 'Встроенные роли нельзя изменить',
  'Built-in roles cannot be deleted': 'Встроенные роли нельзя удалить',
  'Only users of the kind `service` can have tokens':
    'Токены могут быть только у пользователей вида `service`',
  'Tokens of your own account must be created by another administrator':
    'Токены для вашей учётной записи должен создать другой администратор',
  'The user already has a token with this name': 'У пользователя уже есть токен с таким именем',
  'Must be in the future': 'Должно быть в будущем',
  'Must be at most 366 days from now': 'Должно быть не позднее чем через 366 дней',
  'The directory did not respond in time': 'Каталог не ответил вовремя',
  'The TLS connection to the directory failed': 'Не удалось установить TLS-соединение с каталогом',
  'The directory rejected the request': 'Каталог отклонил запрос',
  'The directory could not be queried': 'Не удалось выполнить запрос к каталогу',
  'ldap:// without StartTLS is allowed only to servers in ALLOWED_PRIVATE_NETWORKS':
    'ldap:// без StartTLS разрешён только для серверов из ALLOWED_PRIVATE_NETWORKS',
  'No KDC of the domain responded in time': 'Ни один KDC домена не ответил вовремя',
  'No KDC of the domain is reachable': 'Ни один KDC домена не доступен',
  'The address of the KDC is not allowed': 'Адрес KDC не разрешён',
  'This installation does not allow own service tokens':
    'В этой системе пользователям не разрешено создавать собственные сервисные токены',
  'A user can have at most 50 own service tokens':
    'У пользователя может быть не более 50 собственных сервисных токенов',
  'A user can have at most 200 saved views':
    'У пользователя может быть не более 200 сохранённых представлений',
  'The list already has a view with this name': 'У списка уже есть представление с таким названием',
  'Must contain only letters and _': 'Допустимы только буквы и _',
  'A token for provisioning is valid for SCIM only':
    'Токен для управления учётными записями действует только для SCIM',
} as const;
