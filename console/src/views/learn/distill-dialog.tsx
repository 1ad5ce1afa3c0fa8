import '../../styles/form-cards.css'
import type { Agent } from '@noema/contracts/agents.ts'
import type { Brain } from '@noema/contracts/brains.ts'
import { ConflictError } from '@noema/sdk/errors.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Checkbox } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAgentList, useBrainList } from '../../data/use-names.ts'
import { Missing } from '../../items/missing.tsx'
import { useSession } from '../../session/session.tsx'
import { canJudge } from '../graders/can-judge.ts'
import { type Outcome, paths, toBody, type Values } from './distill-values.ts'

/** The runs to learn from: those of an agent, or one run. */
export type LearnedFrom = { agentId?: string; run?: { id: string; question: string } }

const outcomes: readonly Outcome[] = ['completed', 'failed', 'abandoned']

const isWider = (error: unknown): boolean => error instanceof ConflictError && error.code === 'wider_readers'

type FormProps = { from: LearnedFrom; agents: readonly Agent[]; brains: readonly Brain[]; onClose: () => void }

const useDistill = ({ from, agents, brains, onClose }: FormProps) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const agent = agents.find(({ id }) => id === from.agentId)
  const own = agent?.brains.map(({ handle }) => handle) ?? []
  // The readers of a Brain that the runs read are the fewest.
  const first = brains.find(({ handle }) => own.includes(handle)) ?? brains[0]
  return useContractForm({
    initial: {
      ...{ into: first?.handle ?? '', ofAgent: from.run ? '' : (from.agentId ?? ''), runs: from.run?.id ?? '' },
      ...{ since: '', outcomes: [], lesson: true, skill: true, model: '', allowWider: false },
    } as Values,
    contract: async () => (await import('@noema/contracts/distillations.ts')).startDistillation.body,
    paths,
    toBody,
    submit: async (body) => {
      try {
        const { distillation } = await client.distillations.start(body)
        await queries.invalidateQueries({ queryKey: [organization.id, 'distillations'] })
        onClose()
        await navigate({ to: '/evals', search: { open: distillation.id } })
      } catch (error) {
        if (!isWider(error)) throw error
        const words = 'This Brain has members, keys or apps that cannot read every Brain of these runs.'
        throw new FieldProblem('allowWider', `${words} Choose another Brain or other runs, or allow it here.`)
      }
    },
  })
}

type TheForm = ReturnType<typeof useDistill>

const Source = ({ form, agents }: { form: TheForm; agents: readonly Agent[] }) => (
  <>
    <div className="form-card-row">
      <form.Select
        label="Runs of"
        name="ofAgent"
        options={[{ value: '', name: 'All agents' }, ...agents.map(({ id, name }) => ({ value: id, name }))]}
      />
      <form.Date label="Started since" name="since" type="datetime-local" />
    </div>
    <form.Field name="outcomes">
      {({ value, set }) => (
        <fieldset className="form-cards">
          <legend>That ended as</legend>
          <div className="actions">
            {outcomes.map((outcome) => (
              <Checkbox
                key={outcome}
                label={outcome}
                checked={value.includes(outcome)}
                onChange={(isOn) => set(outcomes.filter((one) => (one === outcome ? isOn : value.includes(one))))}
              />
            ))}
          </div>
          <p className="hint">None chosen: all that have ended.</p>
        </fieldset>
      )}
    </form.Field>
    <form.TextArea
      label="Only these runs"
      name="runs"
      rows={2}
      isMono
      spellCheck={false}
      hint="Ids, one a line. Leave it empty for the newest 500."
    />
  </>
)

const Target = ({ form, agents, brains }: Pick<FormProps, 'agents' | 'brains'> & { form: TheForm }) => {
  const allowWider = useFormValue(form, 'allowWider')
  const into = useFormValue(form, 'into')
  const models = agents.filter(canJudge)
  return (
    <>
      <form.Select
        label="Brain that gets them"
        name="into"
        options={brains.map(({ handle }) => ({ value: handle, name: handle }))}
        hint="Each lesson and skill waits for review there, in a Brain of any mode."
      />
      <form.Checkbox label="Readers of this Brain may know what these runs read elsewhere" name="allowWider" />
      {allowWider && (
        <Notice tone="warning">
          <p>
            Lessons may quote the Brains that these runs read. Everyone who can read {into} will see that, also those
            who cannot read these Brains.
          </p>
        </Notice>
      )}
      <fieldset className="form-cards">
        <legend>Look for</legend>
        <div className="actions">
          <form.Checkbox label="Lessons" name="lesson" />
          <form.Checkbox label="Skills" name="skill" />
        </div>
      </fieldset>
      <form.Select
        label="Worded by"
        name="model"
        options={[
          { value: '', name: 'The service, without a model' },
          ...models.map(({ id, name }) => ({ value: id, name })),
        ]}
        hint="Or the model of an agent without tools, Brains, corpora and skills."
      />
    </>
  )
}

const DistillForm = (props: FormProps) => {
  const { from, agents, brains, onClose } = props
  const form = useDistill(props)
  return (
    <Form form={form} submit="Start" onCancel={onClose}>
      {from.run ? (
        <p>
          From the run <strong>{from.run.question}</strong>
        </p>
      ) : (
        <Source form={form} agents={agents} />
      )}
      <Target form={form} agents={agents} brains={brains} />
    </Form>
  )
}

/** Starts a distillation of runs once. */
export const DistillDialog = ({ from, onClose }: { from: LearnedFrom; onClose: () => void }) => {
  const [agents, brains] = [useAgentList(), useBrainList()]
  return (
    <Dialog isOpen title="Learn from runs" onClose={onClose}>
      {!(agents && brains) && <Skeleton lines={8} />}
      {agents && brains?.length === 0 && <Missing what="Brain" />}
      {agents && brains && brains.length > 0 && <DistillForm {...{ from, agents, brains, onClose }} />}
    </Dialog>
  )
}
