import type { Agent } from '@noema/contracts/agents.ts'
import { useQueries } from '@tanstack/react-query'
import { Checkbox } from '../../components/choices.tsx'
import { skillChoicesQuery } from '../../data/skills.ts'
import { useSession } from '../../session/session.tsx'

/** A skill as the body of an agent names it. */
export type ChosenSkill = { brain: string; name: string }

/** The skills of an agent as its body names them. */
export const toChosen = (skills: Agent['skills'] = []): ChosenSkill[] =>
  skills.map(({ brain, name }) => ({ brain, name }))

/** Skills are offered of so many Brains, each with one request. */
const maxBrains = 20

const toKey = ({ brain, name }: ChosenSkill): string => `${brain}/${name}`

type ChoicesProps = {
  brains: readonly string[]
  skills: readonly ChosenSkill[]
  onChange: (skills: readonly ChosenSkill[]) => void
}

/** The skills that an agent may load, of the Brains that there are. One that was deleted stays listed until it is removed. */
export const SkillChoices = ({ brains, skills, onChange }: ChoicesProps) => {
  const session = useSession()
  const asked = brains.slice(0, maxBrains)
  const results = useQueries({ queries: asked.map((handle) => skillChoicesQuery(session, handle)) })
  const offered = asked.flatMap((brain, index) =>
    (results[index]?.data?.skills ?? []).map(({ name }) => ({ brain, name })),
  )
  const all = new Map([...offered, ...skills].map((skill) => [toKey(skill), skill]))
  if (all.size === 0) return null
  const chosen = new Set(skills.map(toKey))
  return (
    <fieldset>
      <legend>Skills that it may load</legend>
      <div className="kind-choices">
        {[...all].map(([key, skill]) => (
          <Checkbox
            key={key}
            label={key}
            checked={chosen.has(key)}
            onChange={(isOn) => onChange(isOn ? [...skills, skill] : skills.filter((other) => toKey(other) !== key))}
          />
        ))}
      </div>
    </fieldset>
  )
}
