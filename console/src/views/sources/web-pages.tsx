import type { WebPage, WebSource } from '@noema/contracts/web-sources.ts'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import { toTablePages } from '../../data/paging.ts'
import {
  describeInterval,
  reloadWebSources,
  webPagesQuery,
  webPageTones,
  webSourcesQuery,
} from '../../data/web-sources.ts'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { AddWebPages } from './web-page-dialog.tsx'

const toSourceColumns = (handle: string): Column<WebSource>[] => [
  {
    key: 'source',
    title: 'Web source',
    cell: ({ source }) => (
      <Link to="/brains/$handle/sources" params={{ handle }} search={{ source }}>
        {source}
      </Link>
    ),
  },
  { key: 'pages', title: 'Pages', width: 80, align: 'end', cell: ({ pages }) => pages.total },
  {
    key: 'failing',
    title: 'Failing',
    width: 80,
    align: 'end',
    cell: ({ pages }) => pages.failing + pages.missing,
  },
  { key: 'every', title: 'Refreshed', width: 130, isWide: true, cell: describeInterval },
  {
    key: 'next',
    title: 'Next',
    width: 130,
    isWide: true,
    cell: ({ paused, nextRefreshAt }) =>
      paused ? <Status state="paused" /> : nextRefreshAt && <Time iso={nextRefreshAt} />,
  },
]

/** The web sources of a Brain, and the button that adds pages. */
export const WebSources = ({ handle }: { handle: string }) => {
  const [isAdding, setAdding] = useState(false)
  const { data, error, refetch } = useQuery(webSourcesQuery(useSession(), handle))
  const columns = useMemo(() => toSourceColumns(handle), [handle])
  return (
    <Panel
      title="Web pages"
      description="Pages of the web that are documents, and are fetched again at intervals."
      isFlush
      actions={
        <Button size="small" icon="plus" onClick={() => setAdding(true)}>
          Add web pages
        </Button>
      }
    >
      <DataTable
        label="Web sources"
        columns={columns}
        rows={data}
        toId={({ source }) => source}
        error={error}
        onRetry={() => void refetch()}
        empty={<p className="muted panel-body">No web page yet.</p>}
      />
      {isAdding && <AddWebPages handle={handle} onClose={() => setAdding(false)} />}
    </Panel>
  )
}

type OfSource = { handle: string; source: string }

const RemovePage = ({ handle, source, url }: OfSource & { url: string }) => {
  const session = useSession()
  const queries = useQueryClient()
  const remove = async () => {
    await session.client.brain(handle).webSources.changePages(source, { remove: [url] })
    await reloadWebSources(queries, session, handle)
  }
  return (
    <ConfirmButton label="Remove" title="Remove this page?" confirm="Remove page" onConfirm={remove}>
      <p>
        <code>{url}</code> is not fetched any more, and its document is retired. Its versions stay readable.
      </p>
    </ConfirmButton>
  )
}

const PageState = ({ page: { status, error } }: { page: WebPage }) => (
  <span title={error ?? undefined}>
    <Status state={status} tone={webPageTones[status]} />
  </span>
)

const toPageColumns = ({ handle, source }: OfSource): Column<WebPage>[] => [
  {
    key: 'page',
    title: 'Page',
    cell: ({ url, title, documentId, fetchedAt }) =>
      fetchedAt === null ? (
        <code>{url}</code>
      ) : (
        <Link to="/brains/$handle/documents/$id" params={{ handle, id: documentId }} title={url}>
          {title ?? url}
        </Link>
      ),
  },
  { key: 'status', title: 'Status', width: 104, cell: (page) => <PageState page={page} /> },
  {
    key: 'checked',
    title: 'Checked',
    width: 120,
    isWide: true,
    cell: ({ checkedAt }) => checkedAt && <Time iso={checkedAt} />,
  },
  {
    key: 'next',
    title: 'Next',
    width: 120,
    isWide: true,
    cell: ({ nextAt }) => nextAt && <Time iso={nextAt} />,
  },
  {
    key: 'acts',
    title: 'Actions',
    width: 96,
    cell: ({ url }) => <RemovePage handle={handle} source={source} url={url} />,
  },
]

const SourceActs = ({ handle, source, onAdd }: OfSource & { onAdd: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { webSources } = session.client.brain(handle)
  const refreshing = useAction(async () => {
    await webSources.refresh(source)
    await reloadWebSources(queries, session, handle)
  })
  const remove = async () => {
    await webSources.delete(source)
    await navigate({ to: '/brains/$handle/sources', params: { handle } })
    await reloadWebSources(queries, session, handle)
  }
  return (
    <>
      <FailureNotice error={refreshing.error} />
      <Button size="small" icon="plus" onClick={onAdd}>
        Add web pages
      </Button>
      <Button size="small" isBusy={refreshing.isRunning} onClick={() => void refreshing.run()}>
        Refresh now
      </Button>
      <ConfirmButton
        label="Delete"
        title={`Delete the web source ${source}?`}
        confirm="Delete source"
        onConfirm={remove}
      >
        <p>Its pages are not fetched any more. Its documents stay. To retire them, remove the pages first.</p>
      </ConfirmButton>
    </>
  )
}

const maxNamed = 10

/** The pages that cannot be read, and why. A table has no room for sentences on a phone. */
const FailingPages = ({ pages }: { pages: readonly WebPage[] }) =>
  pages.length > 0 && (
    <Notice tone="warning" title={plural(pages.length, 'page cannot be read', 'pages cannot be read')}>
      <ul>
        {pages.slice(0, maxNamed).map(({ url, error }) => (
          <li key={url}>
            <code>{url}</code> {error}
          </li>
        ))}
      </ul>
    </Notice>
  )

/** Why a source does not go on as it should. */
const Problems = ({
  paused,
  problem,
  pages,
}: Pick<WebSource, 'paused' | 'problem'> & { pages: readonly WebPage[] }) => (
  <>
    {paused && (
      <Notice tone="warning" title="Paused">
        {paused.reason}
      </Notice>
    )}
    {problem !== null && (
      <Notice tone="warning" title="Changed pages wait to be written">
        {problem}
      </Notice>
    )}
    <FailingPages pages={pages} />
  </>
)

/** The web pages of a source; nothing if it has none. */
export const WebPagesOfSource = ({ handle, source }: OfSource) => {
  const [isAdding, setAdding] = useState(false)
  const query = useInfiniteQuery(webPagesQuery(useSession(), handle, source))
  const rows = useMemo(() => query.data?.pages.flatMap(({ pages }) => pages), [query.data])
  const columns = useMemo(() => toPageColumns({ handle, source }), [handle, source])
  const webSource = query.data?.pages[0]?.webSource
  if (!webSource) return null
  return (
    <>
      <Problems
        paused={webSource.paused}
        problem={webSource.problem}
        pages={rows?.filter(({ error }) => error !== null) ?? []}
      />
      <Panel
        title="Web pages"
        description={`Refreshed ${describeInterval(webSource)}.`}
        isFlush
        actions={<SourceActs handle={handle} source={source} onAdd={() => setAdding(true)} />}
      >
        <DataTable
          label={`Web pages of ${source}`}
          columns={columns}
          rows={rows}
          toId={({ documentId }) => documentId}
          empty={<p className="muted panel-body">No page. Add one.</p>}
          {...toTablePages(query)}
        />
        {isAdding && <AddWebPages handle={handle} source={source} onClose={() => setAdding(false)} />}
      </Panel>
    </>
  )
}
