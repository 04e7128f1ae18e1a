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

/** What an administrator can change after a test sign-in. */
export const signInTests = {
  'The person can sign in': 'Этот человек может войти',
  'Check the address of the provider, and that this portal can reach it':
    'Проверьте адрес провайдера и то, что портал может до него достучаться',
  'Add the network of the provider to ALLOWED_PRIVATE_NETWORKS':
    'Добавьте сеть провайдера в ALLOWED_PRIVATE_NETWORKS',
  'Check the issuer, and the member of the configuration that is named':
    'Проверьте издателя и указанное поле конфигурации',
  'The provider does not work as it should at the named endpoint: read its log':
    'Провайдер неправильно отвечает по указанному адресу: посмотрите, что он записал',
  'Enter the issuer that the provider names; if its configuration is elsewhere, enter the discovery address':
    'Укажите издателя, которого называет провайдер; если его конфигурация лежит в другом месте, укажите адрес конфигурации',
  'Start the test again': 'Начните проверку заново',
  'Check the client identifier, and the clocks of portal and provider':
    'Проверьте идентификатор клиента и часы портала и провайдера',
  'Look the error code up in the documentation of the provider; check secret, redirect address and scopes':
    'Найдите код ошибки в документации провайдера; проверьте секрет, адрес возврата и области',
  'Add the tenant to the allowed tenants if its users may sign in':
    'Добавьте организацию в разрешённые, если её пользователи могут входить',
  'Add the value to the required claims if such people may sign in':
    'Добавьте значение в обязательные утверждения, если такие люди могут входить',
  'Let the provider verify addresses, or confirm in the settings that all its addresses are verified':
    'Пусть провайдер проверяет адреса, или подтвердите в настройках, что все его адреса проверены',
  'Let the provider send the claim, or name another one: the claims that it sends are below':
    'Пусть провайдер присылает это утверждение, или укажите другое: присланные утверждения показаны ниже',
  'The userinfo endpoint describes another person: read the log of the provider':
    'Адрес userinfo описывает другого человека: посмотрите, что записал провайдер',
  'Let the portal read the groups in Microsoft Graph, or assign fewer groups to it':
    'Разрешите порталу читать группы в Microsoft Graph или назначьте ему меньше групп',
  'Enter the secret of the portal at the provider': 'Введите секрет портала у провайдера',
  'Add the user by provisioning, or let the domain add users at their first sign-in':
    'Добавьте пользователя через SCIM или разрешите домену добавлять пользователей при первом входе',
  'Choose another claim for the login name': 'Выберите другое утверждение для имени входа',
  'Bind the user who has this name to the person, or rename the user':
    'Свяжите пользователя с этим именем с этим человеком или переименуйте пользователя',
  'Activate the user in the portal': 'Активируйте пользователя в портале',
  'Register one of the groups that the provider sends, or check the claim of the groups':
    'Зарегистрируйте одну из групп, которые присылает провайдер, или проверьте утверждение групп',
  'A test sign-in needs a browser session of the administrator':
    'Для проверочного входа нужен сеанс администратора в браузере',
  'The domain is disabled': 'Домен отключён',
} as const;

/** The move of the people of a former issuer to the present one. */
export const moves = {
  'Moving the people of an issuer requires every permission for all sites':
    'Для переноса людей издателя требуются все разрешения на все площадки',
  'An issuer for several tenants has people of several issuers, which cannot be moved together':
    'У издателя для нескольких арендаторов люди разных издателей, и перенести их вместе нельзя',
  'The issuer is the present one': 'Это нынешний издатель',
  'This session has no such test sign-in: it has expired or was used':
    'У этого сеанса нет такого проверочного входа: он истёк или использован',
  'The test sign-in has no result yet: sign in at the provider first':
    'У проверочного входа ещё нет результата: сначала войдите у провайдера',
  'The test sign-in was refused: correct the settings first':
    'В проверочном входе отказано: сначала исправьте настройки',
  'The test sign-in was at another issuer than the present one':
    'Проверочный вход был у другого издателя, а не у нынешнего',
  'The person of the test sign-in is not one of the former issuer':
    'Человека из проверочного входа нет среди людей прежнего издателя',
  '{count} users of the present issuer have the identifier of a person who would move':
    'Пользователей нынешнего издателя с идентификатором переносимого человека: {count}',
  'The domain or its users were changed at the same time: try again':
    'Домен или его пользователи были изменены одновременно: повторите',
} as const;
