import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { PageHeader } from '../../components/page-header.tsx'
import { ReviewBoard } from './review-board.tsx'

const route = getRouteApi('/review')

/** What waits for review in all Brains. */
export const Review = () => {
  const { show = 'waiting', change, brain } = route.useSearch()
  const navigate = useNavigate()
  return (
    <div className="page full">
      <PageHeader title="Review" />
      <ReviewBoard
        place={{ shown: show, change, brain }}
        onPlace={({ shown, ...opened }, options) =>
          void navigate({
            ...{ to: '/review', replace: options?.replace ?? false, resetScroll: false },
            search: { ...(shown !== 'waiting' && { show: shown }), ...opened },
          })
        }
      />
    </div>
  )
}
