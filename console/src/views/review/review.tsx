import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { PageHeader } from '../../components/page-header.tsx'
import { ReviewBoard } from './review-board.tsx'

const route = getRouteApi('/review')

/** The pending changes of all Brains. */
export const Review = () => {
  const { show = 'waiting', change, brain } = route.useSearch()
  const navigate = useNavigate()
  return (
    <div className="page full">
      <PageHeader title="Review" />
      <ReviewBoard
        location={{ shown: show, change, brain }}
        onLocation={({ shown, ...opened }, options) =>
          void navigate({
            ...{ to: '/review', replace: options?.replace ?? false, resetScroll: false },
            search: { ...(shown !== 'waiting' && { show: shown }), ...opened },
          })
        }
      />
    </div>
  )
}
