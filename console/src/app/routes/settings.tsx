import { createRoute } from '@tanstack/react-router'
import { shownNotifications } from '../../data/shown-notifications.ts'
import { defineSearch, readNumber, readText, readWord } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'
import { lazyPage } from './lazy-page.ts'

/** The parent route of the settings pages. */
const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyPage(() => import('../../views/settings/settings-frame.tsx'), 'SettingsFrame'),
})

const organizationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/organization',
  component: lazyPage(() => import('../../views/settings/organization.tsx'), 'OrganizationPage'),
})

const membersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/members',
  component: lazyPage(() => import('../../views/settings/members.tsx'), 'Members'),
})

const keysRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/keys',
  validateSearch: defineSearch({ show: (value) => readWord(value, ['all']) }),
  component: lazyPage(() => import('../../views/settings/keys.tsx'), 'Keys'),
})

const appsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/apps',
  component: lazyPage(() => import('../../views/settings/apps.tsx'), 'Apps'),
})

const webhooksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/webhooks',
  component: lazyPage(() => import('../../views/settings/webhooks.tsx'), 'OrganizationWebhooks'),
})

const webhookRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/webhooks/$id',
  component: lazyPage(() => import('../../views/settings/webhook.tsx'), 'OrganizationWebhookPage'),
})

const schemasRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/schemas',
  component: lazyPage(() => import('../../views/schemas/schemas.tsx'), 'Schemas'),
})

const schemaRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/schemas/$name',
  validateSearch: defineSearch({ version: readNumber }),
  component: lazyPage(() => import('../../views/schemas/schema-page.tsx'), 'OrganizationSchemaPage'),
})

const corporaRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/corpora',
  validateSearch: defineSearch({ corpus: readText }),
  component: lazyPage(() => import('../../views/corpora/corpora.tsx'), 'Corpora'),
})

const auditRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/audit',
  validateSearch: defineSearch({
    action: readText,
    actor: readText,
    target: readText,
    from: readText,
    to: readText,
    open: readText,
  }),
  component: lazyPage(() => import('../../views/settings/audit.tsx'), 'Audit'),
})

const notificationsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/notifications',
  validateSearch: defineSearch({ show: (value) => readWord(value, shownNotifications) }),
  component: lazyPage(() => import('../../views/settings/notifications.tsx'), 'Notifications'),
})

export const settingsRoutes = [
  frameRoute.addChildren([
    organizationRoute,
    membersRoute,
    keysRoute,
    appsRoute,
    webhooksRoute,
    webhookRoute,
    schemasRoute,
    schemaRoute,
    corporaRoute,
    auditRoute,
    notificationsRoute,
  ]),
]
