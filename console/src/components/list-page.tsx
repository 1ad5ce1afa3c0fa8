import { type ReactNode, useCallback } from 'react'
import { useLocation } from '../address.tsx'
import { Loading } from './loading.tsx'
import { FailureNotice } from './notice.tsx'
import { Pager } from './pager.tsx'
import { useLoaded } from './use-loaded.ts'

const perPage = 50

type Page = { cursor: string; hasMore: boolean }
type List<Data> = (
  page: { after: string | undefined; limit: number },
  options: { signal: AbortSignal },
) => Promise<Data>

/** Loads the page of a list that the address names. */
export const useListPage = <Data extends Page>(list: List<Data>) => {
  const after = useLocation().search.get('after') ?? undefined
  const load = useCallback((signal: AbortSignal) => list({ after, limit: perPage }, { signal }), [list, after])
  return { ...useLoaded(load), isFirst: after === undefined }
}

type ListPageProps<Item> = {
  page: { data: Page | undefined; error: unknown; isFirst: boolean }
  items: readonly Item[] | undefined
  empty: string
  children: (items: readonly Item[]) => ReactNode
}

/** A page of a list with the way to the next one, or what there is to say in its place. */
export const ListPage = <Item,>({ page: { data, error, isFirst }, items, empty, children }: ListPageProps<Item>) => (
  <>
    {error !== undefined && <FailureNotice error={error} />}
    {!data && error === undefined && <Loading />}
    {items?.length === 0 && <p className="empty">{empty}</p>}
    {items && items.length > 0 && children(items)}
    {data && <Pager cursor={data.cursor} hasMore={data.hasMore} isFirst={isFirst} />}
  </>
)
