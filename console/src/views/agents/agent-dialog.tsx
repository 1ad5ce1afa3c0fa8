import type { Agent, AgentAccess } from '@noema/contracts/agents.ts'
import type { Brain } from '@noema/contracts/brains.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { NumberInput, Select, TextArea, TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { brainsQuery } from '../../data/brains.ts'
import { useSession } from '../../session/session.tsx'

type Reach = Readonly<Record<string, AgentAccess>>

const accesses = [
  { value: '', name: 'no access' },
  { value: 'read_only', name: 'reads' },
  { value: 'read_write', name: 'reads and writes' },
] as const

type BrainsProps = { brains: readonly Brain[]; reach: Reach; onChange: (reach: Reach) => void }

const BrainChoices = ({ brains, reach, onChange }: BrainsProps) => {
  const choose = (handle: string, access: AgentAccess | '') => {
    const { [handle]: _, ...others } = reach
    onChange(access === '' ? others : { ...others, [handle]: access })
  }
  if (brains.length === 0) return <p className="muted">There are no Brains yet.</p>
  return (
    <fieldset className="brain-choices">
      <legend>Brains</legend>
      {brains.map(({ handle }) => (
        <Select
          key={handle}
          label={handle}
          options={accesses}
          value={reach[handle] ?? ''}
          onChange={(access) => choose(handle, access)}
        />
      ))}
    </fieldset>
  )
}

const readNumber = (form: FormData, name: string): number => Number(textIn(form, name))

type Choice = { reach: Reach; asks: boolean }

const toBody = (form: FormData, agent: Agent | undefined, { reach, asks }: Choice) => ({
  name: textIn(form, 'name'),
  model: textIn(form, 'model').trim(),
  instructions: textIn(form, 'instructions'),
  // Connectors and other agents that it may use stay as they are.
  tools: [...(asks ? (['ask_human'] as const) : []), ...(agent?.tools ?? []).filter((tool) => tool !== 'ask_human')],
  brains: Object.entries(reach).map(([handle, access]) => ({ handle, access })),
  limits: { maxSteps: readNumber(form, 'maxSteps'), timeoutSeconds: readNumber(form, 'timeoutSeconds') },
})

/** Makes the agent or its next version, and reads again what shows it. */
const useSave = (agent: Agent | undefined, onClose: () => void) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async (body: ReturnType<typeof toBody>) => {
    const { agent: saved } = agent ? await client.agents.patch(agent.id, body) : await client.agents.create(body)
    await queries.invalidateQueries({ queryKey: [organization.id, 'agents'] })
    onClose()
    if (!agent) await navigate({ to: '/agents/$id', params: { id: saved.id } })
  }
}

type DialogProps = { agent?: Agent | undefined; onClose: () => void }

/** What an agent is: made anew, or changed by a next version. Runs keep the version that they were started with. */
export const AgentDialog = ({ agent, onClose }: DialogProps) => {
  const { data } = useInfiniteQuery(brainsQuery(useSession()))
  const [reach, setReach] = useState<Reach>(() =>
    Object.fromEntries((agent?.brains ?? []).map(({ handle, access }) => [handle, access])),
  )
  const [asks, setAsks] = useState(agent?.tools.includes('ask_human') ?? false)
  const save = useSave(agent, onClose)
  return (
    <Dialog isOpen title={agent ? `Change ${agent.name}` : 'New agent'} onClose={onClose} size="wide">
      <Form
        submit={agent ? 'Save as a new version' : 'Create agent'}
        onSubmit={(form) => save(toBody(form, agent, { reach, asks }))}
        aside={<Button onClick={onClose}>Cancel</Button>}
      >
        <TextInput label="Name" name="name" defaultValue={agent?.name} required maxLength={200} />
        <TextInput
          label="Model"
          name="model"
          defaultValue={agent?.model ?? 'noema/extractive'}
          hint="provider/model, such as openai/gpt-5.4. noema/extractive quotes what the Brains hold and needs no provider."
          required
          isMono
        />
        <TextArea label="Instructions" name="instructions" rows={6} defaultValue={agent?.instructions} />
        <BrainChoices brains={data?.pages.flatMap((page) => page.brains) ?? []} reach={reach} onChange={setReach} />
        <Checkbox label="May ask a person (ask_human)" checked={asks} onChange={setAsks} />
        <div className="filter-row">
          <NumberInput
            label="Steps at most"
            name="maxSteps"
            min={1}
            max={1_000}
            defaultValue={agent?.limits.maxSteps ?? 20}
            required
          />
          <NumberInput
            label="Seconds at most"
            name="timeoutSeconds"
            min={1}
            max={86_400}
            defaultValue={agent?.limits.timeoutSeconds ?? 600}
            required
          />
        </div>
      </Form>
    </Dialog>
  )
}
