import { useQuery } from '@tanstack/react-query'
import { Checkbox } from '../../components/choices.tsx'
import { corporaQuery } from '../../data/corpora.ts'
import { useSession } from '../../session/session.tsx'

type ChoicesProps = { corpora: readonly string[]; onChange: (corpora: readonly string[]) => void }

/** The corpora that an agent may read, if the organization has any. One that was deleted stays listed until it is removed. */
export const CorpusChoices = ({ corpora, onChange }: ChoicesProps) => {
  const { data } = useQuery(corporaQuery(useSession()))
  const names = [...new Set([...(data?.corpora.map(({ name }) => name) ?? []), ...corpora])]
  if (names.length === 0) return null
  return (
    <fieldset>
      <legend>Corpora that it reads</legend>
      <div className="kind-choices">
        {names.map((name) => (
          <Checkbox
            key={name}
            label={name}
            checked={corpora.includes(name)}
            onChange={(isOn) => onChange(isOn ? [...corpora, name] : corpora.filter((other) => other !== name))}
          />
        ))}
      </div>
    </fieldset>
  )
}
