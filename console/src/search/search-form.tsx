import type { SearchMode } from '@noema/contracts/search.ts'
import { useCallback, useEffect } from 'react'
import { navigate, withQuery } from '../address.tsx'
import { TextInput } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { toAmount } from '../plural.ts'
import { noFilters, type SearchParams, searchModes } from './search-params.ts'
import { useTyping } from './use-typing.ts'

const modeNames: Record<SearchMode, string> = {
  hybrid: 'Keywords and meaning',
  lexical: 'Words',
  semantic: 'Meaning',
}
const typeNames = { record: 'Records', statement: 'Statements', document: 'Documents' } as const
const itemTypes = ['record', 'statement', 'document'] as const

const ModeChoice = ({ mode }: { mode: SearchMode }) => (
  <fieldset>
    <legend>Search by</legend>
    <div className="segments">
      {searchModes.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="mode"
            checked={one === mode}
            onChange={() => navigate(withQuery({ mode: one === 'hybrid' ? undefined : one }))}
          />
          <span>{modeNames[one]}</span>
        </label>
      ))}
    </div>
  </fieldset>
)

const TypeChoice = ({ types }: { types: SearchParams['types'] }) => {
  const toggle = (type: SearchParams['types'][number]) => {
    const chosen = itemTypes.filter((one) => types.includes(one) !== (one === type))
    navigate(withQuery({ types: chosen.join(',') || undefined }))
  }
  return (
    <fieldset>
      <legend>Only</legend>
      <div className="choices">
        {itemTypes.map((type) => (
          <label key={type}>
            <input type="checkbox" checked={types.includes(type)} onChange={() => toggle(type)} />
            {typeNames[type]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

const evidences = [
  ['', 'any'],
  ['weak', 'weak or strong'],
  ['strong', 'strong'],
] as const

/** The minimum evidence of results and context items. */
const EvidenceChoice = ({ minEvidence }: Pick<SearchParams, 'minEvidence'>) => (
  <div className="field">
    <label htmlFor="search-evidence">Evidence</label>
    <select
      id="search-evidence"
      value={minEvidence ?? ''}
      onChange={({ target }) => navigate(withQuery({ minEvidence: target.value || undefined }))}
    >
      {evidences.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  </div>
)

/** The active filters, each with a button that removes it. */
const Chips = ({ params, onRemoved }: { params: SearchParams; onRemoved: () => void }) => {
  const { mode, types, kinds, source, since, until, metadata, asOf, minEvidence } = params
  const remove = (filters: Partial<typeof noFilters>) => {
    navigate(withQuery(filters))
    onRemoved()
  }
  const chips = [
    mode !== 'hybrid' && { name: `by ${modeNames[mode].toLowerCase()} alone`, without: { mode: undefined } },
    types.length > 0 && {
      name: types.map((type) => typeNames[type].toLowerCase()).join(' and '),
      without: { types: undefined },
    },
    kinds !== '' && { name: `kind ${kinds}`, without: { kinds: undefined } },
    source !== '' && { name: `source ${source}`, without: { source: undefined } },
    since !== '' && { name: `since ${since}`, without: { since: undefined } },
    until !== '' && { name: `before ${until}`, without: { until: undefined } },
    metadata !== '' && { name: `metadata ${metadata}`, without: { metadata: undefined } },
    asOf !== '' && { name: `as of state ${asOf}`, without: { asOf: undefined } },
    minEvidence !== undefined && { name: `${minEvidence} evidence or more`, without: { minEvidence: undefined } },
  ].filter((chip) => chip !== false)
  return (
    <>
      {chips.map(({ name, without }) => (
        <button key={name} type="button" className="chip" onClick={() => remove(without)}>
          <span className="off-screen">Remove the filter: </span>
          {name} <Icon name="close" />
        </button>
      ))}
      {chips.length > 1 && (
        <button type="button" className="button small quiet" onClick={() => remove(noFilters)}>
          Remove all
        </button>
      )}
    </>
  )
}

type SearchFormProps = {
  /** The name of the Brain or corpus. */
  name: string
  /** The state of the Brain; a corpus has none, and is not searched as of a state. */
  stateVersion: number | undefined
  params: SearchParams
  searchAgain: () => void
}

type TypedFiltersProps = Pick<SearchFormProps, 'params' | 'stateVersion'> & {
  later: ReturnType<typeof useTyping>['later']
}

/** The filters that are names or lists of them. */
const textFilters = [
  { name: 'kinds', label: 'Kinds', placeholder: 'all kinds', hint: 'Separated by commas. Documents have none.' },
  { name: 'source', label: 'Source', placeholder: 'all sources', hint: 'The exact name.' },
  {
    name: 'metadata',
    label: 'Metadata',
    placeholder: 'team=core',
    hint: 'Of documents. The schema says which keys can be used.',
  },
] as const

/** The filters that a person types. */
const TypedFilters = ({ params, stateVersion, later }: TypedFiltersProps) => (
  <div className="filter-texts">
    {textFilters.map(({ name, ...shown }) => (
      <TextInput
        key={name}
        {...shown}
        name={name}
        defaultValue={params[name]}
        autoComplete="off"
        spellCheck={false}
        className="mono"
        onChange={later}
      />
    ))}
    <TextInput label="Since" name="since" type="date" defaultValue={params.since} onChange={later} />
    <TextInput
      label="Before"
      name="until"
      type="date"
      defaultValue={params.until}
      hint="When it happened, or else was created, in UTC."
      onChange={later}
    />
    {stateVersion !== undefined && (
      <TextInput
        label="As of state"
        name="asOf"
        type="number"
        min={0}
        defaultValue={params.asOf}
        placeholder="now"
        hint={`Searches the Brain as it was at this state. It was at ${toAmount(stateVersion)} when this page opened.`}
        onChange={later}
      />
    )}
  </div>
)

/** The field that searches while the person types, with collapsed filters. */
export const SearchForm = ({ name, stateVersion, params, searchAgain }: SearchFormProps) => {
  const { form, later, now } = useTyping(params, searchAgain)
  // Without scrolling, so that a person who returns to a list finds its position.
  const focusField = useCallback(() => form.current?.querySelector('input')?.focus({ preventScroll: true }), [form])
  useEffect(focusField, [focusField])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a form is needed, for Enter
    <form role="search" className="search" aria-label={`In ${name}`} ref={form} onSubmit={now}>
      <div className="search-field">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          aria-label={`Search ${name}`}
          placeholder="Keywords or a question"
          defaultValue={params.q}
          maxLength={4_000}
          autoComplete="off"
          spellCheck={false}
          onChange={later}
        />
      </div>
      {/* Enter sends a form of several fields only if it has a button. */}
      <button type="submit" hidden>
        Search
      </button>
      <details className="filters">
        <summary>Filters</summary>
        <div className="filter-fields">
          <ModeChoice mode={params.mode} />
          <TypeChoice types={params.types} />
          <EvidenceChoice minEvidence={params.minEvidence} />
          <TypedFilters params={params} stateVersion={stateVersion} later={later} />
        </div>
      </details>
      <div className="chips">
        <Chips params={params} onRemoved={focusField} />
      </div>
    </form>
  )
}
