import { useQuery } from '@tanstack/react-query'
import { navigate, withQuery } from '../../address.tsx'
import { corporaQuery } from '../../data/corpora.ts'
import { useSession } from '../../session/session.tsx'

/** The choice between this Brain and the corpora of the organization, if there are any. */
export const CorpusChoice = ({ handle, corpus }: { handle: string; corpus: string | undefined }) => {
  const { data } = useQuery(corporaQuery(useSession()))
  const names = data?.corpora.map(({ name }) => name) ?? []
  if (names.length === 0 && corpus === undefined) return null
  const shown = corpus === undefined || names.includes(corpus) ? names : [corpus, ...names]
  return (
    <label className="small corpus-choice">
      Search in{' '}
      <select
        value={corpus ?? ''}
        onChange={({ target }) => navigate(withQuery({ corpus: target.value || undefined, asOf: undefined }))}
      >
        <option value="">the Brain {handle}</option>
        {shown.map((name) => (
          <option key={name} value={name}>
            the corpus {name}
          </option>
        ))}
      </select>
    </label>
  )
}
