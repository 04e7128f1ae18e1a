/** Logins, domains, users, groups, tokens. */
export const identity = {
  'At least {n} characters': 'Не меньше {n} символов',
  'At most {n} characters': 'Не больше {n} символов',
  'The password is among the commonest': 'Пароль среди самых распространённых',
  'The password contains the user name': 'В пароле есть имя пользователя',
  'The password is the current one or one of the last five':
    'Этот пароль сейчас действует или был среди последних пяти',
  'The account has no password here': 'У учётной записи здесь нет пароля',
  'No enrolment is under way; begin one by the password':
    'Подключение второго фактора не начато; начните его с пароля',
  'The account has no second factor': 'У учётной записи нет второго фактора',
  'The account has a second factor; it must be removed before another one is set up':
    'У учётной записи уже есть второй фактор; прежде чем подключать другой, удалите его',
  'authId, auth and authSmallName must name the same domain':
    'authId, auth и authSmallName должны называть один домен',
  'This domain does not serve such users': 'Этот домен таких пользователей не обслуживает',
  'The user may not use this portal': 'Пользователю этот портал недоступен',
  'Only pages of {url} sign a browser in': 'Войти в браузере можно только на страницах {url}',
  'The user name is reserved: dispatchers take it for the portal itself':
    'Имя пользователя занято: для диспетчеров оно обозначает сам портал',
  'An administrator must bind the user {name} of {domain} to the entry of the directory':
    'Администратор должен связать пользователя {name} домена {domain} с записью каталога',
  'The directory refused the password of our account; it is tried again at {time}':
    'Каталог отказал учётной записи портала; следующая попытка в {time}',
  'The account of the directory has no password': 'У учётной записи для каталога нет пароля',
  'The account of the domain cannot read an immutable identifier of the user':
    'Учётная запись домена не может прочитать неизменяемый идентификатор пользователя',
  'The directory answers no anonymous searches; it needs an account':
    'Каталог не отвечает на анонимный поиск; нужна учётная запись',
  'The directory has no entry of this name that may log in, or several':
    'В каталоге нет записи с таким именем, которой разрешён вход, или их несколько',
  'The directory has several users of this name': 'В каталоге несколько пользователей с таким именем',
  'The directory keeps the passwords of this domain': 'Пароли этого домена хранит каталог',
  'The directory knows the user by this name': 'Под этим именем пользователя знает каталог',
  'The directory of the domain cannot be reached': 'Каталог домена недоступен',
  'The identifier of the entry belongs to several users':
    'Идентификатор записи принадлежит нескольким пользователям',
  'The user filter is no filter (RFC 4515)': 'Фильтр пользователей — не фильтр (RFC 4515)',
  'The domain has no Kerberos parameters': 'У домена нет параметров Kerberos',
  'The realm takes no certificates': 'Область Kerberos не принимает сертификаты',
  'The KDC of the domain answered wrongly': 'KDC домена дал неверный ответ',
  'The KDC of the domain refused the request': 'KDC домена отклонил запрос',
  'The reply of the KDC cannot be trusted': 'Ответу KDC нельзя доверять',
  'Needed unless `raw` came first': 'Нужна, если раньше не был отправлен `raw`',
  'One X.509 certificate, PEM or base64 of DER, with an RSA key of 2048 bits or more, or one on P-256':
    'Один сертификат X.509 в PEM или base64 от DER с ключом RSA от 2048 бит или ключом на P-256',
  'The peer may not use this portal': 'Партнёру этот портал недоступен',
  'The token was not accepted': 'Токен не принят',
  'A peer neither changes nor deletes itself': 'Партнёр не может изменить или удалить сам себя',
  'The keys of the peer could not be read': 'Ключи партнёра прочитать не удалось',
  'Either `jwks` or `jwks_url`': 'Либо `jwks`, либо `jwks_url`',
  'No public key for RS256 (2048 bits or more), ES256 or EdDSA (Ed25519)':
    'Нет открытого ключа для RS256 (от 2048 бит), ES256 или EdDSA (Ed25519)',
  'The name of a portal of a peer has no slash': 'В имени портала партнёра нет косой черты',
  'A meta group needs at least one group': 'В метагруппе должна быть хотя бы одна группа',
  'Only a meta group is made of groups': 'Из групп состоит только метагруппа',
  'No directory has meta groups': 'В каталогах метагрупп нет',
  'Not a distinguished name (RFC 4514)': 'Не различающееся имя (RFC 4514)',
  '`skip_two_factor` needs every permission for all sites':
    'Для `skip_two_factor` нужны все разрешения на все площадки',
  'Deleting a group that waives the second factor needs every permission for all sites':
    'Чтобы удалить группу, отменяющую второй фактор, нужны все разрешения на все площадки',
  'A person needs a password': 'Пользователю нужен пароль',
  'A service has no password': 'У сервиса нет пароля',
  'The own account cannot be deleted': 'Нельзя удалить самого себя',
  'State, kind, password, second factor and roles of one’s own account cannot be changed here':
    'Состояние, вид, пароль, второй фактор и роли своей учётной записи здесь не меняются',
  'One administrator must remain': 'Должен остаться хотя бы один администратор',
  'The user holds permissions that the caller lacks': 'У пользователя есть разрешения, которых нет у вас',
  'A user of the domain holds permissions that the caller lacks':
    'У пользователя этого домена есть разрешения, которых нет у вас',
  'The user is bound to an entry already': 'Пользователь уже связан с записью каталога',
  'The domain of the user has no directory': 'У домена пользователя нет каталога',
  'The domain has no directory': 'У домена нет каталога',
  'The built-in domain cannot be changed or deleted': 'Встроенный домен нельзя изменить или удалить',
  'The built-in domain cannot be deleted': 'Встроенный домен нельзя удалить',
  'The domain holds the account of the caller': 'В этом домене ваша учётная запись',
  'There is no such domain of this type': 'Такого домена этого типа нет',
  'Not the type under test': 'Не проверяемый тип',
  'Not among the attributes that may be read; `directory.extra_attributes` extends them':
    'Нет среди атрибутов, которые разрешено читать; их дополняет `directory.extra_attributes`',
  '{attribute} may not be read': 'Читать {attribute} не разрешено',
  'At most {n} attributes': 'Не больше {n} атрибутов',
  'The destination has changed': 'Изменилось назначение',
  'The account, the base or the filter of the search has changed':
    'Изменились учётная запись, база или фильтр поиска',
  'Built-in roles cannot be changed': 'Встроенные роли нельзя изменить',
  'Built-in roles cannot be deleted': 'Встроенные роли нельзя удалить',
  'Only users of the kind `service` have tokens': 'Токены бывают только у пользователей вида `service`',
  'Another administrator must create the tokens of the own account':
    'Токены своей учётной записи создаёт другой администратор',
  'The user has a token of this name': 'У пользователя уже есть токен с таким именем',
  'Must lie ahead': 'Должно быть в будущем',
  'At most 366 days from now': 'Не позже чем через 366 дней',
  'The directory did not answer in time': 'Каталог не ответил вовремя',
  'The TLS connection to the directory failed': 'Соединение TLS с каталогом не удалось',
  'The directory refused the request': 'Каталог отказал порталу',
  'The directory could not be asked': 'Каталог опросить не удалось',
  'Plain ldap:// without StartTLS is only allowed into the networks of ALLOWED_PRIVATE_NETWORKS':
    'ldap:// без StartTLS разрешён только в сети ALLOWED_PRIVATE_NETWORKS',
  'No KDC of the domain answered in time': 'Ни один KDC домена не ответил вовремя',
  'No KDC of the domain can be reached': 'Ни один KDC домена не доступен',
  'The address of the KDC is not allowed': 'Адрес KDC не разрешён',
} as const;
