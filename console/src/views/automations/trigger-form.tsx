import type { Agent, AgentAccess } from '@noema/contracts/agents.ts'
import type { Brain } from '@noema/contracts/brains.ts'
import type { Trigger } from '@noema/contracts/triggers.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, RadioGroup } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Select, TextArea, TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAgentList, useBrainList } from '../../data/use-names.ts'
import { useSession } from '../../session/session.tsx'
import { KindScopes } from './kind-scopes.tsx'
import { useAutomationsRefresh } from './use-automation-acts.ts'

const accesses = [
  { value: 'read_only', name: 'Reads only', hint: 'Whatever the agent may do otherwise' },
  { value: 'read_write', name: 'Reads and writes', hint: 'Where the agent may write' },
] as const satisfies readonly { value: AgentAccess; name: string; hint: string }[]

/** Says where the agent cannot do what the trigger asks of it. */
const ReachNotice = ({ agent, brain, access }: { agent: Agent; brain: Brain; access: AgentAccess }) => {
  const reach = agent.brains.find(({ id }) => id === brain.id)
  if (reach && (access === 'read_only' || reach.access === 'read_write')) return null
  return (
    <Notice tone="warning">
      <p>
        {agent.name} {reach ? 'only reads' : 'does not reach'} the Brain {brain.handle}.{' '}
        <Link to="/agents/$id" params={{ id: agent.id }}>
          Change the agent
        </Link>{' '}
        to let it.
      </p>
    </Notice>
  )
}

type Choice = { brainId: string; agentId: string; kinds: readonly string[]; access: AgentAccess; enabled: boolean }

const toBody = (form: FormData, { agentId, kinds, access, enabled }: Choice) => ({
  ...{ agentId, requiredAccess: access, enabled },
  name: textIn(form, 'name').trim(),
  expectedOutcome: textIn(form, 'expectedOutcome'),
  kindScopes: kinds.map((entityKind) => ({ entityKind })),
})

type FormProps = {
  trigger: Trigger | undefined
  agents: readonly Agent[]
  brains: readonly Brain[]
  agentId?: string | undefined
  onClose: () => void
}

const toFirstChoice = ({ trigger, agents, brains, agentId }: FormProps): Choice => ({
  brainId: trigger?.knowledgeGraphId ?? brains[0]?.id ?? '',
  agentId: trigger?.agentId ?? agentId ?? agents[0]?.id ?? '',
  kinds: trigger?.kindScopes.map(({ entityKind }) => entityKind) ?? [],
  access: trigger?.requiredAccess ?? 'read_only',
  enabled: trigger?.enabled ?? true,
})

const useSave = (trigger: Trigger | undefined, onClose: () => void) => {
  const { client } = useSession()
  const refresh = useAutomationsRefresh()
  return async (form: FormData, choice: Choice) => {
    const body = toBody(form, choice)
    if (trigger) await client.triggers.patch(trigger.id, body)
    else await client.triggers.create({ ...body, knowledgeGraphId: choice.brainId })
    await refresh()
    onClose()
  }
}

/** An archived agent stands among them until another is chosen. */
const toAgentOptions = (agents: readonly Agent[], chosen: string) => [
  ...agents.map(({ id, name }) => ({ value: id, name })),
  ...(agents.some(({ id }) => id === chosen) ? [] : [{ value: chosen, name: 'An archived agent' }]),
]

const TriggerForm = (props: FormProps) => {
  const { trigger, agents, brains, onClose } = props
  const [choice, setChoice] = useState(() => toFirstChoice(props))
  const save = useSave(trigger, onClose)
  const set = (part: Partial<Choice>) => setChoice((before) => ({ ...before, ...part }))
  const agent = agents.find(({ id }) => id === choice.agentId)
  const brain = brains.find(({ id }) => id === choice.brainId)
  return (
    <Form
      submit={trigger ? 'Save trigger' : 'Create trigger'}
      onSubmit={(form) => save(form, choice)}
      aside={<Button onClick={onClose}>Cancel</Button>}
    >
      <TextInput label="Name" name="name" defaultValue={trigger?.name} required maxLength={200} autoComplete="off" />
      <div className="form-pair">
        {trigger ? (
          <TextInput label="Brain" value={brain?.handle ?? choice.brainId} readOnly hint="A trigger keeps its Brain." />
        ) : (
          <Select
            label="Brain"
            options={brains.map(({ id, handle }) => ({ value: id, name: handle }))}
            value={choice.brainId}
            onChange={(brainId) => set({ brainId })}
          />
        )}
        <Select
          label="Agent"
          options={toAgentOptions(agents, choice.agentId)}
          value={choice.agentId}
          onChange={(agentId) => set({ agentId })}
        />
      </div>
      {agent && brain && <ReachNotice agent={agent} brain={brain} access={choice.access} />}
      <KindScopes handle={brain?.handle} kinds={choice.kinds} onChange={(kinds) => set({ kinds })} />
      <RadioGroup
        label="How far its runs may go"
        options={accesses}
        value={choice.access}
        onChange={(access) => set({ access })}
      />
      <TextArea
        label="Expected outcome"
        name="expectedOutcome"
        rows={3}
        maxLength={4_000}
        defaultValue={trigger?.expectedOutcome}
        hint="Each run is told the name of the trigger, the event as data, and this."
      />
      <Checkbox
        label="Enabled: it looks at what happens from now on"
        checked={choice.enabled}
        onChange={(enabled) => set({ enabled })}
      />
    </Form>
  )
}

type DialogProps = { trigger?: Trigger; agentId?: string; onClose: () => void }

/** A trigger: made anew, or changed. */
export const TriggerDialog = ({ trigger, agentId, onClose }: DialogProps) => {
  const agents = useAgentList()
  const brains = useBrainList()
  const isMissing = trigger === undefined && (agents?.length === 0 || brains?.length === 0)
  return (
    <Dialog isOpen title={trigger ? `Change ${trigger.name}` : 'New trigger'} onClose={onClose}>
      {(!agents || !brains) && <Skeleton lines={8} />}
      {isMissing && <Missing what={brains?.length === 0 ? 'Brain' : 'agent'} />}
      {agents && brains && !isMissing && <TriggerForm {...{ trigger, agents, brains, agentId, onClose }} />}
    </Dialog>
  )
}

/** Nothing can be started without an agent, and nothing happens without a Brain. */
export const Missing = ({ what }: { what: 'Brain' | 'agent' }) => (
  <Notice>
    <p>
      There is no {what} yet.{' '}
      {what === 'Brain' ? (
        <Link to="/brains">Make a Brain first.</Link>
      ) : (
        <Link to="/agents">Make an agent first.</Link>
      )}
    </p>
  </Notice>
)
