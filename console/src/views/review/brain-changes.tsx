import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCrumbName } from '../../crumb-names.ts'
import { changeSummaryQuery } from '../../data/change-summaries.ts'
import { useSession } from '../../session/session.tsx'
import { ChangePanel } from './change-panel.tsx'
import { nameChange } from './item-fields.ts'
import { ReviewBoard } from './review-board.tsx'

const listRoute = getRouteApi('/brains/$handle/changes')
const changeRoute = getRouteApi('/brains/$handle/changes/$id')

/** The changes of one Brain, reviewed next to their list. */
export const BrainChanges = () => {
  const { handle } = listRoute.useParams()
  const { show = 'waiting', change } = listRoute.useSearch()
  const navigate = useNavigate()
  return (
    <ReviewBoard
      location={{ shown: show, change, brain: change && handle }}
      only={handle}
      onLocation={(next, options) =>
        void navigate({
          ...{
            to: '/brains/$handle/changes',
            params: { handle },
            replace: options?.replace ?? false,
            resetScroll: false,
          },
          search: { ...(next.shown !== 'waiting' && { show: next.shown }), change: next.change },
        })
      }
    />
  )
}

/** One change on a page of its own. */
export const ChangePage = () => {
  const { handle, id } = changeRoute.useParams()
  // One that is still open may have been decided since it was read.
  const { data } = useQuery({ ...changeSummaryQuery(useSession(), handle, id), staleTime: 0 })
  const queued = data ?? undefined
  useCrumbName(`/brains/${handle}/changes/${id}`, queued && nameChange(queued))
  return (
    <div className="change-page">
      <ChangePanel handle={handle} id={id} queued={queued} isOwnPage onDecided={() => undefined} />
    </div>
  )
}
