import { createRoute } from '@tanstack/react-router'
import { readDocumentTab, readPlanOp, readRecordsSearch, readRecordTab } from '../../data/records-search.ts'
import { shownWords } from '../../data/shown-changes.ts'
import { defineSearch, readFlag, readNumber, readText, readWord } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'
import { lazyPage } from './lazy-page.ts'

/** The parent route of the pages of one Brain: its title and tabs. */
const brainRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/brains/$handle',
  component: lazyPage(() => import('../../views/brain/brain.tsx'), 'BrainFrame'),
})

const inBrain = () => brainRoute

const overviewRoute = createRoute({
  getParentRoute: inBrain,
  path: '/',
  validateSearch: defineSearch({ types: readText, after: readText }),
  beforeLoad: async ({ params }) => {
    if (/[?&](tab|q)=/.test(location.search)) (await import('./old-tabs.ts')).redirectOldTab(params.handle)
  },
  component: lazyPage(() => import('../../views/brain/overview.tsx'), 'Overview'),
})

const streamRoute = createRoute({
  getParentRoute: inBrain,
  path: '/stream',
  validateSearch: defineSearch({ types: readText, after: readText }),
  component: lazyPage(() => import('../../views/brain/events.tsx'), 'BrainEvents'),
})

const recordsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/records',
  validateSearch: readRecordsSearch,
  component: lazyPage(() => import('../../views/records/records.tsx'), 'RecordsPage'),
})

const recordRoute = createRoute({
  getParentRoute: inBrain,
  path: '/records/$id',
  validateSearch: defineSearch({ asOf: readNumber, tab: readRecordTab }),
  component: lazyPage(() => import('../../views/record/record.tsx'), 'RecordPage'),
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
  component: lazyPage(() => import('../../views/statements/statements.tsx'), 'StatementsPage'),
})

const statementRoute = createRoute({
  getParentRoute: inBrain,
  path: '/statements/$id',
  validateSearch: defineSearch({ asOf: readNumber }),
  component: lazyPage(() => import('../../views/statement/statement.tsx'), 'StatementPage'),
})

const documentsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/documents',
  validateSearch: defineSearch({ source: readText, q: readText, skill: readText, file: readText }),
  component: lazyPage(() => import('../../views/documents/documents.tsx'), 'DocumentsPage'),
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
  component: lazyPage(() => import('../../views/document/document.tsx'), 'DocumentPage'),
})

const newDocumentRoute = createRoute({
  getParentRoute: inBrain,
  path: '/new-document',
  validateSearch: defineSearch({ source: readText }),
  component: lazyPage(() => import('../../views/document-editor/new-document.tsx'), 'NewDocumentPage'),
})

const sourcesRoute = createRoute({
  getParentRoute: inBrain,
  path: '/sources',
  validateSearch: defineSearch({ source: readText }),
  component: lazyPage(() => import('../../views/sources/sources.tsx'), 'SourcesPage'),
})

const snapshotRoute = createRoute({
  getParentRoute: inBrain,
  path: '/sources/$source/snapshots/$snapshot',
  validateSearch: defineSearch({ op: readPlanOp }),
  component: lazyPage(() => import('../../views/sources/snapshot.tsx'), 'SnapshotPage'),
})

const graphRoute = createRoute({
  getParentRoute: inBrain,
  path: '/graph',
  validateSearch: defineSearch({ seed: readText, q: readText, depth: readNumber }),
  component: lazyPage(() => import('../../views/graph/graph.tsx'), 'GraphPage'),
})

const schemaRoute = createRoute({
  getParentRoute: inBrain,
  path: '/schema',
  validateSearch: defineSearch({ kind: readText }),
  component: lazyPage(() => import('../../views/schema/schema.tsx'), 'SchemaPage'),
})

const playgroundRoute = createRoute({
  getParentRoute: inBrain,
  path: '/playground',
  component: lazyPage(() => import('../../views/playground/playground.tsx'), 'Playground'),
})

const receiptsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/receipts',
  validateSearch: defineSearch({ consumerId: readText, record: readText, statement: readText, document: readText }),
  component: lazyPage(() => import('../../views/brain/receipts.tsx'), 'ReceiptList'),
})

const receiptRoute = createRoute({
  getParentRoute: inBrain,
  path: '/receipts/$id',
  component: lazyPage(() => import('../../views/brain/receipt.tsx'), 'ReceiptPage'),
})

const changesRoute = createRoute({
  getParentRoute: inBrain,
  path: '/changes',
  validateSearch: defineSearch({ show: (value) => readWord(value, shownWords), change: readText }),
  component: lazyPage(() => import('../../views/review/brain-changes.tsx'), 'BrainChanges'),
})

const changeRoute = createRoute({
  getParentRoute: inBrain,
  path: '/changes/$id',
  component: lazyPage(() => import('../../views/review/brain-changes.tsx'), 'ChangePage'),
})

const connectRoute = createRoute({
  getParentRoute: inBrain,
  path: '/connect',
  component: lazyPage(() => import('../../views/connect/connect.tsx'), 'ConnectPage'),
})

const keysRoute = createRoute({
  getParentRoute: inBrain,
  path: '/keys',
  validateSearch: defineSearch({ show: readText }),
  component: lazyPage(() => import('../../views/brain-keys/brain-keys.tsx'), 'BrainKeys'),
})

const webhooksRoute = createRoute({
  getParentRoute: inBrain,
  path: '/webhooks',
  component: lazyPage(() => import('../../views/webhooks/webhooks.tsx'), 'BrainWebhooks'),
})

const webhookRoute = createRoute({
  getParentRoute: inBrain,
  path: '/webhooks/$id',
  validateSearch: defineSearch({ show: readText }),
  component: lazyPage(() => import('../../views/webhooks/webhook.tsx'), 'BrainWebhook'),
})

const settingsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/settings',
  component: lazyPage(() => import('../../views/brain-settings/settings.tsx'), 'BrainSettings'),
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
  connectRoute,
  keysRoute,
  webhooksRoute,
  webhookRoute,
  settingsRoute,
])
