import { dictionary } from '../fields.ts';

/** Labels and help texts of forms of identity providers, keyed by the English text. */
export const { texts, field, russian } = dictionary({
  'Identity provider': 'Провайдер удостоверений',
  'Users sign in at an identity provider by OpenID Connect':
    'Пользователи входят через провайдера удостоверений по OpenID Connect',
  Provider: 'Провайдер',
  Claims: 'Утверждения',
  'Sign-in': 'Вход',
  Issuer: 'Издатель',
  'Address of the provider without /.well-known/openid-configuration':
    'Адрес провайдера без /.well-known/openid-configuration',
  'Discovery address': 'Адрес конфигурации',
  'Only if the configuration of the provider is not below the issuer':
    'Только если конфигурация провайдера находится не под адресом издателя',
  'Client identifier': 'Идентификатор клиента',
  'Identifier of the portal at the provider': 'Идентификатор портала у провайдера',
  'Authentication of the portal': 'Аутентификация портала',
  'A secret of the provider, or a key of the portal whose public part the provider reads':
    'Секрет, выданный провайдером, или ключ портала, открытую часть которого читает провайдер',
  'Client secret': 'Секрет клиента',
  'Key of the portal': 'Ключ портала',
  'Never displayed. Leave it empty to keep the stored secret while the issuer stays the same':
    'Не отображается. Чтобы сохранить прежний секрет, оставьте поле пустым и не меняйте издателя',
  'Certificate authority of the provider': 'Центр сертификации провайдера',
  'PEM certificates that are trusted in place of the public certificate authorities':
    'Сертификаты PEM, которым портал доверяет вместо публичных центров сертификации',
  'Time limit of the provider': 'Предельное время провайдера',
  'Maximum duration of all requests of one sign-in in seconds':
    'Максимальная длительность всех запросов одного входа в секундах',
  Scopes: 'Области',
  'Requested scopes; openid is required': 'Запрашиваемые области (scope); openid обязательна',
  'Claim of the person': 'Утверждение о личности',
  'Identifies a person and never changes: sub, or oid for Microsoft Entra ID with provisioning':
    'Обозначает человека и никогда не меняется: sub или oid для Microsoft Entra ID с синхронизацией пользователей',
  'The claim of the person is unchangeable': 'Утверждение о личности неизменно',
  'Required for other claims than sub and oid: an account that gets the value of another person is that person here':
    'Нужно для утверждений, кроме sub и oid: кто получит значение другого человека, станет здесь этим человеком',
  'Claim of the login name': 'Утверждение с именем для входа',
  'Contains the login name': 'Содержит имя для входа',
  'Claim of the groups': 'Утверждение с группами',
  'Contains identifiers of groups; can be a path such as realm_access.roles. Empty if SCIM provisions groups':
    'Содержит идентификаторы групп; может быть путём, например realm_access.roles. Пусто, если группы передаются по SCIM',
  'Allowed tenants': 'Разрешённые арендаторы',
  'Identifiers of the tenants of Microsoft Entra ID whose users may sign in':
    'Идентификаторы арендаторов Microsoft Entra ID, пользователям которых разрешён вход',
  'Required claims': 'Обязательные утверждения',
  'Who may sign in: claim=value, such as hd=example.com or email=@example.com. One value of each claim':
    'Кто может войти: утверждение=значение, например hd=example.com или email=@example.com. Одно значение каждого утверждения',
  'E-mail addresses are verified': 'Адреса электронной почты проверены',
  'The addresses of the provider count as verified although it does not say so, as Microsoft Entra ID':
    'Адреса провайдера считаются проверенными, хотя он этого не сообщает, как Microsoft Entra ID',
  'Further parameters': 'Дополнительные параметры',
  'Parameters of the request to the provider: name=value, such as domain_hint=example.com':
    'Параметры запроса к провайдеру: имя=значение, например domain_hint=example.com',
  'E-mail domains': 'Домены электронной почты',
  'The sign-in page selects this domain for addresses with these endings':
    'Страница входа выбирает этот домен для адресов с такими окончаниями',
  'Add users at the first sign-in': 'Добавлять пользователей при первом входе',
  'Otherwise only users that provisioning has added can sign in':
    'Иначе входить могут только пользователи, добавленные синхронизацией',
  'Authentication contexts': 'Контексты аутентификации',
  'Values of acr that the portal requests and that count as a second factor':
    'Значения acr, которые портал запрашивает и считает вторым фактором',
  'Authentication methods': 'Способы аутентификации',
  'Values of amr that count as a second factor, such as mfa':
    'Значения amr, которые считаются вторым фактором, например mfa',
  'Response mode': 'Способ ответа',
  'How the browser returns from the provider': 'Как браузер возвращается от провайдера',
  Query: 'Параметры адреса',
  Form: 'Форма',
  Prompt: 'Запрос провайдера',
  'What the provider asks at each sign-in': 'Что провайдер спрашивает при каждом входе',
  'As the provider decides': 'По решению провайдера',
  Credentials: 'Учётные данные',
  Consent: 'Согласие',
  'Choice of the account': 'Выбор учётной записи',
  'Log out at the provider': 'Выходить у провайдера',
  'A log-out in the browser also ends the session at the provider':
    'Выход в браузере завершает и сеанс у провайдера',
  'Regular check at the provider': 'Регулярная проверка у провайдера',
  'Requests offline_access. Sessions end when the provider withdraws the access, and groups follow it':
    'Запрашивает offline_access. Сеансы заканчиваются, если провайдер отзывает доступ, а группы следуют за провайдером',
});
