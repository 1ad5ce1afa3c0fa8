import type { Agent, AgentAccess, AgentTool } from '@noema/contracts/agents.ts'
import type { Brain } from '@noema/contracts/brains.ts'
import { isObject } from '@noema/contracts/json.ts'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { NumberInput, Select, TextArea, TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { brainsQuery } from '../../data/brains.ts'
import { projectsQuery } from '../../data/projects.ts'
import { useSession } from '../../session/session.tsx'
import { checkTools, ToolChoices } from './tool-choices.tsx'

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

/** A JSON Schema as it was typed; null where none is. */
const readSchema = (text: string): object | null => {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (cause) {
    throw new Error(`The output schema is not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`, {
      cause,
    })
  }
  throw new Error('The output schema is a JSON Schema of an object, such as {"type": "object", "properties": {}}.')
}

type Choice = { reach: Reach; tools: readonly AgentTool[]; projectId: string | undefined }

const toBody = (form: FormData, { reach, tools, projectId }: Choice) => {
  checkTools(tools)
  const dollars = textIn(form, 'maxCost').trim()
  return {
    name: textIn(form, 'name'),
    model: textIn(form, 'model').trim(),
    instructions: textIn(form, 'instructions'),
    tools: [...tools],
    ...(projectId !== undefined && { projectId }),
    brains: Object.entries(reach).map(([handle, access]) => ({ handle, access })),
    outputSchema: readSchema(textIn(form, 'outputSchema')),
    limits: {
      maxSteps: readNumber(form, 'maxSteps'),
      timeoutSeconds: readNumber(form, 'timeoutSeconds'),
      maxCostCents: dollars === '' ? null : Math.round(Number(dollars) * 100),
    },
  }
}

/** Makes the agent or its next version, and reads again what shows it. */
const useSave = (agent: Agent | undefined, onClose: () => void) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async ({ outputSchema, ...body }: ReturnType<typeof toBody>) => {
    const { agent: saved } = agent
      ? await client.agents.patch(agent.id, { ...body, outputSchema: outputSchema && { ...outputSchema } })
      : await client.agents.create({ ...body, ...(outputSchema && { outputSchema: { ...outputSchema } }) })
    await queries.invalidateQueries({ queryKey: [organization.id, 'agents'] })
    onClose()
    if (!agent) await navigate({ to: '/agents/$id', params: { id: saved.id } })
  }
}

/** What ends a run. Costs have no limit unless one is named. */
const Limits = ({ limits }: { limits: Agent['limits'] | undefined }) => (
  <div className="filter-row">
    <NumberInput
      label="Steps at most"
      name="maxSteps"
      min={1}
      max={1_000}
      defaultValue={limits?.maxSteps ?? 20}
      required
    />
    <NumberInput
      label="Seconds at most"
      name="timeoutSeconds"
      min={1}
      max={86_400}
      defaultValue={limits?.timeoutSeconds ?? 600}
      required
    />
    <TextInput
      label="US dollars at most"
      name="maxCost"
      type="number"
      min="0.01"
      max="1000000"
      step="0.01"
      placeholder="no limit"
      defaultValue={limits?.maxCostCents === undefined ? undefined : limits.maxCostCents / 100}
    />
  </div>
)

type ProjectProps = { value: string | undefined; onChange: (id: string) => void }

/** Which project it belongs to, where there is more than the one that every organization has. */
const ProjectChoice = ({ value, onChange }: ProjectProps) => {
  const { data: projects = [] } = useQuery(projectsQuery(useSession()))
  if (projects.length < 2) return null
  return (
    <Select
      label="Project"
      options={projects.map(({ id, name }) => ({ value: id, name }))}
      value={value ?? projects.find(({ isDefault }) => isDefault)?.id ?? ''}
      onChange={onChange}
    />
  )
}

type DialogProps = { agent?: Agent | undefined; onClose: () => void }

/** What an agent is: made anew, or changed by a next version. Runs keep the version that they were started with. */
export const AgentDialog = ({ agent, onClose }: DialogProps) => {
  const { data } = useInfiniteQuery(brainsQuery(useSession()))
  const [reach, setReach] = useState<Reach>(() =>
    Object.fromEntries((agent?.brains ?? []).map(({ handle, access }) => [handle, access])),
  )
  const [tools, setTools] = useState<readonly AgentTool[]>(agent?.tools ?? [])
  const [projectId, setProject] = useState<string>()
  const save = useSave(agent, onClose)
  return (
    <Dialog isOpen title={agent ? `Change ${agent.name}` : 'New agent'} onClose={onClose} size="wide">
      <Form
        submit={agent ? 'Save as a new version' : 'Create agent'}
        onSubmit={(form) => save(toBody(form, { reach, tools, projectId }))}
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
        <ProjectChoice value={projectId ?? agent?.projectId} onChange={setProject} />
        <TextArea label="Instructions" name="instructions" rows={6} defaultValue={agent?.instructions} />
        <BrainChoices brains={data?.pages.flatMap((page) => page.brains) ?? []} reach={reach} onChange={setReach} />
        <ToolChoices self={agent} tools={tools} onChange={setTools} />
        <TextArea
          label="Output schema"
          name="outputSchema"
          rows={3}
          isMono
          spellCheck={false}
          hint="A JSON Schema that its answers must fit. Left out, it answers in words."
          defaultValue={agent?.outputSchema && JSON.stringify(agent.outputSchema, null, 2)}
        />
        <Limits limits={agent?.limits} />
      </Form>
    </Dialog>
  )
}
