import type { Corpus } from '@noema/contracts/corpora.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { SearchInput } from '../../components/search-input.tsx'
import { corporaQuery } from '../../data/corpora.ts'
import { readSearchParams } from '../../search/search-params.ts'
import { useSession } from '../../session/session.tsx'
import { CorpusSearchPanel } from '../playground/corpus-panels.tsx'
import { CorpusDialog } from './corpus-dialog.tsx'

type Part = Corpus['parts'][number]

const toSections = ({ types, kinds, sources, where, asOf }: Part): string[] => [
  ...(types ? [`only ${types.join('s, ')}s`] : []),
  ...(kinds ? [`kinds ${kinds.join(', ')}`] : []),
  ...(sources ? [`sources ${sources.join(', ')}`] : []),
  ...Object.entries(where ?? {}).map(([name, value]) => `${name} = ${String(value)}`),
  ...(asOf === undefined ? [] : [`as of state ${asOf}`]),
]

const PartLine = ({ part }: { part: Part }) => (
  <li>
    {part.brain === null ? (
      <span className="muted">A Brain that was deleted or that you cannot read</span>
    ) : (
      <Link to="/brains/$handle" params={{ handle: part.brain }}>
        {part.brain}
      </Link>
    )}{' '}
    <span className="muted">{toSections(part).join('; ') || 'everything'}</span>
  </li>
)

/** A corpus: its parts, its edit and deletion, and a search in it. */
export const OpenedCorpus = ({ corpus, onClose }: { corpus: Corpus; onClose: () => void }) => {
  const session = useSession()
  const cache = useQueryClient()
  const [isEditing, setEditing] = useState(false)
  const [q, setQ] = useState('')
  const remove = async () => {
    await session.client.corpora.delete(corpus.name)
    onClose()
    await cache.invalidateQueries({ queryKey: corporaQuery(session).queryKey })
  }
  return (
    <Panel
      title={corpus.name}
      actions={
        <div className="actions">
          <Button size="small" icon="edit" onClick={() => setEditing(true)}>
            Edit
          </Button>
          <ConfirmButton label="Delete" title={`Delete ${corpus.name}?`} confirm="Delete corpus" onConfirm={remove}>
            <p>Its Brains stay as they are. Agents that name it find nothing in it any more.</p>
          </ConfirmButton>
        </div>
      }
    >
      <div className="stack">
        <ul className="corpus-parts">
          {corpus.parts.map((part, index) => (
            <PartLine key={part.brain ?? `part ${index}`} part={part} />
          ))}
        </ul>
        <SearchInput label={`Search in ${corpus.name}`} value={q} onChange={setQ} />
        <CorpusSearchPanel corpus={corpus.name} params={readSearchParams(new URLSearchParams({ q }))} />
      </div>
      {isEditing && <CorpusDialog corpus={corpus} onClose={() => setEditing(false)} />}
    </Panel>
  )
}
