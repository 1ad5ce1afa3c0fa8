import type { SchemaOperation } from '@noema/contracts/schema.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Empty } from '../../components/empty.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { showToast } from '../../components/toast.ts'
import { useAction } from '../../components/use-action.ts'
import { applySchemaStep } from '../../data/apply-schema-step.ts'
import { organizationSchemaQuery, schemasKey } from '../../data/organization-schemas.ts'
import { useSession } from '../../session/session.tsx'
import { KindPanel } from '../schema/kind-panel.tsx'
import { NewKind } from '../schema/new-kind.tsx'

type EditorProps = {
  name: string
  kinds: readonly SchemaKind[]
  /** The shown version; undefined if there is none yet. */
  version: number | undefined
  /** True if it is not the newest version. */
  isEarlier: boolean
}

/** Saves kinds as the next version. One that somebody else saved meanwhile is not replaced. */
const useSave = ({ name, version, isEarlier }: EditorProps) => {
  const session = useSession()
  const queries = useQueryClient()
  return async (kinds: SchemaKind[]) => {
    if (!isEarlier && version !== undefined) {
      const newest = await queries.fetchQuery({ ...organizationSchemaQuery(session, name), staleTime: 0 })
      if (newest.version !== version)
        throw new Error(
          `Version ${newest.version} was saved meanwhile. Copy your JSON, reload the page, and try again.`,
        )
    }
    const { schema } = await session.client.schemas.put(name, { kinds })
    showToast({
      tone: 'good',
      title: schema.version === version ? 'Nothing changed' : `Version ${schema.version} saved`,
    })
    await queries.invalidateQueries({ queryKey: schemasKey(session) })
  }
}

type PartProps = { kinds: readonly SchemaKind[]; save: (kinds: SchemaKind[]) => Promise<void> }

const views = [
  { value: 'form', name: 'Form' },
  { value: 'json', name: 'JSON' },
] as const

const KindsForm = ({ kinds, onStep }: { kinds: readonly SchemaKind[]; onStep: (step: SchemaOperation) => void }) => (
  <>
    {kinds.length === 0 && (
      <Empty title="No kinds declared yet">
        <p>A kind is a sort of record, such as person or invoice, with its fields.</p>
      </Empty>
    )}
    {kinds.map((kind) => (
      <KindPanel key={kind.kind} kind={kind} onStep={onStep} words={words} />
    ))}
  </>
)

const words = { submit: 'Apply', retire: 'Remove' }

const parseKinds = (json: string): SchemaKind[] => {
  try {
    return JSON.parse(json) as SchemaKind[]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new FieldProblem('json', `This is not JSON: ${reason}.`, { cause: error })
  }
}

const JsonForm = ({ kinds, save }: PartProps) => {
  const form = useContractForm({
    initial: { json: JSON.stringify(kinds, null, 2) },
    contract: async () => (await import('@noema/contracts/schemas.ts')).putOrganizationSchema.body,
    toBody: ({ json }) => ({ kinds: parseKinds(json) }),
    submit: async (body) => save(body.kinds),
  })
  return (
    <Form form={form} submit="Save version">
      <form.TextArea label="Kinds as JSON" name="json" rows={24} isMono required spellCheck={false} />
    </Form>
  )
}

/** Edits the kinds of a schema, in a form or as JSON, and saves them as its next version. */
export const SchemaEditor = (props: EditorProps) => {
  const { kinds: saved, isEarlier } = props
  const [view, setView] = useState<'form' | 'json'>('form')
  const [kinds, setKinds] = useState(saved)
  const save = useSave(props)
  const { run, isRunning, error } = useAction(() => save([...kinds]))
  const isChanged = kinds !== saved
  return (
    <>
      {isEarlier && (
        <Notice>
          <p>This is an earlier version. Saving it makes it the newest one.</p>
        </Notice>
      )}
      <div className="records-bar">
        <RadioGroup label="View" isLabelHidden isSegments options={views} value={view} onChange={setView} />
        <div className="actions">
          {isChanged && (
            <Button size="small" onClick={() => setKinds(saved)}>
              Discard changes
            </Button>
          )}
          <NewKind submit={words.submit} onStep={(step) => setKinds((before) => applySchemaStep(before, step))} />
          {view === 'form' && (
            <Button
              size="small"
              tone="primary"
              disabled={!isChanged && !isEarlier}
              isBusy={isRunning}
              onClick={() => void run()}
            >
              Save version
            </Button>
          )}
        </div>
      </div>
      <FailureNotice error={error} />
      {view === 'form' ? (
        <KindsForm kinds={kinds} onStep={(step) => setKinds((before) => applySchemaStep(before, step))} />
      ) : (
        <JsonForm key={JSON.stringify(kinds)} kinds={kinds} save={save} />
      )}
    </>
  )
}
