import '../../styles/runs.css'
import type { BodyInput } from '@noema/contracts/endpoint.ts'
import type { addEvalCases, createEval, Eval } from '@noema/contracts/evals.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { evalsQuery } from '../../data/evals.ts'
import { useSession } from '../../session/session.tsx'

type NewEval = BodyInput<typeof createEval>
type Item = { type: 'record' | 'statement' | 'document'; id: string; title: string }

/** A question and its answer that become a case: of an agent, or of a search with the items that it found. */
export type Asked = { input: string; target: NewEval['target']; found?: readonly Item[] }

const isOfTarget = ({ target }: Eval, given: NewEval['target']): boolean => {
  if ('agentId' in given) return 'agentId' in target && target.agentId === given.agentId
  if ('corpus' in given) return 'corpus' in target && target.corpus === given.corpus
  return 'brain' in target && target.brain === given.brain
}

const graders: NewEval['graders'] = [{ type: 'contains' }]
const gradersOfReads: NewEval['graders'] = [{ type: 'found' }, { type: 'contains' }, { type: 'evidence' }]

/** The most items of a search that a case may expect. */
const maxOffered = 5

const toKey = ({ type, id }: Item): string => `${type} ${id}`

const ItemChoice = ({
  items,
  chosen,
  onChange,
}: {
  items: readonly Item[]
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}) => (
  <fieldset className="eval-choices">
    <legend>Has to find</legend>
    {items.map((item) => {
      const key = toKey(item)
      return (
        <Checkbox
          key={key}
          label={
            <>
              {item.title} <span className="muted">{item.type}</span>
            </>
          }
          checked={chosen.includes(key)}
          onChange={(isOn) => onChange(isOn ? [...chosen, key] : chosen.filter((one) => one !== key))}
        />
      )
    })}
  </fieldset>
)

type Values = { eval: string; name: string; contains: string; found: readonly string[] }

/** The case of a form. Without anything to find or contain, a search has to find no evidence. */
const toCase = ({ input, target }: Asked, offered: readonly Item[], { contains, found }: Values) => {
  const items = offered.filter((item) => found.includes(toKey(item)))
  const texts = contains
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const expected = {
    ...(items.length > 0 && { found: items.map(({ type, id }) => ({ type, id })) }),
    ...(texts.length > 0 && { contains: texts }),
    ...('brain' in target && items.length === 0 && texts.length === 0 && { evidence: 'none' as const }),
  }
  return { id: `case-${Date.now().toString(36)}`, input, expected }
}

type CaseProps = { asked: Asked; evals: readonly Eval[]; onDone: (id: string) => void; onClose: () => void }

const useCaseForm = ({ asked, evals, onDone }: CaseProps, offered: readonly Item[]) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const [first] = offered
  return useContractForm({
    initial: { eval: evals[0]?.id ?? '', name: '', contains: '', found: first ? [toKey(first)] : [] } as Values,
    contract: async () => (await import('@noema/contracts/evals.ts')).addEvalCases.body,
    paths: { contains: 'cases.0.expected.contains', found: 'cases.0.expected.found' },
    toBody: (values): BodyInput<typeof addEvalCases> => ({ cases: [toCase(asked, offered, values)] }),
    submit: async (body, { eval: evalId, name }) => {
      const { target } = asked
      const given = { name, target, cases: body.cases ?? [], graders: 'agentId' in target ? graders : gradersOfReads }
      const added = evalId === '' ? await client.evals.create(given) : await client.evals.addCases(evalId, body)
      await cache.invalidateQueries({ queryKey: [organization.id, 'evals'] })
      onDone(added.eval.id)
    },
  })
}

const CaseForm = (props: CaseProps) => {
  const { asked, evals, onClose } = props
  const offered = (asked.found ?? []).slice(0, maxOffered)
  const form = useCaseForm(props, offered)
  const chosen = useFormValue(form, 'eval')
  const options = [...evals.map(({ id, name }) => ({ value: id, name })), { value: '', name: 'A new eval' }]
  const isRun = 'agentId' in asked.target
  return (
    <Form form={form} submit="Add case" onCancel={onClose}>
      <p className="eval-input">{asked.input}</p>
      <form.Select label="Eval" name="eval" options={options} />
      {chosen === '' && <form.Text label="Name of the eval" name="name" required maxLength={200} autoComplete="off" />}
      {offered.length > 0 && (
        <form.Field name="found">
          {({ value, set }) => <ItemChoice items={offered} chosen={value} onChange={set} />}
        </form.Field>
      )}
      <form.TextArea
        label="The answer has to contain"
        name="contains"
        rows={3}
        required={isRun}
        hint={isRun ? 'One text a line.' : 'One text a line. With nothing here and above, it must find no evidence.'}
      />
    </Form>
  )
}

const AddCaseDialog = ({ asked, onClose }: { asked: Asked; onClose: () => void }) => {
  const { data } = useInfiniteQuery(evalsQuery(useSession()))
  const [added, setAdded] = useState<string>()
  const evals = data?.pages.flatMap((page) => page.evals).filter((one) => isOfTarget(one, asked.target))
  return (
    <Dialog isOpen title="Add to an eval" onClose={onClose} size="small">
      {added !== undefined && (
        <p>
          The case was added.{' '}
          <Link to="/evals" search={{ open: added }}>
            Open the eval
          </Link>
        </p>
      )}
      {added === undefined && evals && <CaseForm asked={asked} evals={evals} onDone={setAdded} onClose={onClose} />}
    </Dialog>
  )
}

/** A button that turns a question into a case of an eval. */
export const AddCase = ({ asked, isSmall = false }: { asked: Asked; isSmall?: boolean }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...(isSmall && { size: 'small' as const })} onClick={() => setOpen(true)}>
        Add to an eval
      </Button>
      {isOpen && <AddCaseDialog asked={asked} onClose={() => setOpen(false)} />}
    </>
  )
}
