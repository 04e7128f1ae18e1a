/** Refused writes of domains with an identity provider, and results of their test. Only administration uses them. */
export const providerTests = {
  'No known viewer: confirm {schemes} in confirmed_link_schemes':
    'Программа просмотра неизвестна: подтвердите {schemes} в confirmed_link_schemes',
  'Not used until they are confirmed: {schemes}': 'Не используются, пока не подтверждены: {schemes}',
  'The portal has no key for this domain': 'У портала нет ключа для этого домена',
  'Users of this domain are added by their first sign-in or by provisioning':
    'Пользователи этого домена добавляются при первом входе или синхронизацией',
  'Must contain only visible ASCII characters': 'Допустимы только видимые символы ASCII',
  'Must be the name of a claim': 'Должно быть именем утверждения',
  'Must contain openid': 'Должно содержать openid',
  'Must be a domain name': 'Должно быть именем домена',
  'Other claims than sub and oid can change or pass to another person; confirm that this one does not':
    'Утверждения, кроме sub и oid, могут измениться или перейти к другому человеку; подтвердите, что это не изменится',
  'Anyone with an account at the provider can sign in: enter required claims, or require groups':
    'Войти может любой, у кого есть учётная запись у провайдера: укажите обязательные утверждения или требуйте групп',
  'Everybody at the provider with {claims} can sign in': 'Войти могут все у провайдера, у кого {claims}',
  'Members of the registered groups can sign in': 'Войти могут участники зарегистрированных групп',
  'Members of the registered groups with {claims} can sign in':
    'Войти могут участники зарегистрированных групп, у которых {claims}',
  'Only users that provisioning has added can sign in':
    'Войти могут только пользователи, добавленные синхронизацией',
  'Must be a claim and its value, such as hd=example.com':
    'Должно быть утверждением и его значением, например hd=example.com',
  'Must be a name and a value, such as domain_hint=example.com':
    'Должно быть именем и значением, например domain_hint=example.com',
  'The portal sets this parameter': 'Этот параметр задаёт портал',
  'A required claim has no accepted value': 'У обязательного утверждения нет допустимого значения',
  'The e-mail address is not verified': 'Адрес электронной почты не проверен',
  'The issuer is for several tenants; enter those whose users may sign in':
    'Издатель обслуживает несколько арендаторов; укажите тех, чьим пользователям разрешён вход',
  'Sign-ins require the secret of the portal at the provider': 'Для входа нужен секрет портала у провайдера',
  'The portal authenticates with its key': 'Портал аутентифицируется своим ключом',
  'The portal authenticates with its key after the domain is saved':
    'Портал использует свой ключ после сохранения домена',
  'The provider responds': 'Провайдер отвечает',
  'The provider publishes no keys for signatures': 'Провайдер не публикует ключей для подписи',
  '{count} keys, algorithms {algorithms}': 'Ключей: {count}, алгоритмы: {algorithms}',
  'requests are pushed': 'запросы передаются напрямую (PAR)',
  'requests are not pushed': 'запросы не передаются напрямую (PAR)',
  'answers name the issuer': 'ответы называют издателя',
  'answers do not name the issuer': 'ответы не называют издателя',
  'has a userinfo endpoint': 'есть адрес userinfo',
  'has no userinfo endpoint': 'нет адреса userinfo',
  'supports the log-out': 'поддерживает выход',
  'does not support the log-out': 'не поддерживает выход',
  'reports log-outs': 'сообщает о выходе',
  'does not report log-outs': 'не сообщает о выходе',
  'Register at the provider: {path}': 'Зарегистрируйте у провайдера: {path}',
  'No identity provider responds at this address': 'По этому адресу провайдер не отвечает',
  'The configuration of the provider is not usable': 'Конфигурация провайдера не подходит',
  'The response of the provider is not valid': 'Ответ провайдера некорректен',
  'The provider names the issuer {found}; the settings have {expected}':
    'Провайдер называет издателя {found}; в настройках {expected}',
  'The provider names another issuer': 'Провайдер называет другого издателя',
  'The token of the provider is not valid': 'Токен провайдера некорректен',
  'The provider rejects the portal': 'Провайдер отклоняет портал',
  'The provider does not let the portal refresh, which the regular check needs':
    'Провайдер не разрешает порталу обновлять токены, что нужно для регулярной проверки',
  'The provider does not say whether it accepts the portal; try a sign-in':
    'Провайдер не сообщает, принимает ли он портал; проверьте вход',
  'The tenant is not allowed': 'Арендатор не разрешён',
  'The provider does not send a required claim': 'Провайдер не передаёт обязательное утверждение',
  'The provider describes another person': 'Провайдер описывает другого человека',
  'The groups cannot be read from Microsoft Graph': 'Группы не удалось прочитать из Microsoft Graph',
} as const;
