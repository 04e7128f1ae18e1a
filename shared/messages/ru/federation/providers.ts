/** Refusals of sign-in by identity providers. */
export const providers = {
  'The portal has no account for this person, and the domain does not create any':
    'У портала нет учётной записи этого человека, и домен их не создаёт',
  'Another user of the domain has the name {name}': 'Имя {name} уже у другого пользователя домена',
  'The name {name} is reserved': 'Имя {name} зарезервировано',
  'The identity provider has sent an unusable name or identifier of the user':
    'Провайдер удостоверений прислал непригодное имя или идентификатор пользователя',
  'The logout token is not valid or was used before': 'Токен выхода недействителен или уже использован',
  'The domain has no secret or key for the identity provider':
    'У домена нет секрета или ключа для провайдера удостоверений',
  'The identity provider is unreachable': 'Провайдер удостоверений недоступен',
  'The address of the identity provider is not allowed': 'Адрес провайдера удостоверений не разрешён',
  'The configuration of the identity provider is not usable':
    'Конфигурация провайдера удостоверений непригодна',
  'The identity provider returned an invalid response': 'Провайдер удостоверений вернул некорректный ответ',
  'The answer comes from another identity provider': 'Ответ пришёл от другого провайдера удостоверений',
  'The sign-in was not started in this browser, or has expired':
    'Вход начат не в этом браузере, или время входа истекло',
  'The identity provider sent a token that is not valid':
    'Провайдер удостоверений прислал недействительный токен',
  'The identity provider refused the sign-in': 'Провайдер удостоверений отказал во входе',
  'The organization of the account is not allowed to sign in':
    'Организации этой учётной записи вход не разрешён',
  'The account at the identity provider is not one of those that may sign in':
    'Учётной записи у провайдера удостоверений вход не разрешён',
  'The identity provider has not verified the e-mail address of the account':
    'Провайдер удостоверений не проверил адрес электронной почты учётной записи',
  'The identity provider did not send a required claim':
    'Провайдер удостоверений не прислал обязательное утверждение',
  'The identity provider sent data of another person':
    'Провайдер удостоверений прислал данные другого человека',
  'The groups of the user could not be read': 'Не удалось прочитать группы пользователя',
  'The sign-in continues': 'Вход продолжается',
  Continue: 'Продолжить',
};
