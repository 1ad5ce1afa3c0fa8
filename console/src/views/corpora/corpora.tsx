import '../../styles/search.css'
import '../../styles/playground.css'
import type { Corpus } from '@noema/contracts/corpora.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { corporaQuery } from '../../data/corpora.ts'
import { useSession } from '../../session/session.tsx'
import { CorpusDialog } from './corpus-dialog.tsx'
import { OpenedCorpus } from './opened-corpus.tsx'

const route = getRouteApi('/settings/corpora')

const columns: readonly Column<Corpus>[] = [
  {
    key: 'name',
    title: 'Corpus',
    width: 200,
    cell: ({ name }) => (
      <Link to="/settings/corpora" search={{ corpus: name }} className="row-link">
        {name}
      </Link>
    ),
  },
  {
    key: 'brains',
    title: 'Brains',
    cell: ({ parts }) => parts.map(({ brain }) => brain ?? 'one that you cannot read').join(', '),
  },
  { key: 'changed', title: 'Changed', width: 120, isWide: true, cell: ({ updatedAt }) => <Time iso={updatedAt} /> },
]

/** The corpora of the organization: a list, and one of them with its parts and a search in it. */
export const Corpora = () => {
  const { corpus: name } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, refetch } = useQuery(corporaQuery(useSession()))
  const [isMaking, setMaking] = useState(false)
  const open = (corpus: string | undefined) => void navigate({ search: { corpus }, resetScroll: false })
  const opened = data?.corpora.find((corpus) => corpus.name === name)
  const make = (
    <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
      New corpus
    </Button>
  )
  return (
    <div className="stack">
      <PageHeader
        title="Corpora"
        lead="A corpus names up to 20 Brains, or parts of them, that are searched together. Everyone finds only what they may read."
        actions={make}
      />
      <DataTable
        label="Corpora"
        columns={columns}
        rows={data?.corpora}
        toId={(corpus) => corpus.name}
        error={error}
        onRetry={() => void refetch()}
        onOpen={(corpus) => open(corpus.name)}
        empty={
          <Empty title="No corpora yet" action={make}>
            Name the Brains that people and agents search in one call.
          </Empty>
        }
      />
      {data?.hasMore && <p className="muted">These are the first {data.corpora.length}.</p>}
      {opened && <OpenedCorpus key={opened.name} corpus={opened} onClose={() => open(undefined)} />}
      {isMaking && <CorpusDialog onClose={() => setMaking(false)} onSaved={open} />}
    </div>
  )
}
