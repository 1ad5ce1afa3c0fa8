import type { Agent, AgentAccess, AgentTool } from '@noema/contracts/agents.ts'
import type { Brain } from '@noema/contracts/brains.ts'
import { isObject } from '@noema/contracts/json.ts'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Dialog } from '../../components/dialog.tsx'
import { Select } from '../../components/field.tsx'
import type { Fields } from '../../components/form/fields.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { brainsQuery } from '../../data/brains.ts'
import { projectsQuery } from '../../data/projects.ts'
import { useSession } from '../../session/session.tsx'
import { CorpusChoices } from './corpus-choices.tsx'
import { type ChosenSkill, SkillChoices, toChosen } from './skill-choices.tsx'
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
  if (brains.length === 0) return <p className="muted">You have no Brains yet.</p>
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

type Schema = NonNullable<Agent['outputSchema']>

/** The typed JSON Schema; null for none. */
const readSchema = (text: string): Schema | null => {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value as Schema
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new FieldProblem('outputSchema', `This is not JSON: ${reason}.`, { cause })
  }
  throw new FieldProblem(
    'outputSchema',
    'Enter a JSON Schema of an object, such as {"type": "object", "properties": {}}.',
  )
}

type Values = {
  name: string
  model: string
  projectId: string | undefined
  instructions: string
  reach: Reach
  corpora: readonly string[]
  skills: readonly ChosenSkill[]
  tools: readonly AgentTool[]
  outputSchema: string
  maxSteps: string
  timeoutSeconds: string
  maxCost: string
}

const toValues = (agent: Agent | undefined): Values => ({
  name: agent?.name ?? '',
  model: agent?.model ?? 'noema/extractive',
  projectId: undefined,
  instructions: agent?.instructions ?? '',
  reach: Object.fromEntries((agent?.brains ?? []).map(({ handle, access }) => [handle, access])),
  corpora: agent?.corpora ?? [],
  skills: toChosen(agent?.skills),
  tools: agent?.tools ?? [],
  outputSchema: agent?.outputSchema ? JSON.stringify(agent.outputSchema, null, 2) : '',
  maxSteps: String(agent?.limits.maxSteps ?? 20),
  timeoutSeconds: String(agent?.limits.timeoutSeconds ?? 600),
  maxCost: agent?.limits.maxCostCents === undefined ? '' : String(agent.limits.maxCostCents / 100),
})

const toBody = ({ reach, tools, corpora, skills, projectId, maxSteps, timeoutSeconds, maxCost, ...given }: Values) => {
  checkTools(tools)
  return {
    name: given.name,
    model: given.model.trim(),
    instructions: given.instructions,
    tools: [...tools],
    corpora: [...corpora],
    skills: [...skills],
    ...(projectId !== undefined && { projectId }),
    brains: Object.entries(reach).map(([handle, access]) => ({ handle, access })),
    outputSchema: readSchema(given.outputSchema),
    limits: {
      maxSteps: Number(maxSteps),
      timeoutSeconds: Number(timeoutSeconds),
      maxCostCents: maxCost.trim() === '' ? null : Math.round(Number(maxCost) * 100),
    },
  }
}

/** The positions of the values in the body. */
const paths = {
  reach: 'brains',
  maxSteps: 'limits.maxSteps',
  timeoutSeconds: 'limits.timeoutSeconds',
  maxCost: 'limits.maxCostCents',
}

type Body = ReturnType<typeof toBody>

/** Creates the agent or its next version, and refreshes the pages that show it. */
const useSave = (agent: Agent | undefined, onClose: () => void) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async (whole: Body, _values: Values, changed: Partial<Body>) => {
    const { outputSchema, ...body } = whole
    const { agent: saved } = agent
      ? await client.agents.patch(agent.id, changed)
      : await client.agents.create({ ...body, ...(outputSchema && { outputSchema }) })
    await queries.invalidateQueries({ queryKey: [organization.id, 'agents'] })
    onClose()
    if (!agent) await navigate({ to: '/agents/$id', params: { id: saved.id } })
  }
}

type FieldsProps = { form: Fields<Values> }

/** The limits of a run. Its cost is unlimited by default. */
const Limits = ({ form }: FieldsProps) => (
  <div className="filter-row">
    <form.Number label="Maximum steps" name="maxSteps" required />
    <form.Number label="Maximum seconds" name="timeoutSeconds" required />
    <form.Number label="Maximum US dollars" name="maxCost" step="0.01" placeholder="no limit" />
  </div>
)

/** The project of the agent, if the organization has more than its default one. */
const ProjectChoice = ({ form, agent }: FieldsProps & { agent: Agent | undefined }) => {
  const { data: projects = [] } = useQuery(projectsQuery(useSession()))
  if (projects.length < 2) return null
  const current = agent?.projectId ?? projects.find(({ isDefault }) => isDefault)?.id ?? ''
  return (
    <form.Field name="projectId" hasOwnError>
      {({ value, set, error }) => (
        <Select
          label="Project"
          options={projects.map(({ id, name }) => ({ value: id, name }))}
          value={value ?? current}
          error={error}
          onChange={set}
        />
      )}
    </form.Field>
  )
}

type DialogProps = { agent?: Agent | undefined; onClose: () => void }

/** Creates an agent, or its next version. Runs keep the version that they started with. */
export const AgentDialog = ({ agent, onClose }: DialogProps) => {
  const { data } = useInfiniteQuery(brainsQuery(useSession()))
  const brains = data?.pages.flatMap((page) => page.brains) ?? []
  const form = useContractForm({
    initial: toValues(agent),
    contract: async () => (await import('@noema/contracts/agents.ts')).patchAgent.body,
    paths,
    toBody,
    edits: agent && { merged: ['limits'] },
    submit: useSave(agent, onClose),
  })
  return (
    <Dialog isOpen title={agent ? `Edit ${agent.name}` : 'New agent'} onClose={onClose} size="wide">
      <Form form={form} submit={agent ? 'Save as a new version' : 'Create agent'} onCancel={onClose}>
        <form.Text label="Name" name="name" required />
        <form.Text
          label="Model"
          name="model"
          hint="provider/model, such as openai/gpt-5.4. noema/extractive needs no provider: it quotes and counts, and does not reason."
          required
          isMono
        />
        <ProjectChoice form={form} agent={agent} />
        <form.TextArea label="Instructions" name="instructions" rows={6} />
        <form.Field name="reach">
          {({ value, set }) => <BrainChoices brains={brains} reach={value} onChange={set} />}
        </form.Field>
        <form.Field name="corpora">{({ value, set }) => <CorpusChoices corpora={value} onChange={set} />}</form.Field>
        <form.Field name="skills">
          {({ value, set }) => (
            <SkillChoices brains={brains.map(({ handle }) => handle)} skills={value} onChange={set} />
          )}
        </form.Field>
        <form.Field name="tools">
          {({ value, set }) => <ToolChoices self={agent} tools={value} onChange={set} />}
        </form.Field>
        <form.TextArea
          label="Output schema"
          name="outputSchema"
          rows={3}
          isMono
          spellCheck={false}
          hint="A JSON Schema for its answers. Leave empty for answers in plain text."
        />
        <Limits form={form} />
      </Form>
    </Dialog>
  )
}
