import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import '../../styles/playground.css'
import { navigate, useLocation, withQuery } from '../../address.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { brainQuery } from '../../data/brains.ts'
import { corpusKey } from '../../data/corpora.ts'
import { SearchForm } from '../../search/search-form.tsx'
import { readSearchParams } from '../../search/search-params.ts'
import { useSearch } from '../../search/use-search.ts'
import { useSession } from '../../session/session.tsx'
import { ContextPanel } from './context-panel.tsx'
import { CorpusChoice } from './corpus-choice.tsx'
import { CorpusContextPanel, CorpusSearchPanel } from './corpus-panels.tsx'
import { QueryPanel } from './query-panel.tsx'
import { NothingYet, SearchPanel } from './search-results.tsx'

const noSearch = readSearchParams(new URLSearchParams())

const panels = ['search', 'context', 'query'] as const
type Panel = (typeof panels)[number]
/** A corpus has no query: fields have other meanings in other Brains. */
const corpusPanels: readonly Panel[] = ['search', 'context']
const panelNames = { search: 'Search', context: 'Context', query: 'Query' } as const

/** The shown panels: all of `offered`, unless the URL says otherwise. */
const readPanels = (search: URLSearchParams, offered: readonly Panel[]) => {
  const given = search.get('panels')?.split(',') ?? offered
  const shown = offered.filter((panel) => given.includes(panel))
  return shown.length > 0 ? shown : [...offered]
}

const PanelChoice = ({ offered, shown }: { offered: readonly Panel[]; shown: readonly Panel[] }) => (
  <fieldset className="panel-choice">
    <legend className="off-screen">Compare</legend>
    {offered.map((panel) => (
      <Checkbox
        key={panel}
        label={panelNames[panel]}
        checked={shown.includes(panel)}
        isDisabled={shown.length === 1 && shown[0] === panel}
        onChange={(isOn) => {
          const chosen = offered.filter((one) => (one === panel ? isOn : shown.includes(one)))
          navigate(withQuery({ panels: chosen.length === offered.length ? undefined : chosen.join(',') }), {
            replace: true,
          })
        }}
      />
    ))}
  </fieldset>
)

/**
 * The ways to read a Brain, side by side: search results, the context for a model, and a query.
 * The URL holds the input, so that it can be shared and reopened.
 */
export const Playground = () => {
  const session = useSession()
  const cache = useQueryClient()
  const { handle } = useParams({ from: '/brains/$handle' })
  const stateVersion = useQuery(brainQuery(session, handle)).data?.brain.stateVersion
  const { search: address } = useLocation()
  const corpus = address.get('corpus') || undefined
  const params = useMemo(() => {
    const given = readSearchParams(address)
    // The Brains of a corpus have states of their own.
    return corpus === undefined ? given : { ...given, asOf: '' }
  }, [address, corpus])
  // A corpus is searched in place of the Brain.
  const search = useSearch(session.client, handle, corpus === undefined ? params : noSearch)
  const searchAgain =
    corpus === undefined ? search.reload : () => void cache.invalidateQueries({ queryKey: corpusKey(session, corpus) })
  const offered = corpus === undefined ? panels : corpusPanels
  const shown = readPanels(address, offered)
  return (
    <div className="playground">
      <SearchForm
        name={corpus ?? handle}
        stateVersion={corpus === undefined ? (stateVersion ?? 0) : undefined}
        params={params}
        searchAgain={searchAgain}
      />
      <CorpusChoice handle={handle} corpus={corpus} />
      <PanelChoice offered={offered} shown={shown} />
      {corpus === undefined && params.q === '' && stateVersion === 0 && <NothingYet handle={handle} />}
      <div className="playground-columns" data-columns={shown.length}>
        {shown.includes('search') &&
          (corpus === undefined ? (
            <SearchPanel handle={handle} params={params} search={search} />
          ) : (
            <CorpusSearchPanel corpus={corpus} params={params} />
          ))}
        {shown.includes('context') &&
          (corpus === undefined ? (
            <ContextPanel handle={handle} params={params} />
          ) : (
            <CorpusContextPanel corpus={corpus} params={params} />
          ))}
        {shown.includes('query') && <QueryPanel handle={handle} address={address} />}
      </div>
    </div>
  )
}
