import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { reloadWebSources } from '../../data/web-sources.ts'
import { useSession } from '../../session/session.tsx'

const intervals = [
  { value: 'same', name: 'As it is, or every day' },
  { value: '1', name: 'Every hour' },
  { value: '24', name: 'Every day' },
  { value: '168', name: 'Every week' },
  { value: 'never', name: 'Only on request' },
] as const

type Values = { source: string; urls: string; every: (typeof intervals)[number]['value'] }

const toHours = (every: Values['every']) => {
  if (every === 'same') return {}
  return { refreshHours: every === 'never' ? null : Number(every) }
}

/** Adds pages to a web source, which is made if it does not exist. */
export const AddWebPages = ({ handle, source, onClose }: { handle: string; source?: string; onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const form = useContractForm({
    initial: { source: source ?? 'web', urls: '', every: 'same' } as Values,
    contract: async () => (await import('@noema/contracts/web-sources.ts')).changeWebPages.body,
    toBody: ({ urls, every }) => ({ add: urls.split(/\s+/).filter((url) => url !== ''), ...toHours(every) }),
    paths: { urls: 'add', every: 'refreshHours' },
    submit: async (body, values) => {
      await session.client.brain(handle).webSources.changePages(values.source.trim(), body)
      await reloadWebSources(queries, session, handle)
      onClose()
    },
  })
  return (
    <Dialog
      isOpen
      title="Add web pages"
      description="Each page becomes a document, and is fetched again at intervals. Scripts of pages do not run."
      onClose={onClose}
      size="wide"
    >
      <Form form={form} submit="Add pages" onCancel={onClose}>
        <form.TextArea label="URLs" name="urls" required rows={5} hint="One in each line, https only." />
        {source === undefined && <form.Text label="Source" name="source" required hint="Reads can be limited to it." />}
        <form.Select label="Refresh" name="every" options={intervals} />
      </Form>
    </Dialog>
  )
}
