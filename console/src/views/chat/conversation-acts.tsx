import type { Conversation } from '@noema/contracts/conversations.ts'
import { useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { useSession } from '../../session/session.tsx'

type ActProps = { conversation: Conversation; onClose: () => void; onDone?: () => void }

/** An act on a conversation, and the name that it has in confirmations. */
export type ConversationAct = 'rename' | 'delete'

const useRefresh = () => {
  const { organization } = useSession()
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: [organization.id, 'conversations'] })
}

const RenameForm = ({ conversation, onClose }: ActProps) => {
  const { client } = useSession()
  const refresh = useRefresh()
  const form = useContractForm({
    initial: { title: conversation.title ?? '' },
    contract: async () => (await import('@noema/contracts/conversations.ts')).patchConversation.body,
    toBody: ({ title }) => ({ title: title.trim() || null }),
    submit: async (body) => {
      await client.conversations.patch(conversation.id, body)
      await refresh()
      onClose()
    },
  })
  return (
    <Form form={form} submit="Rename" onCancel={onClose}>
      <form.Text label="Title" name="title" autoComplete="off" maxLength={200} />
    </Form>
  )
}

/** Gives a conversation another title. */
export const RenameConversation = (props: ActProps) => (
  <Dialog isOpen title="Rename the conversation" size="small" onClose={props.onClose}>
    <RenameForm {...props} />
  </Dialog>
)

/** Deletes a conversation after a question. */
export const DeleteConversation = ({ conversation: { id, title }, onClose, onDone }: ActProps) => {
  const { client } = useSession()
  const refresh = useRefresh()
  const remove = async () => {
    await client.conversations.delete(id)
    onDone?.()
    await refresh()
  }
  return (
    <ConfirmDialog
      isOpen
      title={`Delete ${title === null ? 'this conversation' : `“${title}”`}?`}
      confirm="Delete conversation"
      onConfirm={remove}
      onClose={onClose}
    >
      <p>No question can be asked in it any more. Its runs stay, with their messages, as long as other runs do.</p>
      <p>This cannot be undone.</p>
    </ConfirmDialog>
  )
}
