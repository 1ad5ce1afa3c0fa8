import type { EmergedStructure } from '@noema/contracts/schema.ts'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { emergedQuery } from '../../data/schema.ts'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { ProposedNotice } from './proposal.tsx'

const columns: Column<EmergedStructure>[] = [
  {
    key: 'what',
    title: 'Kind or field',
    cell: ({ kind, field }) => (field === null ? <strong>{kind}</strong> : `${kind}.${field}`),
  },
  {
    key: 'suggested',
    title: 'Suggested',
    width: 130,
    cell: ({ suggested }) => suggested && `${suggested.many ? 'list of ' : ''}${suggested.type}`,
  },
  { key: 'seen', title: 'Seen', isWide: true, cell: ({ seen }) => seen.join(', ') },
  { key: 'count', title: 'Records', width: 80, align: 'end', cell: ({ count }) => toAmount(count) },
  { key: 'last', title: 'Last seen', width: 110, isWide: true, cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} /> },
]

/** Undeclared structure of the records, which a proposal can declare. */
export const Emerged = ({ handle }: { handle: string }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const query = useInfiniteQuery(emergedQuery(useSession(), handle))
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.emerged), [query.data])
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const promoting = useMutation({
    mutationFn: () => client.brain(handle).schema.promote({ emerged: [...ticked] }),
    onSuccess: async () => {
      setTicked(new Set())
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
    },
  })
  return (
    <Panel
      title="Emerged structure"
      description="Structure that records have but the schema does not declare. Select the fields to declare."
      actions={
        <Button
          size="small"
          disabled={ticked.size === 0}
          isBusy={promoting.isPending}
          onClick={() => promoting.mutate()}
        >
          Propose to declare {ticked.size > 0 && ticked.size}
        </Button>
      }
      isFlush
    >
      <FailureNotice error={promoting.error} />
      {promoting.data && <ProposedNotice handle={handle} proposed={promoting.data} />}
      <DataTable
        label="Emerged structure"
        columns={columns}
        rows={rows}
        toId={({ id }) => id}
        empty={<p className="panel-empty">The schema declares all fields of the records.</p>}
        error={query.error}
        hasMore={query.hasNextPage}
        isLoadingMore={query.isFetchingNextPage}
        onLoadMore={query.fetchNextPage}
        ticked={ticked}
        onTick={setTicked}
        height={360}
      />
    </Panel>
  )
}
