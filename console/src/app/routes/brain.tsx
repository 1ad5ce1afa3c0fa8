import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readDocumentTab, readPlanOp, readRecordsSearch, readRecordTab } from '../../data/records-search.ts'
import { shownWords } from '../../data/shown-changes.ts'
import { defineSearch, readFlag, readNumber, readText, readWord } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'

/** The parent route of the pages of one Brain: its title and tabs. */
const brainRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/brains/$handle',
  component: lazyRouteComponent(() => import('../../views/brain/brain.tsx'), 'BrainFrame'),
})

const inBrain = () => brainRoute

const overviewRoute = createRoute({
  getParentRoute: inBrain,
  path: '/',
  validateSearch: defineSearch({ types: readText, after: readText }),
  beforeLoad: async ({ params }) => {
    if (/[?&](tab|q)=/.test(location.search)) (await import('./old-tabs.ts')).redirectOldTab(params.handle)
  },
  component: lazyRouteComponent(() => import('../../views/brain/overview.tsx'), 'Overview'),
})

const streamRoute = createRoute({
  getParentRoute: inBrain,
  path: '/stream',
  validateSearch: defineSearch({ types: readText, after: readText }),
  component: lazyRouteComponent(() => import('../../views/brain/events.tsx'), 'BrainEvents'),
})

const recordsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/records',
  validateSearch: readRecordsSearch,
  component: lazyRouteComponent(() => import('../../views/records/records.tsx'), 'RecordsPage'),
})

const recordRoute = createRoute({
  getParentRoute: inBrain,
  path: '/records/$id',
  validateSearch: defineSearch({ asOf: readNumber, tab: readRecordTab }),
  component: lazyRouteComponent(() => import('../../views/record/record.tsx'), 'RecordPage'),
})

const statementsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/statements',
  validateSearch: defineSearch({
    subject: readText,
    predicate: readText,
    object: readText,
    retracted: readFlag,
  }),
  component: lazyRouteComponent(() => import('../../views/statements/statements.tsx'), 'StatementsPage'),
})

const statementRoute = createRoute({
  getParentRoute: inBrain,
  path: '/statements/$id',
  validateSearch: defineSearch({ asOf: readNumber }),
  component: lazyRouteComponent(() => import('../../views/statement/statement.tsx'), 'StatementPage'),
})

const documentsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/documents',
  validateSearch: defineSearch({ source: readText, q: readText }),
  component: lazyRouteComponent(() => import('../../views/documents/documents.tsx'), 'DocumentsPage'),
})

const documentRoute = createRoute({
  getParentRoute: inBrain,
  path: '/documents/$id',
  validateSearch: defineSearch({
    asOf: readNumber,
    version: readNumber,
    span: readText,
    tab: readDocumentTab,
    edit: readFlag,
  }),
  component: lazyRouteComponent(() => import('../../views/document/document.tsx'), 'DocumentPage'),
})

const newDocumentRoute = createRoute({
  getParentRoute: inBrain,
  path: '/new-document',
  validateSearch: defineSearch({ source: readText }),
  component: lazyRouteComponent(() => import('../../views/document-editor/new-document.tsx'), 'NewDocumentPage'),
})

const sourcesRoute = createRoute({
  getParentRoute: inBrain,
  path: '/sources',
  validateSearch: defineSearch({ source: readText }),
  component: lazyRouteComponent(() => import('../../views/sources/sources.tsx'), 'SourcesPage'),
})

const snapshotRoute = createRoute({
  getParentRoute: inBrain,
  path: '/sources/$source/snapshots/$snapshot',
  validateSearch: defineSearch({ op: readPlanOp }),
  component: lazyRouteComponent(() => import('../../views/sources/snapshot.tsx'), 'SnapshotPage'),
})

const graphRoute = createRoute({
  getParentRoute: inBrain,
  path: '/graph',
  validateSearch: defineSearch({ seed: readText, q: readText, depth: readNumber }),
  component: lazyRouteComponent(() => import('../../views/graph/graph.tsx'), 'GraphPage'),
})

const schemaRoute = createRoute({
  getParentRoute: inBrain,
  path: '/schema',
  validateSearch: defineSearch({ kind: readText }),
  component: lazyRouteComponent(() => import('../../views/schema/schema.tsx'), 'SchemaPage'),
})

const playgroundRoute = createRoute({
  getParentRoute: inBrain,
  path: '/playground',
  component: lazyRouteComponent(() => import('../../views/playground/playground.tsx'), 'Playground'),
})

const receiptsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/receipts',
  validateSearch: defineSearch({ consumerId: readText, record: readText, statement: readText, document: readText }),
  component: lazyRouteComponent(() => import('../../views/brain/receipts.tsx'), 'ReceiptList'),
})

const receiptRoute = createRoute({
  getParentRoute: inBrain,
  path: '/receipts/$id',
  component: lazyRouteComponent(() => import('../../views/brain/receipt.tsx'), 'ReceiptPage'),
})

const changesRoute = createRoute({
  getParentRoute: inBrain,
  path: '/changes',
  validateSearch: defineSearch({ show: (value) => readWord(value, shownWords), change: readText }),
  component: lazyRouteComponent(() => import('../../views/review/brain-changes.tsx'), 'BrainChanges'),
})

const changeRoute = createRoute({
  getParentRoute: inBrain,
  path: '/changes/$id',
  component: lazyRouteComponent(() => import('../../views/review/brain-changes.tsx'), 'ChangePage'),
})

const keysRoute = createRoute({
  getParentRoute: inBrain,
  path: '/keys',
  validateSearch: defineSearch({ show: readText }),
  component: lazyRouteComponent(() => import('../../views/brain-keys/brain-keys.tsx'), 'BrainKeys'),
})

const webhooksRoute = createRoute({
  getParentRoute: inBrain,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../../views/webhooks/webhooks.tsx'), 'BrainWebhooks'),
})

const webhookRoute = createRoute({
  getParentRoute: inBrain,
  path: '/webhooks/$id',
  validateSearch: defineSearch({ show: readText }),
  component: lazyRouteComponent(() => import('../../views/webhooks/webhook.tsx'), 'BrainWebhook'),
})

const settingsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/settings',
  component: lazyRouteComponent(() => import('../../views/brain-settings/settings.tsx'), 'BrainSettings'),
})

export const brainRoutes = brainRoute.addChildren([
  changesRoute,
  changeRoute,
  overviewRoute,
  streamRoute,
  recordsRoute,
  recordRoute,
  statementsRoute,
  statementRoute,
  documentsRoute,
  documentRoute,
  newDocumentRoute,
  sourcesRoute,
  snapshotRoute,
  graphRoute,
  schemaRoute,
  playgroundRoute,
  receiptsRoute,
  receiptRoute,
  keysRoute,
  webhooksRoute,
  webhookRoute,
  settingsRoute,
])
