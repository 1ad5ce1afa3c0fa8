import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { defineSearch, readText } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'
import { redirectOldTab } from './old-tabs.ts'

/** What the pages of one Brain share: its title and tabs. The others stand in it. */
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
  beforeLoad: ({ params }) => redirectOldTab(params.handle),
  component: lazyRouteComponent(() => import('../../views/brain/events.tsx'), 'BrainEvents'),
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
  component: lazyRouteComponent(() => import('../../views/brain/records.tsx'), 'RecordList'),
})

const recordRoute = createRoute({
  getParentRoute: inBrain,
  path: '/records/$id',
  component: lazyRouteComponent(() => import('../../views/brain/item.tsx'), 'RecordPage'),
})

const statementRoute = createRoute({
  getParentRoute: inBrain,
  path: '/statements/$id',
  component: lazyRouteComponent(() => import('../../views/brain/item.tsx'), 'StatementPage'),
})

const documentsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/documents',
  component: lazyRouteComponent(() => import('../../views/brain/documents.tsx'), 'DocumentList'),
})

const documentRoute = createRoute({
  getParentRoute: inBrain,
  path: '/documents/$id',
  component: lazyRouteComponent(() => import('../../views/brain/item.tsx'), 'DocumentPage'),
})

const playgroundRoute = createRoute({
  getParentRoute: inBrain,
  path: '/playground',
  component: lazyRouteComponent(() => import('../../views/brain/search.tsx'), 'Search'),
})

const receiptsRoute = createRoute({
  getParentRoute: inBrain,
  path: '/receipts',
  component: lazyRouteComponent(() => import('../../views/brain/receipts.tsx'), 'ReceiptList'),
})

const receiptRoute = createRoute({
  getParentRoute: inBrain,
  path: '/receipts/$id',
  component: lazyRouteComponent(() => import('../../views/brain/receipt.tsx'), 'ReceiptPage'),
})

export const brainRoutes = brainRoute.addChildren([
  overviewRoute,
  streamRoute,
  recordsRoute,
  recordRoute,
  statementRoute,
  documentsRoute,
  documentRoute,
  playgroundRoute,
  receiptsRoute,
  receiptRoute,
])
