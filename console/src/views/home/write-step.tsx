import { baseUrl } from '../../base-path.ts'
import { type FirstWrite, writeCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { Notice } from '../../components/notice.tsx'
import { useSession } from '../../session/session.tsx'
import { Step } from './step.tsx'
import { firstValues, readWrite, WriteFields } from './write-fields.tsx'

/** The written content and its version. */
export type Written = { id: string; version: number | undefined; write: FirstWrite }

const example: FirstWrite = { what: 'record', kind: 'project', fields: { name: 'Website', status: 'planned' } }

const WrittenNotice = ({ id, version }: Written) => (
  <Notice tone="good" title={version === undefined ? 'Waiting for review' : 'Written'}>
    <p>
      {version === undefined ? 'This Brain is in review mode. ' : `Version ${version} of `}
      <CopyId id={id} />
    </p>
    <p>
      Its event is in <a href="#live-events">the stream</a>.
    </p>
  </Notice>
)

/** The version that was written; undefined while the write is staged. */
const findVersion = (written: object): number | undefined =>
  'version' in written && typeof written.version === 'number' ? written.version : undefined

type WriteStepProps = {
  handle: string | undefined
  written: Written | undefined
  onWritten: (written: Written) => void
}

const ToWrite = ({ handle, written, onWritten }: WriteStepProps & { handle: string }) => {
  const { client } = useSession()
  const form = useContractForm({
    initial: firstValues,
    toBody: readWrite,
    submit: async (write) => {
      const brain = client.brain(handle)
      if (write.what === 'record') {
        const { record } = await brain.records.create({ kind: write.kind, fields: write.fields })
        if (record) onWritten({ id: record.id, version: findVersion(record), write })
      } else {
        const { document } = await brain.documents.create({ title: write.title, text: write.text })
        if (document) onWritten({ id: document.id, version: findVersion(document), write })
      }
    },
  })
  const what = useFormValue(form, 'what')
  return (
    <>
      {written && <WrittenNotice {...written} />}
      <Form form={form} submit={what === 'record' ? 'Write record' : 'Write document'}>
        <WriteFields what={what} form={form} />
      </Form>
      <ViewAsCode example={writeCode({ baseUrl, handle }, written?.write ?? example)} />
    </>
  )
}

export const WriteStep = ({ handle, written, onWritten }: WriteStepProps) => {
  const later = handle ? 'now' : 'later'
  return (
    <Step number={4} title="Write something" state={written ? 'done' : later}>
      {handle && <ToWrite key={handle} handle={handle} written={written} onWritten={onWritten} />}
    </Step>
  )
}
