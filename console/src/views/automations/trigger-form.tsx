import type { Agent, AgentAccess } from '@noema/contracts/agents.ts'
import type { Brain } from '@noema/contracts/brains.ts'
import type { Trigger } from '@noema/contracts/triggers.ts'
import { Link } from '@tanstack/react-router'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput } from '../../components/field.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAgentList, useBrainList } from '../../data/use-names.ts'
import { Missing } from '../../items/missing.tsx'
import { useSession } from '../../session/session.tsx'
import { KindScopes } from './kind-scopes.tsx'
import { useAutomationsRefresh } from './use-automation-acts.ts'

const accesses = [
  { value: 'read_only', name: 'Reads only', hint: 'Even if the agent itself can write' },
  { value: 'read_write', name: 'Reads and writes', hint: 'Where the agent can write' },
] as const satisfies readonly { value: AgentAccess; name: string; hint: string }[]

/** Warns that the agent lacks the access that the trigger requires. */
const ReachNotice = ({ agent, brain, access }: { agent: Agent; brain: Brain; access: AgentAccess }) => {
  const reach = agent.brains.find(({ id }) => id === brain.id)
  if (reach && (access === 'read_only' || reach.access === 'read_write')) return null
  return (
    <Notice tone="warning">
      <p>
        {agent.name} {reach ? 'only reads' : 'has no access to'} the Brain {brain.handle}.{' '}
        <Link to="/agents/$id" params={{ id: agent.id }}>
          Edit the agent
        </Link>{' '}
        to grant it.
      </p>
    </Notice>
  )
}

type Values = {
  name: string
  brainId: string
  agentId: string
  kinds: string[]
  access: AgentAccess
  expectedOutcome: string
  enabled: boolean
}

const toBody = ({ agentId, kinds, access, enabled, name, expectedOutcome }: Values) => ({
  ...{ agentId, requiredAccess: access, enabled, expectedOutcome },
  name: name.trim(),
  kindScopes: kinds.map((entityKind) => ({ entityKind })),
})

type FormProps = {
  trigger: Trigger | undefined
  agents: readonly Agent[]
  brains: readonly Brain[]
  agentId?: string | undefined
  onClose: () => void
}

const toValues = ({ trigger, agents, brains, agentId }: FormProps): Values => ({
  name: trigger?.name ?? '',
  brainId: trigger?.knowledgeGraphId ?? brains[0]?.id ?? '',
  agentId: trigger?.agentId ?? agentId ?? agents[0]?.id ?? '',
  kinds: trigger?.kindScopes.map(({ entityKind }) => entityKind) ?? [],
  access: trigger?.requiredAccess ?? 'read_only',
  expectedOutcome: trigger?.expectedOutcome ?? '',
  enabled: trigger?.enabled ?? true,
})

const useSave = (props: FormProps) => {
  const { client } = useSession()
  const refresh = useAutomationsRefresh()
  const { trigger, onClose } = props
  return useContractForm({
    initial: toValues(props),
    contract: async () => (await import('@noema/contracts/triggers.ts')).patchTrigger.body,
    paths: { kinds: 'kindScopes', access: 'requiredAccess', brainId: 'knowledgeGraphId' },
    toBody,
    edits: trigger && {},
    submit: async (body, { brainId }, changed) => {
      if (trigger) await client.triggers.patch(trigger.id, changed)
      else await client.triggers.create({ ...body, knowledgeGraphId: brainId })
      await refresh()
      onClose()
    },
  })
}

/** The agents to choose from, with the chosen one even if it is archived. */
export const toAgentOptions = (agents: readonly Agent[], chosen: string) => [
  ...agents.map(({ id, name }) => ({ value: id, name })),
  ...(agents.some(({ id }) => id === chosen) ? [] : [{ value: chosen, name: 'An archived agent' }]),
]

const TriggerForm = (props: FormProps) => {
  const { trigger, agents, brains, onClose } = props
  const form = useSave(props)
  const agentId = useFormValue(form, 'agentId')
  const brainId = useFormValue(form, 'brainId')
  const access = useFormValue(form, 'access')
  const agent = agents.find(({ id }) => id === agentId)
  const brain = brains.find(({ id }) => id === brainId)
  return (
    <Form form={form} submit={trigger ? 'Save trigger' : 'Create trigger'} onCancel={onClose}>
      <form.Text label="Name" name="name" required autoComplete="off" />
      <div className="form-pair">
        {trigger ? (
          <TextInput
            label="Brain"
            value={brain?.handle ?? brainId}
            readOnly
            hint="A trigger cannot change its Brain."
          />
        ) : (
          <form.Select
            label="Brain"
            name="brainId"
            options={brains.map(({ id, handle }) => ({ value: id, name: handle }))}
          />
        )}
        <form.Select label="Agent" name="agentId" options={toAgentOptions(agents, agentId)} />
      </div>
      {agent && brain && <ReachNotice agent={agent} brain={brain} access={access} />}
      <form.Field name="kinds">
        {({ value, set }) => <KindScopes handle={brain?.handle} kinds={value} onChange={set} />}
      </form.Field>
      <form.Radio label="Access of its runs" name="access" options={accesses} />
      <form.TextArea
        label="Expected outcome"
        name="expectedOutcome"
        rows={3}
        hint="Each run receives the name of the trigger, the event as data, and this text."
      />
      <form.Checkbox label="Enabled: new events start runs" name="enabled" />
    </Form>
  )
}

type DialogProps = { trigger?: Trigger; agentId?: string; onClose: () => void }

/** Creates or edits a trigger. */
export const TriggerDialog = ({ trigger, agentId, onClose }: DialogProps) => {
  const agents = useAgentList()
  const brains = useBrainList()
  const isMissing = trigger === undefined && (agents?.length === 0 || brains?.length === 0)
  return (
    <Dialog isOpen title={trigger ? `Edit ${trigger.name}` : 'New trigger'} onClose={onClose}>
      {(!agents || !brains) && <Skeleton lines={8} />}
      {isMissing && <Missing what={brains?.length === 0 ? 'Brain' : 'agent'} />}
      {agents && brains && !isMissing && <TriggerForm {...{ trigger, agents, brains, agentId, onClose }} />}
    </Dialog>
  )
}
