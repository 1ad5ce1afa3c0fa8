import {
  createConversation,
  deleteConversation,
  getConversation,
  listConversationMessages,
  listConversations,
  patchConversation,
} from '@noema/contracts/conversations.ts'
import * as conversations from '../../features/agents/conversations/conversations.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

export const conversationBindings = [
  defineBinding(createConversation, async (deps, { principal, body }) => {
    const owner = { organizationId: principal.organization.id, createdBy: principal.actor }
    return { data: { conversation: await conversations.makeConversation(deps, owner, body) } }
  }),
  defineBinding(listConversations, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'conversations', start: '' }
    const read = (page: Parameters<typeof conversations.listConversationPage>[3]) =>
      conversations.listConversationPage(deps, id, { agentId: query.agentId, viewer: principal.viewer }, page)
    return listAnswer('conversations', list, query, read, (item) => item.id)
  }),
  defineBinding(getConversation, async (deps, { principal, params }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id) }
    return { data: { conversation: await conversations.readConversation(deps, target) } }
  }),
  defineBinding(patchConversation, async (deps, { principal, params, body }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id) }
    return { data: { conversation: await conversations.renameConversation(deps, target, body.title) } }
  }),
  defineBinding(listConversationMessages, async (deps, { principal, params, query }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id) }
    const list = { scope: deps.listScope(target.organizationId), list: `messages:${target.id}`, start: '' }
    return { data: await conversations.listMessagesOfConversation(deps, target, { list, query }) }
  }),
  defineBinding(deleteConversation, async (deps, { principal, params }) => {
    await conversations.deleteConversation(deps, { organizationId: principal.organization.id, id: checkId(params.id) })
    return { data: { deleted: true } }
  }),
]
