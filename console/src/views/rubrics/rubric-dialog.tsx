import type { Rubric } from '@noema/contracts/rubrics.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { isStaleVersion, useVersionedSave } from '../../components/use-versioned-save.ts'
import { VersionConflict } from '../../components/version-conflict.tsx'
import { useSession } from '../../session/session.tsx'
import { CriteriaList, type CriterionValues, newCriterion, toCriterionPaths } from './criteria-list.tsx'

type Values = { name: string; criteria: readonly CriterionValues[] }

const toValues = ({ name, criteria }: Pick<Rubric, 'name' | 'criteria'>): Values => ({
  name,
  criteria: criteria.map(({ weight, ...criterion }) => ({ ...criterion, weight: String(weight) })),
})

const checkName = (name: string): void => {
  if (name.startsWith('noema-')) throw new FieldProblem('name', 'Included rubrics have names that begin with noema-.')
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name))
    throw new FieldProblem('name', 'A name has 1 to 63 of a-z, 0-9 and -, and does not begin with -.')
}

const toBody = ({ name, criteria }: Values) => {
  checkName(name)
  const ids = criteria.map(({ id }) => id)
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index)
  if (twice !== -1) throw new FieldProblem(`criteria[${twice}].id`, 'Another criterion has this id.')
  return { criteria: criteria.map(({ weight, ...criterion }) => ({ ...criterion, weight: Number(weight) })) }
}

const toFields = ({ criteria }: Pick<Rubric, 'criteria'>) =>
  Object.fromEntries(
    criteria.map(({ id, text, weight, required }) => [
      id,
      `${text} Weight ${weight}${required ? ', no answer passes without it.' : '.'}`,
    ]),
  )

/** The same paths for each render of the form. */
const paths = ({ criteria }: Values) => toCriterionPaths(criteria)

const contract = async () => (await import('@noema/contracts/rubrics.ts')).putRubric.body

type FormProps<Given> = { rubric: Given; onClose: () => void; onSaved: (name: string) => void }

const useRefresh = () => {
  const { organization } = useSession()
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: [organization.id, 'rubrics'] })
}

const Edit = ({ rubric, onClose, onSaved }: FormProps<Rubric>) => {
  const { client } = useSession()
  const refresh = useRefresh()
  const { base, theirs, save } = useVersionedSave({
    opened: rubric,
    read: async () => (await client.rubrics.get(rubric.name)).rubric,
  })
  const form = useContractForm({
    initial: toValues(base),
    contract,
    paths,
    toBody,
    submit: async (body) => {
      await save((version) => client.rubrics.put(base.name, { ...body, version }))
      await refresh()
      onSaved(base.name)
    },
  })
  const keepTheirs = async () => {
    await refresh()
    onClose()
  }
  return (
    <Form
      form={form}
      submit="Save as a new version"
      onCancel={onClose}
      renderFailure={(error) => (
        <VersionConflict
          error={error}
          what="rubric"
          before={toFields(base)}
          after={theirs?.current && toFields(theirs.current)}
          onKeepTheirs={() => void keepTheirs()}
        />
      )}
    >
      <form.Field name="criteria" hasOwnError>
        {({ value, set }) => <CriteriaList criteria={value} onChange={set} />}
      </form.Field>
    </Form>
  )
}

const New = ({ rubric, onClose, onSaved }: FormProps<Pick<Rubric, 'name' | 'criteria'> | undefined>) => {
  const { client } = useSession()
  const refresh = useRefresh()
  const form = useContractForm({
    initial: rubric ? toValues(rubric) : { name: '', criteria: [newCriterion()] },
    contract,
    paths,
    toBody,
    submit: async (body, { name }) => {
      try {
        await client.rubrics.put(name, { ...body, version: 0 })
      } catch (error) {
        throw isStaleVersion(error)
          ? new FieldProblem('name', 'There is a rubric of this name. Choose another one.')
          : error
      }
      await refresh()
      onSaved(name)
    },
  })
  return (
    <Form form={form} submit="Create rubric" onCancel={onClose}>
      <form.Text
        label="Name"
        name="name"
        isMono
        required
        maxLength={63}
        autoComplete="off"
        hint="Graders name it. It cannot be changed later."
      />
      <form.Field name="criteria" hasOwnError>
        {({ value, set }) => <CriteriaList criteria={value} onChange={set} />}
      </form.Field>
    </Form>
  )
}

type DialogProps = {
  /** The rubric to edit. */
  rubric?: Rubric
  /** The rubric to copy. */
  copied?: Rubric
  onClose: () => void
  onSaved: (name: string) => void
}

/** Creates a rubric, or its next version. Runs keep the version that they began with. */
export const RubricDialog = ({ rubric, copied, onClose, onSaved }: DialogProps) => (
  <Dialog isOpen title={rubric ? `Edit ${rubric.name}` : 'New rubric'} onClose={onClose} size="wide">
    {rubric ? (
      <Edit rubric={rubric} onClose={onClose} onSaved={onSaved} />
    ) : (
      <New rubric={copied && { ...copied, name: '' }} onClose={onClose} onSaved={onSaved} />
    )}
  </Dialog>
)
