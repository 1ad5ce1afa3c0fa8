import { createRoute } from '@tanstack/react-router'
import { shownWords } from '../../data/shown-changes.ts'
import { defineSearch, readText, readWord } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'
import { lazyPage } from './lazy-page.ts'

const reviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/review',
  validateSearch: defineSearch({
    show: (value) => readWord(value, shownWords),
    change: readText,
    brain: readText,
  }),
  component: lazyPage(() => import('../../views/review/review.tsx'), 'Review'),
})

export const reviewRoutes = [reviewRoute]
